package diag

import (
	"regexp"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	src := "\ufeffparam i\r\n\tA[i] =\tB[i*i]\r\nnul \x00 x\n"
	diags := []Diagnostic{
		{Code: NotAffine, At: Span{Pos{2, 11}, 3}, Message: "index i*i is not affine",
			Notes: []Note{{Span{Pos{1, 7}, 1}, "i is declared here"}}, Hint: "only sums"},
		{Severity: Warning, Code: ConstantDivision, At: Span{Pos{1, 7}, 99}, Message: "first"},
		{Code: Syntax, At: Span{Pos{3, 7}, 0}, Message: "third"},
		{Code: OneNest, Message: "nowhere"},
	}
	want := strings.Join([]string{
		"x.loop: error: nowhere [one-nest]",
		"x.loop:1:7: warning: first [constant-division]",
		"    1 | param i",
		"      |       ^",
		"x.loop:2:11: error: index i*i is not affine [not-affine]",
		"    2 | \tA[i] =\tB[i*i]",
		"      | \t      \t  ^~~",
		"x.loop:1:7: note: i is declared here",
		"hint: only sums",
		"x.loop:3:7: error: third [syntax]",
		"    3 | nul \ufffd x",
		"      |       ^",
		"",
	}, "\n")
	var b strings.Builder
	if err := Render(&b, "x.loop", []byte(src), diags); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("Render wrote\n%s\nwant\n%s", b.String(), want)
	}
}

func TestRenderStopsAfterTen(t *testing.T) {
	var diags []Diagnostic
	for k := 23; k > 0; k-- {
		diags = append(diags, Diagnostic{Code: Syntax, At: Span{Pos{k, 1}, 1}, Message: "wrong"})
	}
	var b strings.Builder
	if err := Render(&b, "x.loop", []byte(strings.Repeat("a\n", 30)), diags); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "[syntax]"); got != MaxShown {
		t.Errorf("%d diagnostics are shown, want %d", got, MaxShown)
	}
	if want := "x.loop: too many errors (23, the first 10 are shown)\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("the end is\n%s\nwant %s", b.String(), want)
	}
	if !strings.Contains(b.String(), "x.loop:10:1:") || strings.Contains(b.String(), "x.loop:11:1:") {
		t.Errorf("not the first ten by position are shown:\n%s", b.String())
	}
}

// TestRenderLongLine checks that one very long line does not flood the
// terminal, and that the caret is still under the right rune.
func TestRenderLongLine(t *testing.T) {
	line := strings.Repeat("a", 5000) + "#" + strings.Repeat("b", 5000)
	var b strings.Builder
	if err := Render(&b, "x.loop", []byte(line), []Diagnostic{{Code: Syntax, At: Span{Pos{1, 5001}, 400}, Message: "wrong"}}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 1000 {
		t.Errorf("%d bytes are written", b.Len())
	}
	rows := strings.Split(b.String(), "\n")
	if strings.IndexByte(rows[1], '#') != strings.IndexByte(rows[2], '^') {
		t.Errorf("the caret is not under the #:\n%s", b.String())
	}
}

func TestNearest(t *testing.T) {
	names := []string{"alpha", "N", "M", "open", "float64", "float32"}
	for _, c := range []struct{ name, want string }{
		{"alhpa", "alpha"}, {"alpa", "alpha"}, {"beta", ""}, {"opne", "open"},
		{"K", ""}, {"NN", "N"}, {"float46", "float64"}, {"double", ""}, {"", ""},
	} {
		if got := Nearest(c.name, names); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCodes(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[Code]bool{}
	for _, c := range Codes {
		if seen[c] || !kebab.MatchString(string(c)) {
			t.Errorf("code %q is listed twice, or not in kebab case", c)
		}
		seen[c] = true
	}
}
