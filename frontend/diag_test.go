package frontend

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"loopc/ir/diag"
)

// wantText finds the expectations at the end of a line.
var wantText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// TestDiagnostics compiles every chunk of ../testdata/diag/*.loop. Each
// diagnostic must match a want on its line, `message [code]` being the text, and
// each want must be met by one. Each chunk gives its file's code at least once.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("../testdata/diag/*.loop")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, file := range files {
		code := strings.TrimSuffix(filepath.Base(file), ".loop")
		if !slices.Contains(diag.Codes, diag.Code(code)) {
			t.Errorf("%s is named after no code", file)
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := 0
		for _, chunk := range strings.SplitAfter(string(src), "\n---\n") {
			first := line
			line += strings.Count(chunk, "\n")
			t.Run(fmt.Sprintf("%s:%d", code, first+1), func(t *testing.T) {
				checkChunk(t, code, strings.TrimSuffix(chunk, "---\n"))
			})
		}
	}
}

// checkChunk compiles one program that gives the code.
func checkChunk(t *testing.T, code, src string) {
	wants := map[int][]*regexp.Regexp{}
	for k, l := range strings.Split(src, "\n") {
		_, list, found := strings.Cut(l, "// want ")
		if !found {
			continue
		}
		for _, q := range wantText.FindAllString(list, -1) {
			s, err := strconv.Unquote(q)
			if err != nil {
				t.Fatal(err)
			}
			wants[k+1] = append(wants[k+1], regexp.MustCompile(s))
		}
	}
	_, diags := CompileProgram("chunk.loop", []byte(src))
	given := false
	for _, d := range diags {
		given = given || string(d.Code) == code
		text := fmt.Sprintf("%s [%s]", d.Message, d.Code)
		k := slices.IndexFunc(wants[d.At.Line], func(re *regexp.Regexp) bool { return re.MatchString(text) })
		if k < 0 {
			t.Errorf("unwanted:\n%s", rendered("chunk.loop", src, []diag.Diagnostic{d}))
			continue
		}
		wants[d.At.Line] = slices.Delete(wants[d.At.Line], k, k+1)
	}
	for l, list := range wants {
		for _, re := range list {
			t.Errorf("line %d: nothing matches %q", l, re)
		}
	}
	if !given {
		t.Errorf("nothing has the code %s", code)
	}
}

// TestEveryCodeIsTested requires a file of test data for every code.
func TestEveryCodeIsTested(t *testing.T) {
	elsewhere := map[diag.Code]string{
		diag.TooLarge:    "TestHugeInputs",
		diag.TileIllegal: "package transform",
		diag.Unsupported: "package transform",
		diag.Slow:        "testdata/script/check_slow.txtar",
	}
	for _, code := range diag.Codes {
		if elsewhere[code] != "" {
			continue
		}
		if _, err := os.Stat("../testdata/diag/" + string(code) + ".loop"); err != nil {
			t.Errorf("code %s: %v", code, err)
		}
	}
}
