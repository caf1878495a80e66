package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the assembly of runtime/simd")

// TestWritten: the assembly of runtime/simd must be the output of this command.
func TestWritten(t *testing.T) {
	name := filepath.Join("..", "..", "runtime", "simd", "interleaver_amd64.s")
	want, err := assembly()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the command writes: go test ./codegen/interleave -update", name)
	}
}
