package irtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoldenComplains checks the errors for a golden file that is missing, and for one that
// differs, and that there is none for one that agrees.
func TestGoldenComplains(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.txt")
	if got := compare(path, []byte("a\n")); !strings.Contains(got, "-update") || !strings.Contains(got, path) {
		t.Errorf("a missing file is reported as %q", got)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a missing file was created")
	}
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ got, want string }{
		{"one\ntwo\nthree\n", ""},
		{"one\ntoo\nthree\n", ":2: differs (-update accepts it)\n got \"too\"\nwant \"two\""},
		{"one\ntwo\n", ":3: differs (-update accepts it)\n got \"\"\nwant \"three\""},
		{"one\ntwo\nthree", ":4: differs (-update accepts it)\n got (end of text)\nwant \"\""},
	} {
		got := compare(path, []byte(test.got))
		if test.want == "" && got != "" || !strings.HasSuffix(got, test.want) {
			t.Errorf("%q: %q, want %q", test.got, got, test.want)
		}
	}
}
