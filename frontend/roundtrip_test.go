package frontend

import (
	"fmt"
	"go/constant"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"loopc/ir"
	"loopc/ir/diag"
)

// sameNest compares nests up to what the layout of the source decides. Literals
// are equal if they have the same name and round to the same value of their
// type.
var sameNest = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Transformer("span", func(diag.Span) struct{} { return struct{}{} }),
	cmpopts.IgnoreFields(ir.Nest{}, "Source"),
	cmpopts.IgnoreFields(ir.Assign{}, "Line"),
	cmp.Comparer(func(a, b ir.Const) bool {
		return a.Name == b.Name && a.Value.Kind() == b.Value.Kind() && a.Value.ExactString() == b.Value.ExactString()
	}),
	cmp.Comparer(func(a, b *ir.ConstArray) bool { return a.String() == b.String() }),
	cmp.Comparer(func(a, b *ir.Lit) bool {
		return a.T == b.T && a.Name == b.Name && rounded(a) == rounded(b)
	}),
}

// rounded is the value that l has when evaluated.
func rounded(l *ir.Lit) string {
	switch l.T {
	case ir.Float32:
		f, _ := constant.Float32Val(l.Value)
		return fmt.Sprint(f)
	case ir.Float64:
		f, _ := constant.Float64Val(l.Value)
		return fmt.Sprint(f)
	}
	return l.Value.ExactString()
}

// mustParse parses src, which must have no errors.
func mustParse(t *testing.T, file, src string) *ir.Nest {
	t.Helper()
	n, diags := Parse(file, []byte(src))
	if n == nil {
		t.Fatalf("%s does not parse:\n%s", file, rendered(file, src, diags))
	}
	return n
}

func rendered(file, src string, diags []diag.Diagnostic) string {
	var b strings.Builder
	if err := diag.Render(&b, file, []byte(src), diags); err != nil {
		return err.Error()
	}
	return b.String()
}

// checkRoundTrips requires of a nest that parses: its text form parses to an
// equal nest and is its own text form; the formatted source parses to an equal
// nest and is its own formatted source.
func checkRoundTrips(t *testing.T, file, src string, n *ir.Nest) {
	t.Helper()
	text := n.String()
	again, diags := Parse(file, []byte(text))
	if again == nil {
		t.Fatalf("the text form does not parse:\n%s\n%s\nof the source\n%s", rendered(file, text, diags), text, src)
	}
	if d := cmp.Diff(n, again, sameNest); d != "" {
		t.Fatalf("parsing the text form gives another nest (-first +again):\n%s\n%s\nof the source\n%s", d, text, src)
	}
	if second := again.String(); second != text {
		t.Fatalf("the text form changes from\n%s\nto\n%s", text, second)
	}
	formatted, diags := Format(file, []byte(src))
	if formatted == nil {
		t.Fatalf("Format refuses what Parse accepts:\n%s", rendered(file, src, diags))
	}
	again, diags = Parse(file, formatted)
	if again == nil {
		t.Fatalf("the formatted source does not parse:\n%s\n%s\nof the source\n%s", rendered(file, string(formatted), diags), formatted, src)
	}
	if d := cmp.Diff(n, again, sameNest); d != "" {
		t.Fatalf("parsing the formatted source gives another nest (-first +again):\n%s\n%s\nof the source\n%s", d, formatted, src)
	}
	if second, _ := Format(file, formatted); string(second) != string(formatted) {
		t.Fatalf("formatting again changes\n%s\nto\n%s", formatted, second)
	}
}

func languageExamples(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.loop")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	out := map[string]string{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = string(src)
	}
	return out
}

func TestRoundTrips(t *testing.T) {
	for file, src := range languageExamples(t) {
		t.Run(file, func(t *testing.T) {
			checkRoundTrips(t, file, src, mustParse(t, file, src))
		})
	}
}
