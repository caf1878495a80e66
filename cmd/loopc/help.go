package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"loopc/ir/diag"
)

// A helpCommand shows what a command does, or the reference of the language.
type helpCommand struct {
	Topic []string `arg:"" optional:"" help:"A command; or language, and if only one section of it is wanted, its title."`
}

// Run prints help about the topic.
func (c *helpCommand) Run(a *app, parser *kong.Kong) error {
	if len(c.Topic) > 0 && c.Topic[0] == "language" {
		return c.language(a.stdout)
	}
	if _, err := parser.Parse(append(slices.Clone(c.Topic), "--help")); err != nil {
		return usagef("%v", err)
	}
	return nil
}

// language prints the language reference, or the section that is asked for.
func (c *helpCommand) language(w io.Writer) error {
	sections := languageHelp
	if len(c.Topic) > 1 {
		wanted := strings.Join(c.Topic[1:], " ")
		k := slices.IndexFunc(sections, func(s languageSection) bool { return s.Title == wanted })
		if k < 0 {
			titles := sectionTitles()
			err := fmt.Sprintf("the language has no section %s", wanted)
			if near := diag.Nearest(wanted, titles); near != "" {
				return usagef("%s; did you mean %s?", err, near)
			}
			return usagef("%s; there are: %s", err, strings.Join(titles, ", "))
		}
		sections = sections[k : k+1]
	}
	var text strings.Builder
	for k, s := range sections {
		if k > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "%s\n\n", strings.ToUpper(s.Title))
		for line := range strings.Lines(s.Text + "\n\n" + s.Example) {
			if line != "\n" {
				text.WriteString("    ")
			}
			text.WriteString(line)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// sectionTitles returns the titles of the language reference, in its order.
func sectionTitles() []string {
	var titles []string
	for _, s := range languageHelp {
		titles = append(titles, s.Title)
	}
	return titles
}
