package exampletest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// measured matches the parts of the output that differ from run to run, and from machine to
// machine.
var measured = regexp.MustCompile(`in \S+ s, \S+ GPts/s|x \d+ CPUs?|\(\S+ here, \S+ sequentially\)|\d+ steps?\)`)

// Readme runs the commands in the README.md beside the test. They must print the lines that the
// README shows, in the same order, except for times, CPUs and steps. Other lines may come
// between.
func (l *Loopc) Readme() {
	l.t.Helper()
	b, err := os.ReadFile("README.md")
	if err != nil {
		l.t.Fatal(err)
	}
	commands, want := l.fenced(string(b), "sh"), l.fenced(string(b), "text")
	var printed strings.Builder
	for command := range strings.Lines(commands) {
		printed.WriteString(l.command(command))
	}
	if line := broken(want, printed.String()); line != "" {
		l.t.Fatalf("README.md promises, in its place,\n%sbut its commands print\n%s", line, printed.String())
	}
}

// broken returns the first line of promise that is not in printed behind the lines before it,
// or "".
func broken(promise, printed string) string {
	for line := range strings.Lines(promise) {
		pattern := regexp.QuoteMeta(measured.ReplaceAllString(strings.TrimSpace(line), "\x00"))
		pattern = strings.ReplaceAll(pattern, "\x00", "("+measured.String()+")")
		at := regexp.MustCompile(`(?m)^` + pattern + `$`).FindStringIndex(printed)
		if at == nil {
			return line
		}
		printed = printed[at[1]:]
	}
	return ""
}

// fenced returns the first block of the given language in a document.
func (l *Loopc) fenced(document, language string) string {
	l.t.Helper()
	_, block, begun := strings.Cut(document, "\n```"+language+"\n")
	block, _, ended := strings.Cut(block, "```\n")
	if !begun || !ended || block == "" {
		l.t.Fatalf("README.md has no block of %s", language)
	}
	return block
}

// command runs one line of a README and returns its output. The line is written for the root of
// the project; here its files are files of the test.
func (l *Loopc) command(line string) string {
	l.t.Helper()
	line, _, _ = strings.Cut(line, " # ")
	words := strings.Fields(line)
	if len(words) < 3 || words[0] != "go" || words[1] != "run" {
		l.t.Fatalf("not a command that the test can run: %s", line)
	}
	folder := strings.TrimPrefix(words[2], "./")
	program := filepath.Base(folder)
	if _, err := os.Stat(l.program(program)); err != nil {
		l.build(program, folder)
	}
	args := words[3:]
	for k, arg := range args {
		if strings.HasPrefix(arg, "examples/") {
			args[k] = filepath.Join(l.root, filepath.FromSlash(arg))
		}
	}
	return l.exec(program, args...)
}
