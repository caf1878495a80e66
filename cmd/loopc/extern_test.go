package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUsersModuleOfAnyName: Go must find all packages of a program whose nest calls functions of
// the user's module, whatever the module is called: like the program's module, like a package of
// it, or one word. Modules that the nest does not need are not required.
func TestUsersModuleOfAnyName(t *testing.T) {
	for _, module := range []string{cachedModule, cachedModule + "/physics", "physics", "example.com/physics"} {
		folder := t.TempDir()
		for name, text := range map[string]string{
			"go.mod":           "module " + module + "\n\ngo 1.26\n",
			"cool.go":          "package physics\n\nimport \"" + module + "/runtime/cli\"\n\nfunc Cool(x float64) float64 { return cli.Half(x) }\n",
			"runtime/cli.go":   "package runtime\n",
			"runtime/cli/a.go": "package cli\n\nfunc Half(x float64) float64 { return x / 2 }\n",
		} {
			putIn(t, folder, name, []byte(text))
		}
		a := &app{stderr: &bytes.Buffer{}}
		keyOf := func(function string) *buildKey {
			text := "param N = 20\nextern func cool(x float64) float64 = " + function +
				"\narray u[0..N, 0..N] float64 out\ninit u[i, j] = i - 2*j\nfor i = 1..N, j = 1..N {\n\tu[i,j] = cool(u[i-1,j]) + u[i,j-1]\n}\n"
			l, err := a.lower(&source{path: filepath.Join(folder, "nest.loop"), name: "nest", text: []byte(text)}, false)
			if err != nil {
				t.Fatalf("%v\n%s", err, a.stderr)
			}
			k, err := a.buildKey(l, "", a.generateWarned)
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		cache := t.TempDir()
		program := filepath.Join(cache, "program")
		k := keyOf(`"` + module + `".Cool`)
		for folder, files := range map[string]map[string][]byte{program: k.files, filepath.Join(cache, k.runtime.name): k.runtime.files} {
			if err := writeAll(folder, files); err != nil {
				t.Fatal(err)
			}
		}
		list := exec.Command("go", "list", "-deps", ".")
		list.Dir, list.Env = program, k.environ(program)
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			t.Errorf("the user's module is %s: %v", module, err)
		}
		if listed := "\n" + string(out); !strings.Contains(listed, "\n"+module+"\n") || !strings.Contains(listed, "/"+vendorFolder+"/runtime/cli\n") {
			t.Errorf("the user's module is %s, and the program has the packages\n%s", module, out)
		}
		if other := keyOf(`"math".Cbrt`); bytes.Contains(other.files["go.mod"], []byte("require")) || !bytes.Contains(other.files["go.mod"], []byte("module "+cachedModule+"\n")) {
			t.Errorf("the user's module is %s, and a program without it has the go.mod\n%s", module, other.files["go.mod"])
		}
	}
}
