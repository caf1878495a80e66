package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse checks that no input makes Parse or Format panic, and that what
// parses survives printing and formatting.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*.loop", "../testdata/diag/*.loop"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for _, chunk := range strings.Split(string(src), "\n---\n") {
				f.Add([]byte(chunk))
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		n, diags := Parse("fuzz.loop", src)
		rendered("fuzz.loop", string(src), diags)
		if n != nil {
			checkRoundTrips(t, "fuzz.loop", string(src), n)
			return
		}
		if formatted, _ := Format("fuzz.loop", src); formatted != nil {
			again, diags := Format("fuzz.loop", formatted)
			if string(again) != string(formatted) {
				t.Fatalf("formatting again changes\n%s\nto\n%s\n%s", formatted, again, rendered("fuzz.loop", string(formatted), diags))
			}
		}
	})
}
