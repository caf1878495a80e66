package main

import (
	"os"
	"strings"
	"testing"

	"loopc/codegen"
)

// TestReadmeNamesFiles requires that the README, and the help of compile, name every file
// that a compilation may write.
func TestReadmeNamesFiles(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	help := (&compileCommand{}).Help()
	for _, suffix := range codegen.Suffixes {
		if !strings.Contains(string(text), "`seidel"+suffix+"`") {
			t.Errorf("README.md does not name seidel%s", suffix)
		}
		if !strings.Contains(help, "FILE"+suffix) {
			t.Errorf("loopc help compile does not name FILE%s:\n%s", suffix, help)
		}
	}
	for _, other := range []string{"go.mod", vendorFolder} {
		if !strings.Contains(string(text), "`"+other+"`") || !strings.Contains(help, other) {
			t.Errorf("README.md or loopc help compile does not name %s", other)
		}
	}
	if !strings.Contains(string(text), "`--kernel portable|avx2|avx512`") {
		t.Error("README.md does not say how to choose a kernel")
	}
}
