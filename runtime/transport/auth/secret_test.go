package auth_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"loopc/runtime/transport/auth"
)

// What is written of a secret can be read again, and nothing else is a secret.
func TestSecretText(t *testing.T) {
	s := auth.NewSecret()
	if s == auth.NewSecret() {
		t.Error("two secrets are the same")
	}
	if got, err := auth.ParseSecret(" " + s.Line()); err != nil || got != s {
		t.Errorf("a secret is not read as written: %v", err)
	}
	for _, text := range []string{"", "sesame", s.Text()[1:], s.Text() + "00", strings.Repeat("0", 64), strings.Repeat("x", 64)} {
		got, err := auth.ParseSecret(text)
		if err == nil || !got.IsZero() {
			t.Errorf("%q is taken for a secret", text)
		} else if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("the error shows the text: %v", err)
		}
	}
}

// A secret shows itself nowhere where it is printed by accident.
func TestSecretIsNotPrinted(t *testing.T) {
	s := auth.NewSecret()
	type config struct{ Secret auth.Secret }
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n", s)
		fmt.Fprintf(&out, verb+"\n", config{s})
		fmt.Fprintf(&out, verb+"\n", &config{s})
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("text", "secret", s, "config", config{s})
	slog.New(slog.NewJSONHandler(&out, nil)).Info("json", "secret", s, "config", config{s})
	if err := json.NewEncoder(&out).Encode(config{s}); err != nil {
		t.Fatal(err)
	}
	raw, decimal := s.Text(), []string{}
	for k := 0; k < 8; k += 2 {
		b, err := strconv.ParseUint(raw[k:k+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		decimal = append(decimal, strconv.FormatUint(b, 10))
	}
	for _, secret := range []string{raw[:8], strings.ToUpper(raw[:8]), strings.Join(decimal, " ")} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q is part of the secret and printed in:\n%s", secret, out.String())
		}
	}
}

// spent are files whose descriptors were closed behind their back. They must not
// be collected, or whoever gets their numbers next is closed, too.
var spent []*os.File

// The first source that has a secret is believed, a variable is gone once it was
// looked at, also where another one was believed, and of a descriptor no more is
// read than the secret.
func TestLoadSecret(t *testing.T) {
	inPipe, inFile, inVariable := auth.NewSecret(), auth.NewSecret(), auth.NewSecret()
	file := filepath.Join(t.TempDir(), "secret")
	if err := inFile.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		descriptor, file, variable string
		want                       auth.Secret
	}{
		{"0", file, inVariable.Text(), inPipe},
		{"", file, inVariable.Text(), inFile},
		{"", "", inVariable.Text(), inVariable},
		{"", "", "", auth.Secret{}},
	} {
		t.Setenv(auth.EnvDescriptor, c.descriptor)
		t.Setenv(auth.EnvFile, c.file)
		t.Setenv(auth.EnvSecret, c.variable)
		stdin := strings.NewReader(inPipe.Line() + "and the job")
		got, err := auth.LoadSecret(auth.FromEnvironment(stdin)...)
		if err != nil || got != c.want {
			t.Errorf("%q, %q, variable %t: another secret, %v", c.descriptor, c.file, c.variable != "", err)
		}
		if rest, err := io.ReadAll(stdin); c.descriptor != "" && string(rest) != "and the job" {
			t.Errorf("after the secret there is %q, %v", rest, err)
		}
		for _, name := range []string{auth.EnvDescriptor, auth.EnvFile, auth.EnvSecret} {
			if value, ok := os.LookupEnv(name); ok {
				t.Errorf("%s is still %q", name, value)
			}
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := write.WriteString(inPipe.Line()); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	if runtime.GOOS != "windows" { // where a process inherits no numbers
		t.Setenv(auth.EnvDescriptor, strconv.Itoa(int(read.Fd())))
		if got, err := auth.LoadSecret(auth.FromEnvironment(nil)...); err != nil || got != inPipe {
			t.Errorf("from a pipe: another secret, %v", err)
		}
		spent = append(spent, read)
	}
	wrong := map[string][2]string{
		"no descriptor":  {auth.EnvDescriptor, "three"},
		"half a line":    {auth.EnvDescriptor, "0"},
		"no such file":   {auth.EnvFile, filepath.Join(t.TempDir(), "absent")},
		"a folder":       {auth.EnvFile, t.TempDir()},
		"a short secret": {auth.EnvSecret, "sesame"},
	}
	for name, c := range wrong {
		t.Setenv(c[0], c[1])
		got, err := auth.LoadSecret(auth.FromEnvironment(strings.NewReader(inPipe.Text()))...)
		if err == nil || !got.IsZero() || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%s: %v, want an error that names %s", name, err, c[0])
		}
		if _, ok := os.LookupEnv(c[0]); ok {
			t.Errorf("%s: %s is still set", name, c[0])
		}
	}
}

// A file that others can read is no place for a secret.
func TestFileModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing about who has access on Windows")
	}
	name := filepath.Join(t.TempDir(), "secret")
	s := auth.NewSecret()
	if err := s.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFile(name); err == nil {
		t.Error("a file that is there already is written to")
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("written with mode %v, %v", info.Mode(), err)
	}
	// In a test run by root, a file of root may be readable for its group.
	for mode, want := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o644: false, 0o604: false, 0o620: false, 0o660: false, 0o640: os.Geteuid() == 0} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		got, err := auth.ReadFile(name)
		if (err == nil) != want || want && got != s {
			t.Errorf("mode %04o: %v", mode, err)
		}
		if !want && !strings.Contains(fmt.Sprint(err), "others have access") {
			t.Errorf("mode %04o: %v does not say what is wrong", mode, err)
		}
	}
}
