package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"loopc/ir/diag"
)

// A helpCommand shows what a command does, or a reference.
type helpCommand struct {
	Topic []string `arg:"" optional:"" help:"A command, language or words. The title of a section may follow the last two."`
}

// A helpSection is one entry of a reference: an explanation, and an example or a drawing.
type helpSection struct {
	Title   string // a few words, by which loopc help REFERENCE TITLE finds it; commas separate several titles
	Text    string // plain text, at most 76 columns wide
	Example string
}

// names returns the titles of the section.
func (s helpSection) names() []string { return strings.Split(s.Title, ", ") }

// A reference is a list of sections that loopc help prints, and its own name, for the error
// if a section does not exist.
type reference struct {
	what     string
	sections []helpSection
}

// references are the references by name, the first word of a topic.
var references = map[string]reference{
	"language": {"the language", languageHelp},
	"words":    {"the list of words", wordsHelp},
}

// wordsHint is the sentence with which help pages refer to the list of words.
const wordsHint = "loopc help words defines the terms: tile, face, rank, column, level."

// Run prints help about the topic.
func (c *helpCommand) Run(a *app, parser *kong.Kong) error {
	if len(c.Topic) > 0 {
		if r, ok := references[c.Topic[0]]; ok {
			return r.print(a.stdout, strings.Join(c.Topic[1:], " "))
		}
	}
	if len(c.Topic) > 0 && commandOf(parser, c.Topic) == nil {
		topic := strings.Join(c.Topic, " ")
		if topic == "tour" {
			return usagef("the tour is a page of the clone of loopc: examples/README.md")
		}
		if meant := topicMeant(parser, topic); meant != "" {
			return usagef("there is no help on %s, did you mean %q?", topic, meant)
		}
		return usagef("there is no help on %s: there is help on commands, and loopc help language and loopc help words", topic)
	}
	if _, err := parser.Parse(append(slices.Clone(c.Topic), "--help")); err != nil {
		return usagef("%v", err)
	}
	return nil
}

// topicMeant suggests a topic for one that does not exist: a command, a reference or a
// section with a similar name; "" if there is none.
func topicMeant(parser *kong.Kong, topic string) string {
	topics := commandNames(parser)
	names := slices.Sorted(maps.Keys(references))
	topics = append(topics, names...)
	if meant := nearestOrBegun(topic, topics); meant != "" {
		return meant
	}
	for _, name := range names {
		titles := references[name].titles()
		if slices.Contains(titles, topic) {
			return name + " " + topic
		}
		if meant := nearestOrBegun(topic, titles); meant != "" {
			return name + " " + meant
		}
	}
	return ""
}

// print prints the reference, or if a title is not empty the section of that title.
func (r reference) print(w io.Writer, title string) error {
	sections := r.sections
	if title != "" {
		k := slices.IndexFunc(sections, func(s helpSection) bool {
			return s.Title == title || slices.ContainsFunc(s.names(), func(name string) bool { return strings.EqualFold(name, title) })
		})
		if k < 0 {
			titles := r.titles()
			err := fmt.Sprintf("%s has no section %s", r.what, title)
			if near := diag.Nearest(title, titles); near != "" {
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
		body := s.Text + "\n"
		if s.Example != "" {
			body += "\n" + s.Example
		}
		for line := range strings.Lines(body) {
			if line != "\n" {
				text.WriteString("    ")
			}
			text.WriteString(line)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// titles returns the titles of all sections, in order.
func (r reference) titles() []string {
	var titles []string
	for _, s := range r.sections {
		titles = append(titles, s.names()...)
	}
	return titles
}
