package main

import (
	"bytes"
	"strings"
	"testing"
)

// Figures that a busy machine has made are not written, because plans by them may be worse, unless the user insists.
func TestDoubtfulFigures(t *testing.T) {
	for _, c := range []struct {
		force bool
		doubt string
		fails bool
	}{{false, "", false}, {true, "", false}, {false, "the machine was busy", true}, {true, "the machine was busy", false}} {
		var warnings bytes.Buffer
		err := (&calibrateCommand{Force: c.force}).judge(&app{stderr: &warnings}, "machine.json", c.doubt)
		if (err != nil) != c.fails || err != nil && !strings.Contains(err.Error(), "machine.json is as it was") {
			t.Errorf("%+v: %v", c, err)
		}
		if warned := warnings.Len() > 0; warned != (c.force && c.doubt != "") {
			t.Errorf("%+v: warning %q", c, &warnings)
		}
	}
}
