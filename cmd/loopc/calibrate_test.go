package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Figures that a busy machine has made are not written, because plans by them may be worse, unless the user insists.
func TestDoubtfulFigures(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there.json")
	if err := os.WriteFile(there, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		force      bool
		doubt      string
		fails      bool
		file, left string
	}{
		{false, "", false, "there.json", ""}, {true, "", false, "there.json", ""},
		{false, "the machine was busy", true, "there.json", "is as it was"}, {false, "the machine was busy", true, "new.json", "is not written"},
		{true, "the machine was busy", false, "there.json", ""},
	} {
		path := filepath.Join(dir, c.file)
		var warnings bytes.Buffer
		err := (&calibrateCommand{Force: c.force}).judge(&app{stderr: &warnings}, path, c.doubt)
		if (err != nil) != c.fails || err != nil && !strings.Contains(err.Error(), path+" "+c.left) {
			t.Errorf("%+v: %v", c, err)
		}
		if warned := warnings.Len() > 0; warned != (c.force && c.doubt != "") {
			t.Errorf("%+v: warning %q", c, &warnings)
		}
	}
}
