package frontend

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
)

var updatePolyBench = flag.Bool("update-polybench", false, "write the table of testdata/polybench")

// TestPolyBench compiles the 30 kernels of PolyBench/C 4.2.1 as their loops stand, and the other forms that some have. It compares all with the loops as they stand, and compares the table in testdata/polybench/README.md with what it has found.
func TestPolyBench(t *testing.T) {
	files, err := filepath.Glob("../testdata/polybench/*.loop")
	if err != nil || len(files) != 30 {
		t.Fatalf("%d kernels: %v", len(files), err)
	}
	accepted := 0
	var rows strings.Builder
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".loop")
		form, err := os.ReadFile("../testdata/polybench/forms/" + name + ".loop")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		var other *ir.Program
		var more []diag.Diagnostic
		if form != nil {
			if other, more = formAsStands(t, name+".loop", string(src), string(form)); other == nil {
				t.Errorf("the form of %s is refused: %v", name, more)
				continue
			}
		}
		p, diags := sameAsStands(t, name+".loop", string(src))
		if formatted, _ := Format(name, src); string(formatted) != string(src) {
			t.Errorf("loopc fmt makes of %s\n%s", name, formatted)
		}
		if p != nil {
			accepted++
			fmt.Fprintf(&rows, "| %s | as it stands | %d | |\n", name, len(p.Nests))
			continue
		}
		if other == nil {
			t.Errorf("%s is refused, and has no other form", name)
			continue
		}
		for _, d := range diags {
			if d.Severity == diag.Error {
				fmt.Fprintf(&rows, "| %s | in another form | %d | line %d: %s |\n", name, len(other.Nests), d.At.Line, strings.ReplaceAll(d.Message, "|", "\\|"))
				break
			}
		}
	}
	const least = 29
	if accepted < least {
		t.Errorf("%d kernels are accepted, not %d", accepted, least)
	}
	const readme = "../testdata/polybench/README.md"
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "| kernel ")
	want := head + "| kernel | accepted | nests | what refuses it |\n|---|---|---|---|\n" + rows.String()
	if *updatePolyBench {
		if err := os.WriteFile(readme, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Errorf("%s does not say what was found; -update-polybench writes\n%s", readme, want)
	}
}

// TestMadeArraysComeLast compiles a nest whose scalar becomes an array. The arrays of the file keep their
// numbers: random content depends on them.
func TestMadeArraysComeLast(t *testing.T) {
	p, diags := CompileProgram("x.loop", []byte(`param N = 5
array a[1..N, 1..N] float64 in
array b[1..N, 1..N] float64 out

for i = 1..N {
	var s float64 = 0
	for j = 1..N {
		s += a[i,j]
	}
	for j = 1..N {
		b[i,j] = a[i,j]/s
	}
}
`))
	if diag.HasErrors(diags) {
		t.Fatal(diags)
	}
	var names []string
	for _, a := range p.Arrays {
		names = append(names, a.Name)
	}
	if len(names) < 3 || names[0] != "a" || names[1] != "b" {
		t.Errorf("the arrays are %v", names)
	}
}
