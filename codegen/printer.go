package codegen

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/scanner"
	"strings"
)

// printer collects Go source. Its methods do not return errors, so that the code that emits a
// loop reads like the loop. If the text does not parse in the end, that is a bug of the
// generator, which source reports.
type printer struct {
	buf bytes.Buffer
}

// linef prints one line or several.
func (p *printer) linef(format string, args ...any) {
	fmt.Fprintf(&p.buf, format, args...)
	p.buf.WriteByte('\n')
}

// blank prints an empty line.
func (p *printer) blank() { p.buf.WriteByte('\n') }

// comment prints text as a comment, line by line. Control characters in text cannot end the
// comment.
func (p *printer) comment(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(clean(line), " \t")
		if line == "" {
			p.linef("//")
			continue
		}
		p.linef("// %s", line)
	}
}

// clean replaces control characters other than tabs, and invalid UTF-8.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r == 0x2028 || r == 0x2029 || r == 0xfeff {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// importMark marks the place of the imports.
const importMark = "//loopc:imports"

// source returns the printed text, formatted, without definitions that are never read. block
// returns the import block for the packages that the remaining text uses.
func (p *printer) source(name string, block func(packages map[string]bool) string) ([]byte, error) {
	out, packages, err := prune(name, p.buf.Bytes())
	if err == nil {
		out = bytes.Replace(out, []byte(importMark), []byte(block(packages)), 1)
	}
	if err == nil {
		out, err = format.Source(out)
	}
	if err != nil {
		return nil, fmt.Errorf("BUG: emitted code does not parse: %w\n%s", err, offending(p.buf.String(), err))
	}
	return out, nil
}

// offending returns the line of src that a syntax error names.
func offending(src string, err error) string {
	var list scanner.ErrorList
	if lines := strings.Split(src, "\n"); errors.As(err, &list) && list[0].Pos.Line <= len(lines) {
		return lines[list[0].Pos.Line-1]
	}
	return ""
}
