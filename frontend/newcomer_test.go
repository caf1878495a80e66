package frontend

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// TestNewcomers compiles nests as programmers of C, Fortran or Python first write them, with some
// ten mistakes each. It compares the diagnostics of NAME.txt with NAME.want, which a person has
// read and found helpful; lines of --- divide its programs. Few of them may be plain syntax errors, which do not say what to write
// instead.
func TestNewcomers(t *testing.T) {
	files, err := filepath.Glob("testdata/newcomer/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d nests: %v", len(files), err)
	}
	told, syntax := 0, 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		for k, program := range strings.Split(string(src), "\n---\n") {
			if k > 0 {
				fmt.Fprintf(&got, "---- %d\n", k+1)
			}
			_, diags := CompileProgram("x.loop", []byte(program))
			for at := 0; at < len(diags); at += diag.MaxShown { // all of them
				if err := diag.Render(&got, "x.loop", []byte(program), diags[at:min(at+diag.MaxShown, len(diags))]); err != nil {
					t.Fatal(err)
				}
			}
			for _, d := range diags {
				told++
				if d.Code == diag.Syntax {
					syntax++
				}
			}
		}
		irtest.Golden(t, strings.TrimSuffix(file, ".txt")+".want", got.Bytes())
	}
	if told < 80 || syntax > told/20 {
		t.Errorf("%d mistakes are told, %d of them as syntax", told, syntax)
	}
}
