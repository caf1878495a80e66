package main

import (
	"go/token"
	"os/exec"
	"slices"
	"strings"
	"testing"

	modname "golang.org/x/mod/module"

	"loopc/codegen"
)

// platforms returns the systems and processors that Go builds for.
func platforms(t *testing.T) (all [][2]string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Fields(string(out)) {
		system, processor, _ := strings.Cut(line, "/")
		all = append(all, [2]string{system, processor})
	}
	if len(all) < 30 {
		t.Fatalf("go tool dist list has %d platforms", len(all))
	}
	return all
}

// TestEmittedNames asks go/build about every file that may be emitted, for sources whose names
// contain a system, a processor, or another word with a meaning to Go, in every place. Files for
// amd64 must be built for amd64 on every system, and for no other processor; all others must be
// built everywhere.
func TestEmittedNames(t *testing.T) {
	all := platforms(t)
	words := strings.Fields("test loop levels vendor internal testdata unix cgo documentation main _ héat 加热 2d func a-b")
	for _, p := range all {
		words = append(words, p[0], p[1], p[0]+"_"+p[1])
	}
	slices.Sort(words)
	suffixes := slices.Clone(codegen.Suffixes)
	for _, pattern := range codegen.PartSuffixes() {
		suffixes = append(suffixes, strings.ReplaceAll(pattern, "*", "7"))
	}
	for _, word := range slices.Compact(words) {
		for _, stem := range []string{word, "x_" + word, "_" + word, word + ".y", "x_" + word + ".y", "y." + word, "x_" + word + "_test", "x_" + word + "_y"} {
			if fault := nameFault(stem); fault != "" {
				t.Errorf("a source %s%s is refused: %s", stem, extension, fault)
			}
			for _, suffix := range suffixes {
				name := emittedName(stem, suffix)
				for _, p := range all {
					if got, want := goBuilds(name, p[0], p[1]), p[1] == "amd64" || !strings.Contains(suffix, "_amd64"); got != want {
						t.Errorf("%s of %s%s: built for %s/%s is %t, want %t", name, stem, extension, p[0], p[1], got, want)
					}
				}
			}
			if err := modname.CheckImportPath(moduleName(stem) + "/" + vendorFolder); err != nil || moduleName(stem) == "vendor" {
				t.Errorf("the module of %s%s: %s, %v", stem, extension, moduleName(stem), err)
			}
			if !token.IsIdentifier(packageName(stem)) {
				t.Errorf("the package of %s%s: %s", stem, extension, packageName(stem))
			}
		}
	}
}
