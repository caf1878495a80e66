package main

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// comparePicture compares the arrows of ARCHITECTURE.md, the block of lines "room ▶ rooms",
// with mayImport: the document shows every room, and all that it may import.
func comparePicture(t *testing.T) {
	drawn := map[string]string{}
	for line := range strings.Lines(document(t, "ARCHITECTURE.md")) {
		if room, arrows, ok := strings.Cut(line, " ▶"); ok {
			to, _, _ := strings.Cut(strings.TrimRight(arrows, "\n"), "   ")
			drawn[strings.TrimSpace(room)] = strings.TrimSpace(to)
		}
	}
	short := map[string]string{} // by room
	for room := range mayImport {
		if other, ok := short[path.Base(room)]; ok {
			t.Errorf("%s and %s have the same last element, and the picture goes by that", room, other)
		}
		short[path.Base(room)] = room
	}
	for room, rules := range mayImport {
		var to []string
		for _, rule := range rules {
			switch first, _, _ := strings.Cut(rule, "/"); {
			case strings.Contains(first, "."): // from outside
			case strings.HasSuffix(rule, "/..."):
				to = append(to, rule)
			default:
				to = append(to, path.Base(rule))
			}
		}
		slices.Sort(to)
		name, want := path.Base(room), strings.Join(to, " ")
		if got, ok := drawn[name]; !ok || got != want {
			t.Errorf("ARCHITECTURE.md draws %q from %s; the line should begin with\n%s ▶ %s", got, room, name, want)
		}
		delete(drawn, name)
	}
	for _, name := range slices.Sorted(maps.Keys(drawn)) {
		t.Errorf("ARCHITECTURE.md draws %s, which mayImport does not have", name)
	}
}
