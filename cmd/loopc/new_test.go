package main

import (
	"io"
	"strings"
	"testing"

	"loopc/frontend"
)

// TestStarter compiles what loopc new writes, without any diagnostic, and requires
// the layout of loopc fmt.
func TestStarter(t *testing.T) {
	var complaints strings.Builder
	a := &app{stdout: io.Discard, stderr: &complaints}
	if _, err := a.lower(&source{path: "starter.loop", name: "starter", text: []byte(starter)}, true); err != nil {
		t.Errorf("%v\n%s", err, &complaints)
	}
	if formatted, _ := frontend.Format("starter.loop", []byte(starter)); string(formatted) != starter {
		t.Errorf("loopc fmt makes of the starter\n%s", formatted)
	}
}
