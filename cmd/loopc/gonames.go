package main

import (
	"fmt"
	"go/build"
	"go/token"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	modname "golang.org/x/mod/module"
)

// nameFault says why a source cannot have this name (without extension), or returns "". The
// name becomes part of comments, file names and package names.
func nameFault(name string) string {
	for k, r := range name {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '_':
		case r == '.' && k == 0:
			return "begins with a dot, and Go skips such files"
		case r == '-' && k == 0:
			return "begins with -, like a flag"
		case r == '.' || r == '-':
		case r == ' ':
			return "has a space"
		case r == utf8.RuneError:
			return "is not UTF-8"
		default:
			return fmt.Sprintf("has %q", r)
		}
	}
	if name == "" {
		return "is empty"
	}
	return ""
}

// emittedName returns the name of the file with this suffix that is emitted for a source of
// the name stem: their concatenation, changed if Go would skip a file of that name, or
// build it for other platforms than the suffix says.
func emittedName(stem, suffix string) string {
	stem = strings.ReplaceAll(stem, ".", "_") // Go looks for platform suffixes before the first dot
	if strings.HasPrefix(stem, "_") {
		stem = "loop" + stem
	}
	name := stem + suffix
	if goFault(name, strings.Contains(suffix, "_amd64.")) != "" {
		name = stem + "_loop" + suffix
	}
	return name
}

// goFault says why Go would not build a file of this name on every system and processor
// (with amd64: on every system for amd64 only), or returns "".
func goFault(name string, amd64 bool) string {
	if strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
		return "skips it"
	}
	if strings.HasSuffix(name, "_test.go") {
		return "takes it for a test"
	}
	// A file for a single system is left out on one of these two.
	for _, system := range []string{"linux", "windows"} {
		for _, processor := range []string{"amd64", "arm64"} {
			if built, wanted := goBuilds(name, system, processor), processor == "amd64" || !amd64; built != wanted {
				return "builds it for some platforms only"
			}
		}
	}
	return ""
}

// goBuilds reports whether Go builds a file of this name for a system and a processor.
func goBuilds(name, system, processor string) bool {
	c := build.Default
	c.GOOS, c.GOARCH = system, processor
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil }
	ok, err := c.MatchFile("", name)
	return err == nil && ok
}

// packageName returns the name of a package for a source of this name: Go does not build
// package documentation, requires a function main in package main, and cannot import
// package init.
func packageName(name string) string {
	id := identifier(name)
	switch id {
	case "documentation", "init", "main":
		return id + "_"
	}
	return id
}

// moduleName returns the path of the module that is made for a source of this name. It has
// no dot, so it is nobody's domain, and it is not a name with a special meaning.
func moduleName(name string) string {
	id := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return '_'
		}
		return r
	}, identifier(name))
	switch {
	case modname.CheckImportPath(id) != nil, strings.Trim(id, "_") == "":
		return "nest"
	case id == "vendor":
		return id + "_"
	}
	return id
}

// identifier returns the Go identifier that is closest to the name of a file.
func identifier(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsLetter(r) || r == '_', unicode.IsDigit(r) && b.Len() > 0:
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsDigit(r):
			b.WriteString("nest" + string(r))
		}
	}
	id := b.String()
	switch {
	case id == "" || strings.Trim(id, "_") == "":
		return "nest"
	case token.IsKeyword(id):
		return id + "_"
	}
	return id
}
