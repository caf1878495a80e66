package diag

import (
	"bytes"
	"regexp"
	"slices"
)

// ignores matches a comment that names warnings which the user knows.
var ignores = regexp.MustCompile(`//[ \t]*loopc:ignore((?:[ \t]+[a-z-]+)+)`)

// Heard returns the diags that no comment silences. A comment "//loopc:ignore CODE ..." silences warnings of these codes on its line or,
// if it has a line of its own, on the next. src is the content of the file.
func Heard(src []byte, diags []Diagnostic) []Diagnostic {
	lines := bytes.Split(src, []byte("\n"))
	named := func(line int, own bool, code Code) bool {
		if line < 1 || line > len(lines) {
			return false
		}
		at := ignores.FindSubmatchIndex(lines[line-1])
		if at == nil || own && len(bytes.TrimSpace(lines[line-1][:at[0]])) > 0 {
			return false
		}
		return slices.ContainsFunc(bytes.Fields(lines[line-1][at[2]:at[3]]), func(c []byte) bool { return string(c) == string(code) })
	}
	return slices.DeleteFunc(slices.Clone(diags), func(d Diagnostic) bool {
		return d.Severity == Warning && (named(d.At.Line, false, d.Code) || named(d.At.Line-1, true, d.Code))
	})
}
