package codegen

import (
	"fmt"
	"strings"
)

// A term is a coefficient and what it multiplies; an empty name is the
// constant term.
type term struct {
	c    int
	name string
}

// sum prints a linear combination: terms in the order given, equal names
// combined, nothing multiplied by one, no zero added.
func sum(terms ...term) string {
	var b strings.Builder
	var done []string
	constant := 0
	for i, t := range terms {
		if t.name == "" {
			constant += t.c
			continue
		}
		c := 0
		for _, u := range terms[i:] {
			if u.name == t.name {
				c += u.c
			}
		}
		if seen(done, t.name) {
			continue
		}
		done = append(done, t.name)
		if c == 0 {
			continue
		}
		sign := " + "
		if c < 0 {
			sign, c = " - ", -c
		}
		if b.Len() == 0 {
			sign = strings.TrimSpace(sign)
			if sign == "+" {
				sign = ""
			}
		}
		b.WriteString(sign)
		if c != 1 {
			fmt.Fprintf(&b, "%d*", c)
		}
		b.WriteString(t.name)
	}
	switch {
	case b.Len() == 0:
		return fmt.Sprint(constant)
	case constant > 0:
		fmt.Fprintf(&b, " + %d", constant)
	case constant < 0:
		fmt.Fprintf(&b, " - %d", -constant)
	}
	return b.String()
}

func seen(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// factor puts s in parentheses unless it is a single word or number.
func factor(s string) string {
	if strings.ContainsAny(s, " *-") {
		return "(" + s + ")"
	}
	return s
}

// times prints a product of two sums; "" stands for one.
func times(a, b string) string {
	switch {
	case a == "0" || b == "0":
		return "0"
	case a == "1" || a == "":
		return b
	case b == "1" || b == "":
		return a
	}
	return factor(a) + "*" + factor(b)
}

// plus joins sums.
func plus(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "0" && p != "" {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return "0"
	}
	return strings.ReplaceAll(strings.Join(out, " + "), "+ -", "- ")
}
