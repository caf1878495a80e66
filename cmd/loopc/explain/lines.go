package explain

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// text collects lines.
type text struct{ b strings.Builder }

func (t *text) heading(format string, args ...any) {
	if t.b.Len() > 0 {
		t.b.WriteByte('\n')
	}
	t.b.WriteString(printable(fmt.Sprintf(format, args...)) + "\n")
}

// line writes a line with a label; a line that is too long continues below.
func (t *text) line(label, format string, args ...any) {
	room := textWidth - labelLen - 2
	for k, part := range wrap(printable(fmt.Sprintf(format, args...)), room) {
		if k > 0 {
			label = ""
		}
		t.b.WriteString(strings.TrimRight("  "+pad(label, labelLen)+part, " ") + "\n")
	}
}

// table writes rows with aligned columns. Column k is aligned to the right if right[k] is 'r'.
// Text in the last column continues on the next line if it is too long.
func (t *text) table(right string, rows ...[]string) {
	var width []int
	for _, row := range rows {
		for k, cell := range row {
			if k == len(width) {
				width = append(width, 0)
			}
			width[k] = max(width[k], utf8.RuneCountInString(printable(cell)))
		}
	}
	for _, row := range rows {
		line := "  "
		for k, cell := range row {
			cell = printable(cell)
			switch {
			case k < len(right) && right[k] == 'r':
				line += strings.Repeat(" ", width[k]-utf8.RuneCountInString(cell)) + cell
			case k > 0 && k == len(row)-1:
				t.last(line, cell)
				line = ""
				continue
			default:
				line += pad(cell, width[k])
			}
			line += "  "
		}
		if line != "" {
			t.b.WriteString(clip(strings.TrimRight(line, " "), textWidth) + "\n")
		}
	}
}

// last writes the last cell of a row after the others; a cell that is too long continues
// below.
func (t *text) last(line, cell string) {
	at := utf8.RuneCountInString(line)
	for _, part := range wrap(cell, max(16, textWidth-at)) {
		t.b.WriteString(clip(strings.TrimRight(line+part, " "), textWidth) + "\n")
		line = strings.Repeat(" ", at)
	}
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s))) }

// clip shortens a line to n characters.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// wrap breaks s at spaces into lines of at most n characters; a longer word is not broken.
func wrap(s string, n int) []string {
	var out []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > n:
			out = append(out, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(out, line)
}
