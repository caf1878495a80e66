package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/testdata/lacking"
)

// completionCases are beginnings of command lines, and some of what must be offered
// for the last word, and what must not.
var completionCases = []struct {
	line, want, not string
}{
	{"loopc co", "compile completion", "run"},
	{"loopc run --tr", "--transport --trace", "--tile"},
	{"loopc run --comm ", "overlap blocking buffered", "--comm wave.loop"},
	{"loopc run ", "wave.loop", "data.txt"},
	{"loopc run --summary da", "data.txt", "wave.loop"},
	{"loopc plan wave.loop --as", "--assign", "--tile"},
	{"loopc help lang", "language", "run"},
	{"loopc help language red", "reduce", "language"},
	{"loopc help words ret", "retile", "cyclic"},
	{"loopc completion ", "bash zsh fish", "wave.loop"},
	{"loopc compile --no-", "--no-main", "--main"},
}

// shell prepares a folder with the completion script of a shell and two files, and
// returns how to run a script of the test in it. Without the shell the test is
// skipped, but fails with CI=true.
func shell(t *testing.T, name string) func(script string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		lacking.Skipf(t, "%s is not in PATH: .ci/run tools installs it", name)
	}
	dir := t.TempDir()
	var script, complaints strings.Builder
	a := &app{stdout: &script, stderr: &complaints}
	if status := a.main([]string{"completion", name}); status != exitDone {
		t.Fatalf("exit status %d\n%s", status, &complaints)
	}
	for file, text := range map[string]string{"completion": script.String(), "wave.loop": "", "data.txt": ""} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return func(script string) string {
		t.Helper()
		c := exec.Command(path, "-c", script)
		c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
}

// checkOffers fails the test if the words, with or without a description behind a
// tab, are not those that are wanted.
func checkOffers(t *testing.T, line, want, not, got string) {
	t.Helper()
	var offers []string
	for offer := range strings.Lines(got) {
		offer, _, _ = strings.Cut(strings.TrimSpace(offer), "\t")
		offers = append(offers, offer)
	}
	for _, w := range strings.Fields(want) {
		if !slices.Contains(offers, w) {
			t.Errorf("for %q these are offered, and not %s: %q", line, w, offers)
		}
	}
	for _, w := range strings.Fields(not) {
		if slices.Contains(offers, w) {
			t.Errorf("for %q these are offered, %s too: %q", line, w, offers)
		}
	}
}

// TestBashCompletion calls the function of the script as bash does.
func TestBashCompletion(t *testing.T) {
	run := shell(t, "bash")
	for _, c := range completionCases {
		words := strings.Split(c.line, " ")
		script := "source completion\nCOMP_WORDS=('" + strings.Join(words, "' '") + "')\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n" +
			"_loopc\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
		checkOffers(t, c.line, c.want, c.not, run(script))
	}
}

// TestFishCompletion asks fish for its completions with the script.
func TestFishCompletion(t *testing.T) {
	run := shell(t, "fish")
	for _, c := range completionCases {
		checkOffers(t, c.line, c.want, c.not, run("source completion\ncomplete -C '"+c.line+"'\n"))
	}
}

// TestZshCompletion lets zsh read the script and enter its function; what it offers
// can only be seen in a terminal.
func TestZshCompletion(t *testing.T) {
	run := shell(t, "zsh")
	script := "autoload -U compinit && compinit -u -d dump && zsh -n completion && source ./completion\nprint -r -- $_comps[loopc]\n"
	if got := run(script); got != "_loopc\n" {
		t.Errorf("the function that completes loopc is %q", got)
	}
	if text := run("cat completion"); !strings.Contains(text, "'--comm[Whether messages travel while tiles are computed]:value:(overlap blocking buffered)'") {
		t.Errorf("--comm is not offered with its values:\n%s", text)
	}
}
