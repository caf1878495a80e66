package exampletest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"loopc/testdata/lacking"
)

// measure also runs the commands of documents that measure the machine. The stage predict of
// .ci/run sets it; without it, the script calibrate of cmd/loopc tests these commands.
var measure = flag.Bool("measure", false, "run the commands of documents that measure the machine, too")

// prelude is shell code that adapts the commands of documents, which are written for a clone of
// the project, to the folder of the test. loopc is installed already; go test does nothing,
// because these tests are running; and a measurement of the machine is short, or left out
// unless -measure is set.
const prelude = `set -e
go() {
	case "$1 $2" in
	"run ./cmd/loopc") shift 2; loopc "$@" ;;
	"install ./cmd/loopc" | "test ./...") ;;
	*) command go "$@" ;;
	esac
}
loopc() {
	case "$1" in
	calibrate) [ -z "$MEASURE" ] || command loopc "$@" --quick --force ;;
	*) command loopc "$@" ;;
	esac
}
`

// standIn stands in for ssh: it runs the command, its last argument, by the shell
// of this host, from another folder.
const standIn = `#!/bin/sh
while [ "$1" != -- ]; do shift; done
cd /
SSH_CONNECTION="127.0.0.1 1 127.0.0.1 22" exec sh -c "$3"
`

// A block is a fenced part of a document: its language, the rest of the line, and its text.
type block struct{ language, rest, text string }

// blocks returns the fenced parts of a document, in order.
func blocks(document string) (all []block) {
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*) *([^\n]*)\n(.*?)^```$").FindAllStringSubmatch(document, -1) {
		all = append(all, block{m[1], m[2], m[3]})
	}
	return all
}

// Document follows a document as a reader would, block by block, and returns how many commands
// it ran. A block "LANGUAGE FILE" becomes the file; "sh" is a list of commands; "sh TOOL" is a
// list that needs a tool; and "text" without a file must equal the output of the commands
// before, line by line, except for times.
func (l *Loopc) Document(t *testing.T, name string) (commands int) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	ssh := filepath.Join(l.bin, "ssh-stand-in")
	if err := os.WriteFile(ssh, []byte(standIn), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(l.bin, "loopc")); err != nil {
		if err := os.Symlink(l.program("loopc"), filepath.Join(l.bin, "loopc")); err != nil {
			t.Fatal(err)
		}
	}
	environ := append(l.environ,
		"PATH="+l.bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "LOOPC_SSH="+ssh, "GOFLAGS=-trimpath -gcflags=all=-dwarf=false", "GOPROXY=off", "CGO_ENABLED=0",
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
	if *measure {
		environ = append(environ, "MEASURE=true")
	}
	var printed string
	for _, b := range blocks(string(text)) {
		switch {
		case b.language == "sh":
			commands += strings.Count(b.text, "\n")
			if tool := b.rest; tool != "" && tool != "ssh" && l.lacks(t, tool) {
				continue
			}
			c := exec.Command("sh", "-c", prelude+b.text)
			c.Dir, c.Env = l.dir, environ
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v, of these commands:\n%s%s", name, err, b.text, out)
			}
			printed = string(out)
		case b.rest != "":
			file := filepath.Join(l.dir, filepath.FromSlash(b.rest))
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(b.text), 0o666); err != nil {
				t.Fatal(err)
			}
		case b.language == "text":
			if line := broken(b.text, printed); line != "" {
				t.Errorf("%s promises, in its place,\n%sbut its commands print\n%s", name, line, printed)
			}
		}
	}
	return commands
}

// lacks reports whether a tool is missing that a document uses. That is an error where
// everything must be tested.
func (l *Loopc) lacks(t *testing.T, tool string) bool {
	if tool == "numpy" && l.python() || tool != "numpy" && there(tool) {
		return false
	}
	lacking.Note(t, "not tested: what needs "+tool+", which is missing")
	return true
}

// there reports whether a tool is installed.
func there(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}

// python lets documents run a python3 that has NumPy. It reports whether there is one.
func (l *Loopc) python() bool {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err != nil || exec.Command(path, "-c", "import numpy").Run() != nil {
			continue
		}
		script := "#!/bin/sh\nexec " + path + " \"$@\"\n"
		return os.WriteFile(filepath.Join(l.bin, "python3"), []byte(script), 0o700) == nil
	}
	return false
}

// runDocuments runs the commands of documents, each of which has at least so many.
func runDocuments(t *testing.T, l *Loopc, leastCommands map[string]int) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for sh")
	}
	if err := os.Symlink(filepath.Join(l.root, "examples"), filepath.Join(l.dir, "examples")); err != nil {
		t.Fatal(err)
	}
	for name, least := range leastCommands {
		if n := l.Document(t, filepath.Join(l.root, filepath.FromSlash(name))); n < least {
			t.Errorf("%s has %d commands, and there were %d once", name, n, least)
		}
	}
}
