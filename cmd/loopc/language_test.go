package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/ir/irtest"
)

// TestLanguage runs the nests of testdata/language, at least one for each construct of the
// language, and those of testdata/repro, which once failed, under random plans. It compares every
// bit with the interpreter.
func TestLanguage(t *testing.T) {
	t.Parallel()
	var files []string
	for _, folder := range []string{"language", "repro"} {
		found, err := filepath.Glob("../../testdata/" + folder + "/*.loop")
		if err != nil || len(found) == 0 {
			t.Fatalf("no nests in %s: %v", folder, err)
		}
		files = append(files, found...)
	}
	rng := rand.New(rand.NewPCG(6, 1))
	var nests []builtNest
	plans := irtest.OfAll(24, 6)
	some := files[:0]
	for k := 0; k < len(files); k += irtest.OfAll(1, 2) {
		some = append(some, files[k])
	}
	for _, file := range some {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".loop")
		b, ok := buildProgram(t, strings.ReplaceAll(name, "_", ""), string(src), rng, plans)
		if !ok {
			t.Fatalf("%s is refused", file)
		}
		b.job.TCP = 4
		nests = append(nests, b)
	}
	for k, r := range runNests(t, nests) {
		if r.Ran < plans*2/5 {
			t.Errorf("%s: only %d plans were run", some[k], r.Ran)
		}
	}
}
