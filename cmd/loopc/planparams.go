package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/transform/plan"
)

// params is planFlags.params for the whole program.
func (l *lowered) params(f *planFlags) (values []int, floats []float64, err error) {
	if err := l.notConstants(f.Params); err != nil {
		return nil, nil, err
	}
	return f.params(l.whole)
}

// notConstants returns an error if a value of -p is for a constant of the file, which no program has among its parameters.
func (l *lowered) notConstants(flags []string) error {
	for _, flag := range flags {
		for part := range strings.SplitSeq(flag, ",") {
			name, _, _ := strings.Cut(part, "=")
			name = strings.TrimSpace(name)
			if k := slices.IndexFunc(l.program.Consts, func(c ir.Const) bool { return c.Name == name }); k >= 0 {
				c := &l.program.Consts[k]
				return usagef("-p %s: %s is a constant, in line %d of %s: with param %s = %v there, it is chosen at launch", part, name, c.Span.Line, l.source.path, name, c.Value)
			}
		}
	}
	return nil
}

// params returns a value for every parameter of the nest, and for every float parameter. Errors are
// usageErrors.
func (f *planFlags) params(nest *plan.Nest) (values []int, floats []float64, err error) {
	values, floats = make([]int, len(nest.Params)), make([]float64, len(nest.Floats))
	names := slices.Concat(nest.Params, nest.Floats)
	given := make([]bool, len(names))
	for _, flag := range f.Params {
		for part := range strings.SplitSeq(flag, ",") {
			name, text, ok := strings.Cut(part, "=")
			name, text = strings.TrimSpace(name), strings.TrimSpace(text)
			k := slices.Index(names, name)
			switch {
			case !ok:
				return nil, nil, usagef("-p %s: not of the form name=value", part)
			case k < 0 && len(names) == 0:
				return nil, nil, usagef("-p %s: %s has no parameters", part, nest.Name)
			case k < 0:
				return nil, nil, usagef("no such parameter: %s; %s has %s", name, nest.Name, strings.Join(names, ", "))
			}
			again := false
			if k < len(values) {
				v, err := strconv.Atoi(text)
				if err != nil {
					return nil, nil, usagef("parameter %s: %q is not an integer", name, text)
				}
				again, values[k] = given[k] && values[k] != v, v
			} else {
				x := &floats[k-len(values)]
				v, err := strconv.ParseFloat(text, 64)
				switch {
				case err != nil && !errors.Is(err, strconv.ErrRange):
					return nil, nil, usagef("parameter %s: %q is not a number in decimal, such as 0.25", name, text)
				case v-v != 0:
					return nil, nil, usagef("parameter %s: %q is not a finite number", name, text)
				}
				again, *x = given[k] && *x != v, v
			}
			if again {
				return nil, nil, usagef("parameter %s is given twice", name)
			}
			given[k] = true
		}
	}
	var missing []string
	for k, name := range names {
		ok := given[k]
		if k < len(values) && !ok {
			values[k], ok = nest.Defaults[name]
		} else if !ok {
			floats[k-len(values)], ok = nest.FloatDefaults[name]
		}
		if !ok {
			missing = append(missing, name)
		}
	}
	return values, floats, withoutDefault(missing, "")
}

// withoutDefault returns an error for parameters that have neither a default nor a value, in a file if it is named; nil if
// there are none.
func withoutDefault(names []string, file string) error {
	if file != "" {
		file = " of " + file
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return usagef("parameter %s%s has no default; give it: -p %s=...", names[0], file, names[0])
	}
	return usagef("parameters %s%s have no default; give them: -p %s=...", strings.Join(names, ", "), file, strings.Join(names, "=...,"))
}
