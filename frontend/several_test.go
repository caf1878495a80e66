package frontend

import (
	"strings"
	"testing"
)

// TestChosenReduction reads a reduction that compares with its own result: in each of its forms it must be the max or the min
// that it computes.
func TestChosenReduction(t *testing.T) {
	for value, want := range map[string]string{
		"x[i] > m ? x[i] : m": "max", "x[i] < m ? x[i] : m": "min", "m > x[i] ? m : x[i]": "max", "m < x[i] ? m : x[i]": "min",
		"x[i] > m ? m : x[i]": "min", "x[i] <= m ? m : x[i]": "max", "(m < x[i]) ? x[i] : m": "max", "m >= x[i] ? x[i] : m": "min",
	} {
		src := "param N = 9\narray x[1..N] float64 in\nreduce m = " + value + "\nfor i = 1..N {\n}\n"
		_, diags := CompileProgram("x.loop", []byte(src))
		if len(diags) != 1 || diags[0].Hint != "reduce m = "+want+"(x[i])" {
			t.Errorf("%s: want %s\n%s", value, want, rendered("x.loop", src, diags))
		}
	}
	src := "param N = 9\narray x[1..N] float64 in\nreduce m = x[i] > 2 ? x[i] : m\nfor i = 1..N {\n}\n"
	if _, diags := CompileProgram("x.loop", []byte(src)); len(diags) == 0 || strings.HasPrefix(diags[0].Hint, "reduce m = m") {
		t.Errorf("another condition is no max\n%s", rendered("x.loop", src, diags))
	}
}
