package frontend

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"loopc/ir/diag"
)

// TestForeignNames gives names of the user's the words of other languages: a right file stays
// right, and one with a mistake has no other.
func TestForeignNames(t *testing.T) {
	words := slices.Concat(slices.Collect(maps.Keys(frames)), slices.Collect(maps.Keys(notNumbers)), slices.Collect(maps.Keys(conditionsElsewhere)),
		fortranWords, rangesStand, strings.Fields("None null NULL nil nullptr undefined lambda is by step to until self np math dt"))
	slices.Sort(words)
	words = slices.Compact(words)
	templates := []string{
		"param N = 8\narray zu[0..N+1] float64 inout\nfor %[1]s = 1..N {\n\tzu[%[1]s] = zu[%[1]s-1]*0.5 + %[1]s - %[1]s/2.0%[2]s\n}\n",
		"param N = 8\narray zu[0..N+1, 0..N+1] float64 inout\nfor za = 1..N, %[1]s = 1..N {\n\tlet zs float64 = zu[za-1,%[1]s] + %[1]s%[2]s\n\tzu[za,%[1]s] = select(%[1]s > 3, zs, zu[za,%[1]s-1])\n}\n",
		"param N, %[1]s, M = 4, 8, 2\narray zu[0..N+%[1]s] float64 inout\nfor za = 1..N {\n\tzu[za] = zu[za-1]*%[1]s + %[1]s + M%[2]s\n}\n",
		"param N = 8\nconst %[1]s = 0.5\narray zu[0..N] float64 inout\nfor za = 1..N {\n\tzu[za] = zu[za-1]*%[1]s + %[1]s%[2]s\n}\n",
		"param N = 8\narray zu[0..N] float64 inout\nfor za = 1..N {\n\tlet %[1]s float64 = zu[za-1]*0.5%[2]s\n\tzu[za] = %[1]s + max(%[1]s, 2*%[1]s) - %[1]s\n}\n",
		"param N = 8\narray %[1]s[0..N+1] float64 inout\narray zb[0..N+1] float64 out\nfor za = 1..N {\n\t%[1]s[za] = %[1]s[za-1]*0.5 + %[1]s[za+1]%[2]s\n\tzb[za] = %[1]s[za]\n}\n",
		"param N = 8\narray zu[0..N, 0..N] float64\ninit zu[%[1]s, zq] = %[1]s*0.5 + %[1]s - zq\nout zu[N, *]\nfor za = 1..N, zb = 0..N {\n\tzu[za,zb] = zu[za-1,zb]*0.5%[2]s\n}\n",
	}
	tried := 0
	for _, word := range words {
		for _, template := range templates {
			src := fmt.Sprintf(template, word, "")
			tokens, lexical := scan([]byte(src))
			if n, _ := parseAs("x.loop", []byte(src), tokens, lexical, nil, nil); n == nil {
				continue // the word is one of the language, too
			}
			tried++
			if n, diags := Parse("x.loop", []byte(src)); n == nil {
				t.Errorf("%s\n%s", src, rendered("x.loop", src, diags))
			}
			src = fmt.Sprintf(template, word, " + zmissing")
			_, diags := Parse("x.loop", []byte(src))
			diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Warning })
			if len(diags) != 1 || !strings.Contains(diags[0].Message, "zmissing") {
				t.Errorf("%s\n%s", src, rendered("x.loop", src, diags))
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d names were tried", tried)
	}
}
