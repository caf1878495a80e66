package codegen

import (
	"fmt"
	"go/token"
	"maps"
	"strconv"
	"strings"
	"unicode"

	"loopc/ir"
)

// taken are the words that emitted functions use, besides Go's keywords and predeclared
// identifiers.
var taken = strings.Fields(`
	append any bool byte cap clear close complex complex64 complex128 copy delete error false float32 float64
	imag int int8 int16 int32 int64 iota len make max min new nil panic print println real recover rune string
	true uint uint8 uint16 uint32 uint64 uintptr comparable init main
	arith array cli context cost errors inproc launch plan ranks sched time
	at block cell cells view dim dst err fields first from hi kernel lo params program nest tile width stride
	Bind Box Init
`)

// vectorFields are the fields that a vector kernel has in addition to those of the portable
// kernel. The user's names, which are fields of the portable kernel, must differ from them.
var vectorFields = strings.Fields("ahead begin begins first frame lanes long most others rest rows split vectors whole")

// scope hands out the identifiers of one emitted function or struct.
type scope struct {
	used  map[string]bool
	wants map[string]int // by name: the next count of underscores to try, or the next number
}

// copy returns a scope in which the same names are taken.
func (s *scope) copy() *scope { return &scope{used: maps.Clone(s.used), wants: maps.Clone(s.wants)} }

// mostUnderscores is the most underscores behind a name; a further variable of this name gets a number.
const mostUnderscores = 8

// newScope returns a scope in which the given names, and all words that emitted code uses, are
// taken.
func newScope(names ...string) *scope {
	s := &scope{used: map[string]bool{}, wants: map[string]int{}}
	for _, n := range taken {
		s.used[n] = true
	}
	for _, n := range names {
		s.used[n] = true
	}
	return s
}

// name returns want or, if want is taken, want with up to mostUnderscores underscores or, if all of
// these are taken, want with a number.
func (s *scope) name(want string) string {
	for {
		n := s.wants[want]
		name := want + strings.Repeat("_", min(n, mostUnderscores))
		if n > mostUnderscores {
			name += strconv.Itoa(n)
		}
		if !s.used[name] && !token.IsKeyword(name) {
			s.used[name] = true
			return name
		}
		s.wants[want]++
	}
}

// exported returns name with a capital first letter, or X and name if the first character has none.
func exported(name string) string {
	r := []rune(name)
	if !unicode.IsLetter(r[0]) {
		return "X" + name
	}
	r[0] = unicode.ToUpper(r[0])
	if !unicode.IsUpper(r[0]) {
		return "X" + name // a letter without case
	}
	return string(r)
}

// goName returns the exported Go name for a name of the user: words that underscores join begin with capital letters, as in
// MyDist for my_dist. Names that differ in underscores only may become equal.
func goName(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' })
	for k, w := range words {
		r := []rune(w)
		r[0] = unicode.ToUpper(r[0])
		words[k] = string(r)
	}
	if len(words) == 0 {
		return exported(name)
	}
	return exported(strings.Join(words, ""))
}

// unexported returns name with a small first letter.
func unexported(name string) string {
	r := []rune(name)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

// rename gives each of the user's names an identifier, in order, and keeps the name wherever
// possible.
func rename(s *scope, names []string) []string { return mapped(names, s.name) }

// mapped applies f to each element of a list.
func mapped[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for k, x := range list {
		out[k] = f(x)
	}
	return out
}

// paramNames, floatNames and loopNames are the user's names.
func paramNames(n *ir.Nest) []string {
	return mapped(n.Params, func(p ir.Param) string { return p.Name })
}

func floatNames(n *ir.Nest) []string {
	return mapped(n.Floats, func(p ir.FloatParam) string { return p.Name })
}

func loopNames(n *ir.Nest) []string {
	return mapped(n.Loops, func(l ir.Loop) string { return l.Name })
}

// offsetName describes an offset along a loop: "PrevI", "NextI", "Prev2I".
func offsetName(loop string, c int) string {
	word := "Next"
	if c < 0 {
		word, c = "Prev", -c
	}
	if c == 1 {
		return word + exported(loop)
	}
	return fmt.Sprintf("%s%d%s", word, c, exported(loop))
}
