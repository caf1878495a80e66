//go:build unix

package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script writes a program that acts as an emitted one.
func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestKernelKinds checks which kernel is asked for, and which one is named, for
// programs without and with a choice.
func TestKernelKinds(t *testing.T) {
	list, err := chosen([]string{"sw_table"})
	if err != nil {
		t.Fatal(err)
	}
	n := list[0] // 21 x 17 iterations
	const (
		noFlag = `case "$*" in *--kernel*) exit 2;; esac
echo '{"seconds":1,"points":357} and more'`
		flag = `case "$*" in *"--kernel avx512"*) exit 1;; esac
echo '{"seconds":1,"points":357}'`
		tells = `echo '{"seconds":1,"points":357,"kernel":"avx2"}'`
	)
	for _, c := range []struct {
		text, ask, wanted, kernel string
	}{
		{noFlag, "", "", "portable"},
		{noFlag, "portable", "", "portable"},
		{flag, "", "avx2", "avx2 or slower"},
		{flag, "portable", "portable", "portable"},
		{tells, "", "avx512", "avx2"},
	} {
		e, err := newEmitted(t.Context(), n, script(t, c.text), c.ask)
		if err != nil {
			t.Errorf("%s asked for %q: %v", c.text, c.ask, err)
		} else if e.wanted != c.wanted || e.kernel != c.kernel {
			t.Errorf("%s asked for %q runs with --kernel %q as %q, want %q and %q", c.text, c.ask, e.wanted, e.kernel, c.wanted, c.kernel)
		}
	}
	var usage *UsageError
	if _, err := newEmitted(t.Context(), n, script(t, noFlag), "avx2"); !errors.As(err, &usage) {
		t.Errorf("a kernel that there is not is %v", err)
	}
	if _, err := newEmitted(t.Context(), n, script(t, flag), "avx512"); err == nil {
		t.Error("a kernel that does not run is no error")
	}
}

// TestEmittedFails checks that what a failed run says is passed on, and that a run
// of other iterations than expected is one.
func TestEmittedFails(t *testing.T) {
	list, err := chosen([]string{"sw_table"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"echo no memory >&2; exit 1":        "no memory",
		"echo nothing":                      "cannot be read",
		`echo '{"seconds":1,"points":356}'`: "356 iterations were run, not 357",
		"kill -KILL $$":                     "killed",
	} {
		if _, err := newEmitted(t.Context(), list[0], script(t, text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", text, err, want)
		}
	}
}
