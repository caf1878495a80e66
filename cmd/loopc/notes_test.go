package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNotes: every note on measurements has an id and a date, and is listed; every note that Go
// code cites as "[note ID]" exists; and in ir, frontend, transform, codegen and runtime, except in
// tests, comments contain no measurements, and code names no processors but as examples ("such
// as").
func TestNotes(t *testing.T) {
	root := filepath.Join("..", "..")
	notes, err := filepath.Glob(filepath.Join(root, "testdata", "peers", "notes", "*.md"))
	if err != nil || len(notes) < 8 {
		t.Fatalf("only %d notes: %v", len(notes), err)
	}
	list := document(t, "testdata/peers/README.md")
	there := map[string]bool{}
	for _, name := range notes {
		id := strings.TrimSuffix(filepath.Base(name), ".md")
		there[id] = true
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head := regexp.MustCompile("^# .+\n\nNote `" + regexp.QuoteMeta(id) + "`, [^.]*[0-9]{4}\\. ")
		if !head.Match(text) {
			t.Errorf("%s does not begin with a title, its id and its date", name)
		}
		if !strings.Contains(list, "(notes/"+id+".md)") {
			t.Errorf("testdata/peers/README.md does not list the note %s", id)
		}
	}
	figures := regexp.MustCompile(`(?m)^\s*//.*([0-9] (ns|ms|us) instead of|, medians of |medians of [0-9]|ns/point)`)
	processors := regexp.MustCompile(`(?m)^.*(Xeon|EPYC|Zen [0-9]|Sapphire Rapids)`)
	cite := regexp.MustCompile(`\[note ([^\]]*)\]`)
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "notes_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		var said []string
		switch room, _, _ := strings.Cut(filepath.ToSlash(below), "/"); room {
		case "transform", "runtime", "codegen", "ir", "frontend":
			said = append(processors.FindAllString(string(text), -1), figures.FindAllString(string(text), -1)...)
		}
		for _, line := range said {
			if !strings.Contains(line, "such as") && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s: a measurement or a processor stands here; it belongs to a note, which a comment cites:\n%s", name, line)
			}
		}
		for _, m := range cite.FindAllStringSubmatch(string(text), -1) {
			if !there[m[1]] {
				t.Errorf("%s cites the note %q, which is not in testdata/peers/notes", name, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
