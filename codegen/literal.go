package codegen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// goLiteral prints a value of package plan as a Go composite literal. Zero
// fields are left out; slices of numbers stay on one line.
func goLiteral(v any) string {
	var b strings.Builder
	writeLiteral(&b, reflect.ValueOf(v), true)
	return b.String()
}

// roles and initials are printed by name.
var named = map[string][]string{
	"Role":    {"plan.Internal", "plan.In", "plan.InOut", "plan.Out"},
	"Edge":    {"plan.NoEdge", "plan.Copied", "plan.Reflecting", "plan.Periodic"},
	"Initial": {"plan.NoInitial", "plan.Computed", "plan.Given"},
}

// writeLiteral prints v; typed tells whether the type must be named, which it
// need not inside a slice.
func writeLiteral(b *strings.Builder, v reflect.Value, typed bool) {
	t := v.Type()
	if words, ok := named[t.Name()]; ok && v.CanUint() {
		b.WriteString(words[v.Uint()])
		return
	}
	if o, ok := v.Interface().(plan.Options); ok {
		writeOptions(b, o)
		return
	}
	switch v.Kind() {
	case reflect.Int:
		if kind, ok := v.Interface().(kernel.LaneKind); ok {
			b.WriteString(kinds[kind])
			return
		}
		fmt.Fprint(b, v.Int())
	case reflect.Bool:
		fmt.Fprint(b, v.Bool())
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	case reflect.Pointer:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		if typed {
			b.WriteByte('&')
		}
		writeLiteral(b, v.Elem(), typed)
	case reflect.Slice:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		if typed {
			b.WriteString(t.String())
		}
		b.WriteByte('{')
		long := multiline(t.Elem())
		for i := range v.Len() {
			switch {
			case long:
				b.WriteByte('\n')
			case i > 0:
				b.WriteString(", ")
			}
			writeLiteral(b, v.Index(i), false)
			if long {
				b.WriteByte(',')
			}
		}
		if long {
			b.WriteByte('\n')
		}
		b.WriteByte('}')
	case reflect.Map:
		b.WriteString(t.String() + "{")
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
		for i, k := range keys {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(b, "%q: %d", k.String(), v.MapIndex(k).Int())
		}
		b.WriteByte('}')
	case reflect.Struct:
		if typed {
			b.WriteString(t.String())
		}
		b.WriteByte('{')
		long, first := multiline(t), true
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				continue
			}
			switch {
			case long:
				b.WriteByte('\n')
			case !first:
				b.WriteString(", ")
			}
			first = false
			fmt.Fprintf(b, "%s: ", t.Field(i).Name)
			writeLiteral(b, v.Field(i), true)
			if long {
				b.WriteByte(',')
			}
		}
		if long {
			b.WriteByte('\n')
		}
		b.WriteByte('}')
	default:
		panic(fmt.Sprintf("BUG: codegen: no literal for %s", t))
	}
}

// multiline reports whether a value of type t is long enough to be given lines
// of its own.
func multiline(t reflect.Type) bool {
	switch t.Name() {
	case "Nest", "Value", "Array", "Check", "Affine", "Access", "InitAccess", "Temporal", "LaneGiven":
		return t.Name() != "Affine"
	}
	return false
}

// writeOptions prints what a schedule says, words by the names of their constants.
func writeOptions(b *strings.Builder, o plan.Options) {
	b.WriteString("plan.Options{")
	sep := ""
	field := func(name, value string, given bool) {
		if given {
			fmt.Fprintf(b, "%s%s: %s", sep, name, value)
			sep = ", "
		}
	}
	word := func(name, value string, given bool) { field(name, "plan."+exported(value), given) }
	for _, list := range []struct {
		name string
		v    []int
	}{{"Tile", o.Tile}, {"Grid", o.Grid}, {"Mesh", o.Mesh}} {
		field(list.name, goLiteral(list.v), list.v != nil)
	}
	field("CPUs", fmt.Sprint(o.CPUs), o.CPUs > 0)
	field("Map", fmt.Sprintf("%q", o.Map), o.Map != "")
	word("Group", o.Group.String(), o.Group != plan.AnyGroup)
	field("Sub", fmt.Sprint(o.Sub), o.Sub > 0)
	word("Assign", o.Assign.String(), o.Assign != plan.AnyAssign)
	word("Comm", o.Comm.String(), o.Comm != plan.AnyComm)
	word("Shape", "shape"+exported(o.Shape.String()), o.Shape != plan.AnyShape)
	b.WriteByte('}')
}
