package vector

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// A Function is one emitted kernel.
type Function struct {
	Name string
	ISA  ISA
	Rows int // computed together: 1, or the lanes of all interleaved blocks
}

// Assembly returns the text of a Go assembly file with the kernels of s, named
// after prefix, and what it has; or nothing and why.
func (s *Shape) Assembly(prefix, from string) (text []byte, functions []Function, why string) {
	defer func() {
		if r := recover(); r != nil {
			if no, ok := r.(refused); ok {
				text, functions, why = nil, nil, no.why
				return
			}
			panic(r)
		}
	}()
	ctx := build.NewContext()
	constants := &pool{ctx: ctx, name: prefix}
	for _, isa := range ISAs {
		constants.known = map[string]operand.Mem{}
		constants.name = prefix + strings.ToUpper(isa.String())
		blocks := []int{1}
		if s.Scheme == Wavefront {
			blocks = []int{2, 1}
		}
		for _, r := range blocks {
			name := prefix + strings.ToUpper(isa.String())
			if s.Scheme == Wavefront {
				name = fmt.Sprintf("%sx%d", name, r)
			}
			m := &machine{Context: ctx, isa: isa, lane: s.lane, name: name, pool: constants, count: map[string]int{}}
			f := &function{machine: m, s: s}
			rows := 1
			if s.Scheme == Wavefront {
				rows = r * m.lanes()
				f.wavefront(r)
			} else {
				f.contiguous()
			}
			functions = append(functions, Function{name, isa, rows})
		}
	}
	file, err := ctx.Result()
	if err != nil {
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	if err := pass.Compile.Execute(file); err != nil {
		if strings.Contains(err.Error(), "allocat") {
			return nil, nil, "there are not enough registers"
		}
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	text, err = printer.NewGoAsm(printer.Config{Name: "loopc from " + clean(from), Pkg: "main"}).Print(file)
	if err != nil {
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	if high := avx2High(string(text)); high {
		return nil, nil, "there are not enough registers"
	}
	return text, functions, ""
}

var highRegister = regexp.MustCompile(`\b[XY](1[6-9]|2[0-9]|3[01])\b`)

// avx2High reports whether an AVX2 kernel uses a register that needs AVX-512.
func avx2High(text string) bool {
	for part := range strings.SplitSeq(text, "\nTEXT ") {
		name, _, _ := strings.Cut(part, "(SB)")
		if strings.Contains(name, "AVX2") && highRegister.MatchString(part) {
			return true
		}
	}
	return false
}
