package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"loopc/codegen"
	"loopc/runtime"
)

// localCopy returns the files of a copy of those parts of the runtime that a nest needs in one
// process: see runtimeCopy, and package local. Each package has one file for all platforms, and one
// for each condition under which more is built.
func localCopy(prefix string) (map[string][]byte, error) {
	s, err := shake()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"LICENSE": runtime.License}
	for _, name := range slices.Sorted(maps.Keys(s.packages)) {
		if name == facade {
			continue
		}
		p := s.packages[name]
		folder := strings.TrimPrefix(name, "loopc/")
		for of, group := range p.groups() {
			text, err := s.merge(p, group, prefix)
			if err != nil {
				return nil, fmt.Errorf("the embedded runtime: %s: %w", name, err)
			}
			files[path.Join(folder, of)] = text
		}
		for other, text := range p.other {
			files[path.Join(folder, other)] = append([]byte(copyHeader), dense(text)...)
		}
	}
	return files, nil
}

// dense returns assembly without empty lines within functions: nobody reads these in a copy, but somebody may look at its size.
func dense(text []byte) []byte {
	head, functions, _ := bytes.Cut(text, []byte("\nTEXT "))
	if len(functions) == 0 {
		return text
	}
	return slices.Concat(head, []byte("\nTEXT "), bytes.ReplaceAll(functions, []byte("\n\n"), []byte("\n")))
}

// needsMore reports whether Go files of the module, other than those of the runtime's copy and those that t
// replaces, name what a small copy of the runtime lacks: packages, or declarations of packages. It looks
// only if there is a full copy.
func (t *target) needsMore(small map[string][]byte) (bool, error) {
	there := filepath.Join(t.runtimeFolder, filepath.FromSlash(vendorFolder))
	if _, err := os.Stat(filepath.Join(there, "runtime", "cli")); err != nil {
		return false, nil
	}
	has := map[string]map[string]bool{} // by import path and name
	for name, text := range small {
		importPath := path.Join(t.runtime, path.Dir(name))
		if has[importPath] == nil {
			has[importPath] = map[string]bool{}
		}
		if file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); strings.HasSuffix(name, ".go") && err == nil {
			addNames(file, has[importPath])
		}
	}
	more := false
	err := filepath.WalkDir(t.runtimeFolder, func(name string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == there || name != t.runtimeFolder && (strings.HasPrefix(base, ".") || isModule(name))):
			return fs.SkipDir
		case more || entry.IsDir() || !strings.HasSuffix(base, ".go") || sameFile(name, t.path(codegen.Suffixes[0])):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err == nil { // else it is not built
			more = t.namesMore(file, has)
		}
		return nil
	})
	return more, err
}

// addNames adds the names of a file's declarations, apart from methods.
func addNames(file *ast.File, names map[string]bool) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names[name.Name] = true
					}
				}
			}
		}
	}
}

// namesMore reports whether a file names a package of the runtime, or a declaration of one, that has lacks.
func (t *target) namesMore(file *ast.File, has map[string]map[string]bool) bool {
	imported := map[string]map[string]bool{} // by the name of the package in the file
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !strings.HasPrefix(importPath, t.runtime+"/") {
			continue
		}
		if has[importPath] == nil {
			return true
		}
		name := path.Base(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = has[importPath]
	}
	more := imported["."] != nil // its names are not told from others
	ast.Inspect(file, func(n ast.Node) bool {
		if x, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := x.X.(*ast.Ident); ok && imported[pkg.Name] != nil {
				more = more || !imported[pkg.Name][x.Sel.Name]
			}
		}
		return !more
	})
	return more
}

// isModule reports whether a folder is a module of its own.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// sameFile reports whether two names are those of one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// groups returns the files of p that have needed parts, by the name of the file into which they are
// merged: those that are built under the same condition.
func (p *sourcePackage) groups() map[string][]*sourceFile {
	out := map[string][]*sourceFile{}
	names := map[string]string{} // by condition
	for _, f := range p.files {
		if !p.whole && !slices.ContainsFunc(f.parts, func(x *part) bool { return x.needed }) {
			continue
		}
		when := f.condition()
		if names[when] == "" {
			names[when] = path.Base(p.path) + ".go"
			if when != "" {
				_, kind, _ := strings.Cut(f.name, "_")
				names[when] = path.Base(p.path) + "_" + cmp.Or(kind, f.name)
			}
		}
		out[names[when]] = append(out[names[when]], f)
	}
	return out
}

// condition is the condition under which a file is built: the ends of its name that Go knows, and
// its constraint.
func (f *sourceFile) condition() string {
	var when []string
	for _, word := range strings.Split(strings.TrimSuffix(f.name, ".go"), "_")[1:] {
		if goFault("x_"+word+".go", false) != "" {
			when = append(when, word)
		}
	}
	return strings.Join(append(when, f.constraints()...), " ")
}

// constraints are the constraints of a file, as comments.
func (f *sourceFile) constraints() (all []string) {
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if c.Pos() < f.syntax.Package && constraint.IsGoBuild(c.Text) {
				all = append(all, c.Text)
			}
		}
	}
	return all
}

