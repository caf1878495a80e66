package frontend

import (
	"fmt"
	"slices"
	"testing"

	"loopc/ir/diag"
)

// TestCertainNumbers compares the errors about the numbers of repeats in subscripts with their definition: a file is refused
// only if some number is beyond the bounds, for all parameters for which the array has no negative extent and the repeat runs.
func TestCertainNumbers(t *testing.T) {
	type form struct {
		text string
		n, c int
	}
	forms := []form{{"0", 0, 0}, {"1", 0, 1}, {"7", 0, 7}, {"N-1", 1, -1}, {"N", 1, 0}, {"2*N", 2, 0}}
	refused, accepted := 0, 0
	for k := 0; k < 6*6*6*6; k += 5 {
		lo, hi, first, last := forms[k%6], forms[k/6%6], forms[k/36%6], forms[k/216]
		by := k%3 - 1
		src := fmt.Sprintf("param N = 9\narray u[%s..%s, 0..5] float64 inout\nrepeat t = %s..%s {\n\tfor i = 0..5 { u[t%+d,i] = u[t%+d,i] + 1 }\n}\n",
			first.text, last.text, lo.text, hi.text, by, by)
		_, diags := CompileProgram("x.loop", []byte(src))
		all, some := true, false
		for n := -4; n <= 12; n++ {
			at := func(f form) int { return f.n*n + f.c }
			if at(lo) > at(hi) || at(last)-at(first)+1 < 0 {
				continue
			}
			some = true
			all = all && (at(lo)+by < at(first) || at(hi)+by > at(last))
		}
		beyond := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error && d.Code == diag.OutOfBounds
		})
		switch {
		case beyond && some && !all:
			t.Fatalf("refused, and right for some parameters:\n%s%v", src, diags)
		case beyond && some:
			refused++
		case some && !all:
			accepted++
		}
	}
	if refused < 20 || accepted < 20 {
		t.Errorf("%d refused, %d right for some parameters: the test proves little", refused, accepted)
	}
}
