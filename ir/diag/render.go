package diag

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// MaxShown is the number of diagnostics of one severity that Render shows.
const MaxShown = 10

// maxExcerpt is the longest piece of a source line that is shown, in runes.
const maxExcerpt = 160

// Render writes diags, which must be sorted by position, for the user:
//
//	stencil.loop:9:14: error: index i*i is not affine [not-affine]
//	    9 |     A[i] = B[i*i]
//	      |              ^~~
//	stencil.loop:2:3: note: i is a loop variable here
//	hint: only sums of loop variables times constants may index an array
//
// A pattern is called an example, so that nobody takes its names for those of the file.
// The file is named as given; src is its content. After MaxShown errors, further errors are
// only counted; likewise warnings. Diagnostics without a place have no position and no
// excerpt. It returns the error of w.
func Render(w io.Writer, file string, src []byte, diags []Diagnostic) error {
	sorted := append([]Diagnostic(nil), diags...)
	Sort(sorted)
	lines := bytes.Split(bytes.TrimPrefix(src, []byte("\ufeff")), []byte("\n"))
	out := bufio.NewWriter(w)
	var count [2]int
	for _, d := range sorted {
		count[d.Severity]++
		if count[d.Severity] <= MaxShown {
			render(out, file, lines, d)
		}
	}
	for s, n := range count {
		if n > MaxShown {
			fmt.Fprintf(out, "%s: too many %ss (%d, the first %d are shown)\n", file, Severity(s), n, MaxShown)
		}
	}
	return out.Flush()
}

// render writes one diagnostic.
func render(w io.Writer, file string, lines [][]byte, d Diagnostic) {
	fmt.Fprintf(w, "%s: %s: %s [%s]\n", place(file, d.At.Pos), d.Severity, d.Message, d.Code)
	if l := d.At.Line; l >= 1 && l <= len(lines) {
		text, under := excerpt([]rune(string(bytes.TrimSuffix(lines[l-1], []byte("\r")))), d.At)
		fmt.Fprintf(w, "%5d | %s\n%5s | %s\n", l, text, "", under)
	}
	for _, n := range d.Notes {
		fmt.Fprintf(w, "%s: note: %s\n", place(file, n.At.Pos), n.Message)
	}
	switch {
	case d.Hint == "":
	case d.Kind == Pattern:
		fmt.Fprintf(w, "for example: %s\n", d.Hint)
	default:
		fmt.Fprintf(w, "hint: %s\n", d.Hint)
	}
}

// place is "file:line:col", or the file alone for no place.
func place(file string, p Pos) string {
	if p.Line < 1 {
		return file
	}
	return fmt.Sprintf("%s:%d:%d", file, p.Line, max(1, p.Col))
}

// excerpt returns the visible part of line around at, and the line below it with the caret.
// Tabs are copied to the caret line, so that it aligns for any tab width. Other control
// characters become U+FFFD, so that the terminal does not interpret them.
func excerpt(line []rune, at Span) (text, under string) {
	col := min(max(1, at.Col)-1, len(line)) // from 0; len(line) is its end
	first, last := 0, len(line)
	if len(line) > maxExcerpt {
		first = max(0, min(col-maxExcerpt/2, len(line)-maxExcerpt))
		last = first + maxExcerpt
	}
	var t, u strings.Builder
	if first > 0 {
		t.WriteString("...")
		u.WriteString("   ")
	}
	for k := first; k < last; k++ {
		r := line[k]
		if r != '\t' && !unicode.IsGraphic(r) {
			r = unicode.ReplacementChar
		}
		t.WriteRune(r)
		if k >= col {
			continue
		}
		if r != '\t' {
			r = ' '
		}
		u.WriteRune(r)
	}
	if last < len(line) {
		t.WriteString("...")
	}
	u.WriteByte('^')
	u.WriteString(strings.Repeat("~", max(0, min(at.Len, last-col)-1)))
	return t.String(), u.String()
}
