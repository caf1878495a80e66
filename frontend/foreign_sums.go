package frontend

import (
	"slices"
	"strconv"
)

// A linearSum is an integer and integer multiples of names, in the order in which they occur.
type linearSum struct {
	names   []string
	factors []int // by name
	number  int
}

// linear reads tokens as a sum of numbers, names, and products of a number and a name.
func linear(l []token) (s linearSum, ok bool) {
	for k := 0; k < len(l); {
		sign := 1
		if l[k].is("-") || l[k].is("+") {
			if l[k].is("-") {
				sign = -1
			}
			k++
		} else if k > 0 {
			return s, false
		}
		name, factor := "", sign
		for operands := 0; ; operands++ {
			switch {
			case k >= len(l) || operands == 2:
				return s, false
			case l[k].kind == tokIdent && name == "":
				name = l[k].text
			case l[k].kind == tokInt:
				n, err := strconv.Atoi(l[k].text)
				if err != nil || n >= 1<<20 || factor >= 1<<20 || factor <= -1<<20 {
					return s, false
				}
				factor *= n
			default:
				return s, false
			}
			if k++; k == len(l) || !l[k].is("*") {
				break
			}
			k++
		}
		s = s.with(name, factor)
	}
	return s, len(l) > 0
}

// with returns s plus the multiple of a name; "" stands for 1.
func (s linearSum) with(name string, factor int) linearSum {
	if name == "" {
		s.number += factor
		return s
	}
	s.names, s.factors = slices.Clone(s.names), slices.Clone(s.factors)
	k := slices.Index(s.names, name)
	if k < 0 {
		s.names, s.factors = append(s.names, name), append(s.factors, factor)
		return s
	}
	if s.factors[k] += factor; s.factors[k] == 0 {
		s.names, s.factors = slices.Delete(s.names, k, k+1), slices.Delete(s.factors, k, k+1)
	}
	return s
}

// plus returns s + factor*x.
func (s linearSum) plus(x linearSum, factor int) linearSum {
	for k, name := range x.names {
		s = s.with(name, factor*x.factors[k])
	}
	return s.with("", factor*x.number)
}

// zero reports whether s is 0 whatever its names are.
func (s linearSum) zero() bool { return len(s.names) == 0 && s.number == 0 }

// tokens are those of s, at the place of token near.
func (s linearSum) tokens(near token) (out []token) {
	add := func(n int, name string) {
		if n < 0 || len(out) > 0 {
			out = append(out, operator(map[bool]string{true: "-", false: "+"}[n < 0], near))
		}
		n = max(n, -n)
		if name == "" || n > 1 {
			out = append(out, word(tokInt, strconv.Itoa(n), near))
		}
		if name != "" && n > 1 {
			out = append(out, operator("*", near))
		}
		if name != "" {
			out = append(out, word(tokIdent, name, near))
		}
	}
	for k, name := range s.names {
		add(s.factors[k], name)
	}
	if s.number != 0 || len(out) == 0 {
		add(s.number, "")
	}
	return out
}