// merge returns one file with the needed parts of the files of a group, as gofmt prints it.
func (s *shaker) merge(p *sourcePackage, group []*sourceFile, prefix string) ([]byte, error) {
	var body, out bytes.Buffer
	imports := map[string]string{} // by name
	for _, f := range group {
		if err := s.imports(imports, f, s.print(&body, f), prefix); err != nil {
			return nil, err
		}
	}
	out.WriteString(copyHeader)
	for _, line := range group[0].constraints() {
		out.WriteString(line + "\n\n")
	}
	for _, f := range group {
		if f.syntax.Doc != nil {
			out.Write(firstParagraph(s.between(f, f.syntax.Doc.Pos(), f.syntax.Package)))
		}
	}
	fmt.Fprintf(&out, "package %s\n\nimport (\n", group[0].syntax.Name.Name)
	lines := slices.Sorted(maps.Values(imports))
	for _, ours := range []bool{false, true} {
		for _, line := range lines {
			if strings.Contains(line, `"`+prefix+"/") == ours {
				out.WriteString(line + "\n")
			}
		}
		out.WriteString("\n")
	}
	out.WriteString(")\n\n")
	out.Write(body.Bytes())
	return format.Source(out.Bytes())
}

// firstParagraph returns a comment before a declaration without its further paragraphs, which are also about parts that are
// not needed, and with its directives.
func firstParagraph(comment []byte) []byte {
	first, rest, _ := bytes.Cut(comment, []byte("\n//\n"))
	first = append(bytes.TrimSpace(first), '\n')
	for line := range bytes.Lines(rest) {
		if bytes.HasPrefix(line, []byte("//go:")) {
			first = append(first, line...)
		}
	}
	return first
}

// openingSentence returns a comment without its further sentences, and with its directives. A semicolon ends a sentence, too,
// but a colon does not.
func openingSentence(comment []byte) []byte {
	end := regexp.MustCompile(`\.(?:\n| [A-Z])|;[ \n]`).FindIndex(comment)
	if end == nil {
		return comment
	}
	first := append(slices.Clone(comment[:end[0]]), ".\n"...)
	for line := range bytes.Lines(comment[end[0]+1:]) {
		if bytes.HasPrefix(line, []byte("//go:")) {
			first = append(first, line...)
		}
	}
	return first
}

// filled returns a comment of one paragraph in lines that are as long as lines of the runtime may be. Directives keep their lines, and
// a comment with a list or an example is returned as it is.
func filled(comment []byte) []byte {
	const most = 140 // columns, without indentation
	var out, line []byte
	flush := func() {
		if len(line) > 0 {
			out, line = append(append(out, line...), '\n'), nil
		}
	}
	for text := range bytes.Lines(comment) {
		text = bytes.TrimSpace(text)
		words, ok := bytes.CutPrefix(text, []byte("// "))
		switch {
		case bytes.HasPrefix(text, []byte("//go:")):
			flush()
			out = append(append(out, text...), '\n')
			continue
		case !ok || !bytes.Equal(words, bytes.TrimSpace(words)) || bytes.HasPrefix(words, []byte("- ")):
			return comment
		}
		for _, word := range bytes.Fields(words) {
			if len(line) > 0 && len(line)+1+len(word) > most {
				flush()
			}
			if len(line) == 0 {
				line = append(line, "//"...)
			}
			line = append(append(line, ' '), word...)
		}
	}
	flush()
	return out
}

// imports adds the imports of a file that uses these packages.
func (s *shaker) imports(imports map[string]string, f *sourceFile, used map[string]bool, prefix string) error {
	for _, spec := range f.syntax.Imports {
		of, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		below, ours := strings.CutPrefix(of, "loopc/")
		name := importName(spec, of)
		if name == "_" && ours && len(s.packages[of].groups()) == 0 || name != "_" && !used[name] {
			continue
		}
		line := strconv.Quote(of)
		if ours {
			line = strconv.Quote(path.Join(prefix, below))
		}
		if spec.Name != nil {
			line = name + " " + line
		}
		if name == "_" {
			name = line
		}
		if other := imports[name]; other != "" && other != line {
			return fmt.Errorf("%s is two packages: %s, %s", name, other, line)
		}
		imports[name] = line
	}
	return nil
}

// between is the text of a file between two positions.
func (s *shaker) between(f *sourceFile, from, to token.Pos) []byte {
	file := s.files.File(from)
	return f.text[file.Offset(from):file.Offset(to)]
}

// print writes the needed parts of a file, and returns the names of packages that they use.
func (s *shaker) print(out *bytes.Buffer, f *sourceFile) map[string]bool {
	used := map[string]bool{}
	var group *ast.GenDecl
	end := func() {
		if group != nil && group.Lparen.IsValid() {
			out.WriteString(")\n\n")
		}
		group = nil
	}
	for _, p := range f.parts {
		if !p.needed {
			continue
		}
		s.packagesIn(p.node, used)
		if p.of != group {
			end()
			if group = p.of; group != nil {
				if group.Doc != nil {
					out.Write(filled(openingSentence(firstParagraph(s.between(f, group.Doc.Pos(), group.Pos())))))
				}
				out.WriteString(group.Tok.String() + " ")
				if group.Lparen.IsValid() {
					out.WriteString("(\n")
				}
			}
		}
		if p.doc != nil {
			out.Write(filled(openingSentence(firstParagraph(s.between(f, p.doc.Pos(), p.node.Pos())))))
		}
		out.Write(s.declaration(f, p.node))
		out.WriteString("\n")
		if p.of == nil {
			out.WriteString("\n")
		}
	}
	end()
	return used
}

// packagesIn adds the names of imported packages that the code below n uses.
func (s *shaker) packagesIn(n ast.Node, used map[string]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && s.isPackage(id) {
				used[id.Name] = true
			}
		}
		return true
	})
}
