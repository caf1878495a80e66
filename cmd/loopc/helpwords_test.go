package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestHelpWords requires that the list of words defines each term once, fits a
// terminal, and has every value of the flags that decide a plan.
func TestHelpWords(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range wordsHelp {
		for _, name := range s.names() {
			if seen[name] {
				t.Errorf("%s is defined twice", name)
			}
			seen[name] = true
		}
		for line := range strings.Lines(s.Text + "\n" + s.Example) {
			if len([]rune(strings.TrimSuffix(line, "\n"))) > 76 {
				t.Errorf("%s: this line is too wide:\n%s", s.Title, line)
			}
		}
		for _, name := range s.names() {
			if !strings.Contains(strings.ToLower(s.Text), strings.ToLower(name)) {
				t.Errorf("%s: the text does not say what %s is", s.Title, name)
			}
		}
	}
	all := ""
	for _, s := range wordsHelp {
		all += s.Text + "\n"
	}
	for _, term := range []string{"level", "tile", "column", "map", "group", "retile", "cyclic", "mirror", "snake", "cluster", "overlap", "hyperplane", "face", "halo", "rank"} {
		if !seen[term] {
			t.Errorf("%s is not defined", term)
		}
	}
	parser := newParser()
	for _, c := range parser.Model.Children {
		if c.Name != "plan" {
			continue
		}
		for _, f := range c.Flags {
			values := alternatives.FindString(f.PlaceHolder)
			if f.Name == "assign" {
				_, values, _ = strings.Cut(f.Help, ": ")
			}
			for _, value := range regexp.MustCompile(`[a-z0-9]+`).FindAllString(values, -1) {
				if value != "or" && !regexp.MustCompile(`\b`+value+`\b`).MatchString(all) {
					t.Errorf("no word of the list is %s, a value of --%s", value, f.Name)
				}
			}
		}
	}
}
