package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
)

// foreignTypes are the names that other languages have for types.
var foreignTypes = map[string]ir.Type{
	"double": ir.Float64, "real": ir.Float64, "float": ir.Float32,
	"int": ir.Int32, "int32_t": ir.Int32, "integer": ir.Int32, "unsigned": ir.Int32,
	"long": ir.Int64, "int64_t": ir.Int64, "size_t": ir.Int64, "ptrdiff_t": ir.Int64,
	"char": ir.Uint8, "uint8_t": ir.Uint8, "byte": ir.Uint8, "string": ir.Uint8, "uint16_t": ir.Uint16,
	"int8_t": ir.Int8, "int16_t": ir.Int16, "short": ir.Int16,
}

// typeName is the type that a name stands for here or elsewhere, "" for none.
func typeName(name string) string {
	if t, ok := foreignTypes[name]; ok {
		return t.String()
	}
	if ir.TypeNamed(name) != ir.Invalid {
		return name
	}
	return ""
}

// nearTypes has, for each type, other names for similar types. These may hold other values or be
// something else, so such a type is only a hint.
var nearTypes = map[ir.Type]string{
	ir.Float32: "float16 bfloat16 half single f32",
	ir.Float64: "f64 float128 quad number",
	ir.Int8:    "i8",
	ir.Int16:   "i16",
	ir.Int32:   "i32",
	ir.Int64:   "i64 usize isize uint32 uint32_t uint uint64 uint64_t int128 uint128 i128 u128",
	ir.Uint8:   "u8 bool boolean logical",
	ir.Uint16:  "u16 ushort",
}

// typeOfC is the type that a name stands for before a declared name; "" for none.
func typeOfC(name string) string {
	if s := typeName(name); s != "" || !strings.HasSuffix(name, "_t") && name != "uint" && name != "bool" && name != "ushort" {
		return s
	}
	return typeElsewhere(name)
}

// typeElsewhere returns a type of this language for the name of a type in another language; "" if
// there is none.
func typeElsewhere(name string) string {
	if name == "Int" { // of Julia
		return ir.Int64.String()
	}
	name = strings.ToLower(name)
	if t := typeName(name); t != "" {
		return t
	}
	for t, names := range nearTypes {
		if slices.Contains(strings.Fields(names), name) {
			return t.String()
		}
	}
	return ""
}

// elementOf is the type that some words of another language stand for. wide is the number of
// bytes that Fortran gives, or "".
func elementOf(words []token, wide string) string {
	has := func(s string) bool { return slices.ContainsFunc(words, func(x token) bool { return x.named(s) }) }
	switch {
	case len(words) == 0:
		return "float64"
	case integerOfC(words) != "":
		return integerOfC(words)
	case has("double"):
		return "float64"
	case has("real") && wide == "4":
		return "float32"
	case has("integer") && wide == "8", has("long"):
		return "int64"
	}
	last, _ := aType(words[0])
	if last.text == "" {
		return "float64"
	}
	return last.text
}

// integerOfC is the type that words like unsigned short int stand for; "" if they have neither char nor short.
func integerOfC(words []token) string {
	has := func(s string) bool { return slices.ContainsFunc(words, func(x token) bool { return x.named(s) }) }
	switch {
	case has("char") && has("signed"):
		return ir.Int8.String()
	case has("char"):
		return ir.Uint8.String()
	case has("short") && has("unsigned"):
		return ir.Uint16.String()
	case has("short"):
		return ir.Int16.String()
	}
	return ""
}

// fortranType is the type that the first word of a declaration says, with its attributes.
func fortranType(first token, attributes []token) ir.Type {
	wide := slices.ContainsFunc(attributes, func(x token) bool { return x.text == "8" || x.named("dp", "real64", "int64", "precision") })
	switch {
	case first.named("logical", "character"):
		return ir.Uint8
	case first.named("real", "integer"):
		return fortranNumber(first.named("real"), wide)
	}
	return ir.Float64
}

// fortranNumber returns the type of Fortran's real, or of its integer if real is not set: of eight
// bytes if wide, else of four.
func fortranNumber(real, wide bool) ir.Type {
	switch {
	case real && wide:
		return ir.Float64
	case real:
		return ir.Float32
	case wide:
		return ir.Int64
	}
	return ir.Int32
}
