package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// wrongWay tries the hint for a loop in the wrong direction in a file with errors. Errors that are then gone follow from the direction,
// which is an error itself if no other is left; of the others it gives what is said when the direction is right. It returns false if
// there is no such loop, or if other errors come up.
func wrongWay(file string, src []byte, diags []diag.Diagnostic) (out []diag.Diagnostic, turned bool) {
	at := slices.IndexFunc(diags, func(d diag.Diagnostic) bool {
		return isEmptyLoop(d) && d.Severity == diag.Warning && strings.HasSuffix(d.Hint, " step -1")
	})
	if at < 0 || !diag.HasErrors(diags) || len(src) > mostTried>>6 {
		return diags, false
	}
	// A step that is wrong itself says more.
	stepped := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == diag.BoundShape && d.At.Line == diags[at].At.Line })
	text := withHeader(src, diags[at])
	if text == "" || stepped {
		return diags, false
	}
	_, after := CompileProgram(file, []byte(text))
	for k, d := range diags {
		if k == at || d.Severity != diag.Error {
			out = append(out, d)
		}
	}
	for _, x := range after {
		known := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == x.Code && d.Severity == x.Severity && d.At == x.At })
		switch {
		case x.Severity != diag.Error:
		case !known || isEmptyLoop(x):
			return diags, false
		default:
			out = append(out, x)
		}
	}
	if !diag.HasErrors(out) {
		out[slices.IndexFunc(out, isEmptyLoop)].Severity = diag.Error
	}
	diag.Sort(out)
	return out, true
}

// withHeader is the source with the hint of d, a loop with its range, in the place of the loop at which d is; "" if it is not there.
func withHeader(src []byte, d diag.Diagnostic) string {
	tokens, _ := scan(src)
	first := slices.IndexFunc(tokens, func(t token) bool { return t.pos == d.At.Pos })
	if first < 0 {
		return ""
	}
	last, depth := first, 0
	for last+1 < len(tokens) && tokens[last+1].pos.Line == tokens[first].pos.Line {
		next := tokens[last+1]
		if depth == 0 && (next.is(",") || next.is("{") || next.named("until") || next.is("until")) {
			break
		}
		depth += change(next)
		last++
	}
	return replacedAt(src, join(tokens[first].span(), tokens[last].span()), d.Hint)
}
