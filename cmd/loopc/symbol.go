package main

import (
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"loopc/ir"
	"loopc/ir/diag"
)

// goFunction is the declaration of an exported function of Go.
var goFunction = regexp.MustCompile(`(?m)^func ([A-Z]\w*)[\[(]`)

// unknownSymbols reports the extern functions that their Go packages do not have. It looks only
// at packages of Go itself and of the file's own module, and only if their sources are there.
func unknownSymbols(s *source, externs []ir.Extern) (diags []diag.Diagnostic) {
	for _, f := range externs {
		folder := packageFolder(s, f.Path)
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if folder == "" || err != nil || len(files) == 0 {
			continue
		}
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(f.Symbol) + `\b`)
		known, names := false, []string(nil)
		for _, file := range files {
			text, err := os.ReadFile(file)
			known = known || err != nil || word.Match(text) // any use of the word: the symbol may be a variable of function type
			for _, m := range goFunction.FindAllSubmatch(text, -1) {
				if !strings.HasSuffix(file, "_test.go") {
					names = append(names, string(m[1]))
				}
			}
		}
		if known {
			continue
		}
		d := diag.Diagnostic{Code: diag.Extern, At: f.Span, Message: fmt.Sprintf("package %q of Go has no function %s", f.Path, f.Symbol)}
		if near := diag.Nearest(f.Symbol, names); near != "" {
			d.Message += "; did you mean " + near + "?"
		}
		diags = append(diags, d)
	}
	return diags
}

// packageFolder is the folder for the sources of a package; "" unless the package belongs to the
// user's module or to Go itself. The folder may not exist.
func packageFolder(s *source, path string) string {
	own, err := moduleOf(filepath.Dir(s.path))
	switch first, _, _ := strings.Cut(path, "/"); {
	case err != nil || path == "":
		return ""
	case own != nil && (path == own.path || strings.HasPrefix(path, own.path+"/")):
		return filepath.Join(own.folder, filepath.FromSlash(strings.TrimPrefix(path, own.path)))
	case strings.Contains(first, "."):
		return ""
	}
	root := goRoot()
	if root == "" {
		return ""
	}
	return filepath.Join(root, "src", filepath.FromSlash(path))
}

// goRoot is the folder of Go itself, "" if there is none. A loopc that was built with -trimpath
// does not know it, and asks the go command.
var goRoot = sync.OnceValue(func() string {
	if build.Default.GOROOT != "" {
		return build.Default.GOROOT
	}
	env := exec.Command("go", "env", "GOROOT")
	env.Env = goEnviron()
	out, err := env.Output()
	if err != nil {
		return "" // then loopc check does without Go's sources
	}
	return strings.TrimSpace(string(out))
})
