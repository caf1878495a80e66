package codegen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"loopc/transform/plan"
)

// goLiteral returns the text of a value of package plan, or the description of a kernel, as a Go composite
// literal, without zero fields. Slices of numbers stay on one line.
func goLiteral(v any) string { return literal(reflect.ValueOf(v), true) }

// constants has, for each type without a method that names its constants, their Go names: entry k is the name of value k.
var constants = map[string][]string{
	"Role":     {"plan.Internal", "plan.In", "plan.InOut", "plan.Out"},
	"Initial":  {"0", "plan.Computed", "plan.Given"},
	"LaneKind": {"kernel.Same", "kernel.Fixed", "kernel.Window", "kernel.Interleaved"},
}

// optionFields are the fields of a schedule, in the order in which they are printed.
var optionFields = strings.Fields("Tile Grid Mesh CPUs Map Group Sub Assign Comm Shape")

// literal returns the text of v. typed says whether the type must be named; inside a slice it need not be.
func literal(v reflect.Value, typed bool) string {
	t := v.Type()
	if name := constantName(v); name != "" {
		return name
	}
	var parts []string
	long := multiline(t)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		if typed {
			return "&" + literal(v.Elem(), typed)
		}
		return literal(v.Elem(), typed)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return "nil"
		}
		long = multiline(t.Elem())
		for i := range v.Len() {
			parts = append(parts, literal(v.Index(i), false))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
		for _, key := range keys {
			parts = append(parts, fmt.Sprintf("%q: %#v", key.String(), v.MapIndex(key)))
		}
	case reflect.Struct:
		for _, name := range fieldsOf(t) {
			if f := v.FieldByName(name); !f.IsZero() {
				parts = append(parts, name+": "+literal(f, true))
			}
		}
	default:
		return fmt.Sprintf("%#v", v)
	}
	name, body := "", strings.Join(parts, ", ")
	if typed || v.Kind() == reflect.Map {
		name = t.String()
	}
	if long {
		body = "\n"
		for _, part := range parts {
			body += part + ",\n"
		}
	}
	return name + "{" + body + "}"
}

// constantName returns the Go name of v if v is a named constant, otherwise "".
func constantName(v reflect.Value) string {
	t := v.Type()
	if !v.CanUint() && !v.CanInt() {
		return ""
	}
	if names, ok := constants[t.Name()]; ok {
		return names[v.Convert(reflect.TypeFor[int]()).Int()]
	}
	if named, ok := v.Interface().(fmt.GoStringer); ok {
		return named.GoString()
	}
	word, ok := v.Interface().(fmt.Stringer)
	switch {
	case !ok:
		return ""
	case t == reflect.TypeFor[plan.Shape]():
		return "plan.Shape" + exported(word.String())
	}
	return "plan." + exported(word.String())
}

// fieldsOf are the names of a structure's fields, in the order in which they are printed.
func fieldsOf(t reflect.Type) (names []string) {
	if t == reflect.TypeFor[plan.Options]() {
		return optionFields
	}
	for i := range t.NumField() {
		names = append(names, t.Field(i).Name)
	}
	return names
}

// multiline reports whether values of type t are so long that they get lines of their own.
func multiline(t reflect.Type) bool {
	return slices.Contains(strings.Fields("Nest Value Array Check Access InitAccess Temporal LaneGiven"), t.Name())
}
