package frontend

import (
	"strings"
	"testing"

	"loopc/ir/diag"
)

// TestOnlyMistake has one mistake in each file. No other mistake may be reported.
func TestOnlyMistake(t *testing.T) {
	try := func(src string, line int, message string) {
		t.Helper()
		_, diags := CompileProgram("x.loop", []byte(src))
		var told []string
		for _, d := range diags {
			if d.Severity == diag.Error {
				told = append(told, d.Message)
			}
		}
		if len(told) != 1 || !strings.Contains(told[0], message) || diags[0].At.Line != line {
			t.Errorf("%s\nis said to have %d mistakes: %q", src, len(told), told)
		}
	}
	for _, name := range strings.Fields("half real Real double float long short byte number int Int integer single unsigned h") {
		header := "param N = 4\nparam " + name + " float64 = 0.25\narray x[0..N] float64 inout\n"
		try(header+"for i = 0..N {\n\tx[i] = "+name+"*x[i] + y\n}\n", 5, "unknown name y")
		try(header+"for i = 0..N {\n\tx[i] = "+name+"*x[i] + x[j]\n}\n", 5, "j")
	}
	header := "param N = 4\narray a[0..N, 0..N] int32 in\narray b[0..N] int32 out\n"
	for _, sum := range []string{"s += a[i,", "s += a[i,k]*"} {
		try(header+"for i = 0..N {\n\tvar s int32 = 0\n\tfor k = 0..N {\n\t\t"+sum+"\n\t}\n\tb[i] = s\n}\n", 7, "")
	}
	try(header+"for i = 0..N {\n\tvar s int32 = 0\n\tfor k {\n\t\ts += a[i,k]\n\t}\n\tb[i] = s\n}\n", 6, "")
	try(header+"for i = 0..N {\n\tvar s int32 = 0\n\tvar s int32 = a[i,i]\n\ts += 1\n\tb[i] = s\n}\n", 6, "s is declared twice")
	try(header+"reduce best = max(a[i,k])\nfor i = 0..N {\n\tvar s int32 = 0\n\tfor k = 0..N {\n\t\ts += a[i,k]\n\t}\n\tb[i] = s\n}\n", 5, "a reduction or a schedule before")
}
