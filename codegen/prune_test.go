package codegen

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestPrune has definitions that are read, definitions that are not read, and definitions that only
// the latter read.
func TestPrune(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a chain goes", "a := 1\nb := a + 1\nc := b\nuse(1)", "use(1)"},
		{"a read stays", "a := 1\nb := a + 1\nuse(b)", "a := 1\nb := a + 1\nuse(b)"},
		{"a field is no read", "a := 1\nuse(x.a)", "use(x.a)"},
		{"a key is no read", "a := 1\nuse(x{a: 2})", "use(x{a: 2})"},
		{"a comment is no read", "a := 1\n// a\nuse(1)", "// a\nuse(1)"},
		{"a text is no read", "a := 1\nuse(\"a\")", "use(\"a\")"},
		{"shadowed", "a := 1\n{\na := a + 2\nuse(a)\n}", "a := 1\n{\na := a + 2\nuse(a)\n}"},
		{"the inner one goes", "a := 1\n{\na := a + 2\n}\nuse(a)", "a := 1\n{\n}\nuse(a)"},
		{"the outer one goes", "a := 1\n{\na := 2\nuse(a)\n}", "{\na := 2\nuse(a)\n}"},
		{"one of two", "a, b := 1, 2\nuse(b)", "_, b := 1, 2\nuse(b)"},
		{"both of two", "c := 3\na, b := 1, c\nuse(1)", "use(1)"},
		{"what may fail", "c := 3\na := arith.Quo(c, 0)\nuse(1)", "c := 3\n_ = arith.Quo(c, 0)\nuse(1)"},
		{"only written", "var a int\na = 2\nb := 1\na = b\nuse(1)", "use(1)"},
		{"read as it is written", "a := 1\na = a + 1\nuse(1)", "a := 1\na = a + 1\nuse(1)"},
		{"an element is no variable", "a := x[:]\na[0] = 1", "a := x[:]\na[0] = 1"},
		{"a range", "for k := range 3 {\nuse(1)\n}", "for range 3 {\nuse(1)\n}"},
		{"a range that is read", "for k := range 3 {\nuse(k)\n}", "for k := range 3 {\nuse(k)\n}"},
		{"what a range was for", "n := 3\nfor k := range n {\nj := k\n}", "n := 3\nfor range n {\n}"},
		{"a loop", "for k := 0; k < 3; k++ {\n}", "for k := 0; k < 3; k++ {\n}"},
		{"a closure", "f := func() {\nuse(1)\n}\nuse(2)", "use(2)"},
		{"a closure has definitions", "a := 1\nf := func() {\nb := a\n}\nuse(a)", "a := 1\nuse(a)"},
		{"a closure has ranges", "n := 2\nf := func() {\nfor k := range n {\nb := n\n}\n}\nuse(n)", "n := 2\nuse(n)"},
		{"a closure has a pair", "n := 2\nf := func() {\na, b := n, n\nuse(b)\n}\nuse(n)", "n := 2\nuse(n)"},
		{"a closure in a closure", "n := 2\nf := func() {\na := n\ng := func() {\nb := n\n}\n}\nuse(n)", "n := 2\nuse(n)"},
		{"a closure reads", "a := 1\nf := func() {\nuse(a)\n}\nf()", "a := 1\nf := func() {\nuse(a)\n}\nf()"},
	} {
		frame := func(body string) string { return "package p\nfunc f() {\n" + body + "\n}\n" }
		out, packages, err := prune("p.go", []byte(frame(c.src)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if string(out) != frame(c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, out, frame(c.want))
		}
		if strings.Contains(c.want, "arith.") != packages["arith"] {
			t.Errorf("%s: packages are %q", c.name, slices.Collect(maps.Keys(packages)))
		}
	}
}
