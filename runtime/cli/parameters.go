package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// setParams gives every parameter its value.
func (s *settings) setParams(nest *plan.Nest, named pairs) error {
	s.params, s.floats = make([]int, len(nest.Params)), make([]float64, len(nest.Floats))
	s.given = make([]bool, len(nest.Params)+len(nest.Floats))
	given := s.given[len(nest.Params):] // of the floats
	var errs []error
	for _, p := range named {
		var err error
		if k := slices.Index(nest.Params, p.name); k >= 0 {
			err = setParam(&s.params[k], &s.given[k], p, integerOf)
		} else if k := slices.Index(nest.Floats, p.name); k >= 0 {
			if err = setParam(&s.floats[k], &given[k], p, floatOf); err == nil {
				if err = sched.CheckFloat(nest, k, s.floats[k]); err != nil {
					err = usageError{err}
				}
			}
		} else {
			err = noParameter(nest, p.name)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for k, name := range nest.Params {
		if s.given[k] {
			continue
		}
		v, ok := nest.Defaults[name]
		switch {
		case ok:
		case s.verify:
			v = verifySizes[k%len(verifySizes)]
		default:
			s.missing = append(s.missing, name)
		}
		s.params[k] = v
	}
	for k, name := range nest.Floats {
		if given[k] {
			continue
		}
		v, ok := nest.FloatDefaults[name]
		switch {
		case ok:
		case s.verify:
			v = verifyFloat
		default:
			s.missing = append(s.missing, name)
		}
		s.floats[k] = v
	}
	if s.resume != "" { // the checkpoint may have them: see readFrom
		return nil
	}
	return s.checkParams()
}

// checkParams refuses a run of which a parameter has no value.
func (s *settings) checkParams() error {
	switch len(s.missing) {
	case 0:
		return nil
	case 1:
		return usagef("parameter %s has no default; give it: -p %s=...", s.missing[0], s.missing[0])
	}
	return usagef("parameters %s have no default; give them: -p %s=...", strings.Join(s.missing, ", "), strings.Join(s.missing, "=...,"))
}

// verifyFloat is the value that verify gives to a float parameter without a default.
const verifyFloat = 0.3

// setParam sets the value of a parameter that is given as text.
func setParam[T int | float64](to *T, given *bool, p pair, of func(text string) (T, error)) error {
	v, err := of(p.value)
	switch {
	case err != nil:
		return usagef("parameter %s: %w", p.name, err)
	case *given && *to != v:
		return usagef("parameter %s is given twice", p.name)
	}
	*to, *given = v, true
	return nil
}

func integerOf(text string) (int, error) {
	v, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is out of range, beyond 64 bits", text)
	case err != nil:
		return 0, fmt.Errorf("%q is not an integer", text)
	}
	return v, nil
}

func floatOf(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is out of range of float64", text)
	case err != nil:
		return 0, fmt.Errorf("%q is not a number in decimal, such as 0.25", text)
	case v-v != 0:
		return 0, fmt.Errorf("%q is not a finite number", text)
	}
	return v, nil
}

// noParameter is the error for a name that no parameter has.
func noParameter(nest *plan.Nest, name string) error {
	names := slices.Concat(nest.Params, nest.Floats)
	switch {
	case slices.ContainsFunc(nest.Arrays, func(a plan.Array) bool { return a.Name == name }):
		return usagef("no such parameter: %s, which is an array: cells are given by --in %s=file.npy", name, name)
	case len(names) == 0:
		return usagef("%s has no parameters, %s is unknown", nest.Name, name)
	}
	return usagef("no such parameter: %s%s; %s has %s", name, suggest(name, names, ""), nest.Name, strings.Join(names, ", "))
}

// parametersText prints parameters of a run of a program, and its float parameters, as -p takes
// them, with sep between name and value.
func parametersText(prog *sched.Program, params []int, sep string) []string {
	var all []string
	for k, v := range params[:min(len(params), len(prog.Nest.Params))] {
		all = append(all, fmt.Sprintf("%s%s%d", prog.Nest.Params[k], sep, v))
	}
	for k, v := range prog.Floats() {
		all = append(all, prog.Nest.Floats[k]+sep+strconv.FormatFloat(v, 'g', -1, 64))
	}
	return all
}
