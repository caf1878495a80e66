package frontend

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// TestMended makes mistakes in correct nests, for which the compiler once gave misleading hints or
// no diagnostic at all. Each must have one, as in NAME.want, which a person has read since. Then
// TestMended applies all replacements for a mistake together, and drops what is to be left out: the
// changed lines must have no new errors.
func TestMended(t *testing.T) {
	files, err := filepath.Glob("testdata/mended/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d nests: %v", len(files), err)
	}
	mistakes, cured := 0, 0
	first, end := irtest.Part(6, 1) // of six files
	for k, file := range files {
		if k%6 < first || k%6 >= end {
			continue
		}
		eachHabit(t, file, func(h habit, diags []diag.Diagnostic) {
			mistakes++
			if len(diags) == 0 {
				t.Errorf("%s: nothing is said of %q", file, h.wrong)
			}
			src, lines := withCures(h.src, diags)
			_, after := CompileProgram("x.loop", []byte(src))
			for _, d := range after {
				old := slices.ContainsFunc(diags, func(x diag.Diagnostic) bool { return x.Code == d.Code && x.Message == d.Message })
				if lines[d.At.Line] && !old && d.Severity == diag.Error && d.Code != diag.NotSupplied {
					t.Errorf("%s: the hints for %q make it\n%s\n%s", file, h.wrong, src, rendered("x.loop", src, []diag.Diagnostic{d}))
				}
			}
			if len(lines) > 0 {
				cured++
			}
		})
	}
	if mistakes < 80*(end-first) || cured < 30*(end-first) {
		t.Errorf("%d mistakes, %d of them with replacements; the test proves little", mistakes, cured)
	}
}

// withCures returns a source with the replacements of diagnostics applied and with what is to be
// left out dropped, and the changed lines.
func withCures(src string, diags []diag.Diagnostic) (string, map[int]bool) {
	lines, touched := strings.Split(src, "\n"), map[int]bool{}
	for _, d := range slices.Backward(diags) {
		at, text := d.Replace, d.Hint
		switch {
		case d.Kind == diag.Advice && d.Hint == leaveOut:
			at, text = d.At, ""
		case d.Kind != diag.Replacement || d.Hint == "":
			continue
		}
		l := []rune(lines[at.Line-1])
		lines[at.Line-1] = string(l[:at.Col-1]) + text + string(l[min(len(l), at.Col-1+at.Len):])
		touched[at.Line] = true
	}
	return strings.Join(lines, "\n"), touched
}
