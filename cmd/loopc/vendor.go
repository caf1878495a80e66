package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"loopc/runtime"
	"loopc/transform/plan"
)

// vendorFolder is where a copy of the runtime lies, below the folder of the
// module: nobody else can import it from there.
const vendorFolder = "internal/loopc"

// copyHeader starts every file of a copy, the license apart. Files that start otherwise are never
// replaced or removed.
const copyHeader = generatedBy + "from its runtime; DO NOT EDIT.\n" +
	"// Licensed under the Apache License, Version 2.0: see the file LICENSE.\n\n"

// runtimeCopy returns the files of a copy of the runtime whose packages are
// imported from prefix, by slash-separated path below vendorFolder. Tests, and
// what only tests use, are left out.
func runtimeCopy(prefix string) (map[string][]byte, error) {
	files := map[string][]byte{"LICENSE": runtime.License}
	for folder, sources := range map[string]fs.FS{"runtime": runtime.Sources, "transform/plan": plan.Sources} {
		err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && strings.HasSuffix(name, "test"):
				return fs.SkipDir
			case entry.IsDir() || strings.HasSuffix(name, "_test.go") || path.Base(name) == "embed.go":
				return nil
			}
			text, err := fs.ReadFile(sources, name)
			if err != nil {
				return err
			}
			text, err = importFrom(name, text, prefix)
			files[path.Join(folder, name)] = append([]byte(copyHeader), text...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// importFrom returns the Go file text with every import of a package of loopc
// replaced by one of the same package below prefix.
func importFrom(name string, text []byte, prefix string) ([]byte, error) {
	if !strings.HasSuffix(name, ".go") {
		return text, nil // assembly
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, text, parser.ImportsOnly)
	if err != nil {
		return nil, fmt.Errorf("the embedded runtime: %w", err)
	}
	var out bytes.Buffer
	copied := 0 // bytes of text
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("the embedded runtime: %w", err)
		}
		below, ok := strings.CutPrefix(imported, "loopc/")
		if !ok {
			continue
		}
		out.Write(text[copied:files.Position(spec.Path.Pos()).Offset])
		out.WriteString(strconv.Quote(path.Join(prefix, below)))
		copied = files.Position(spec.Path.End()).Offset
	}
	out.Write(text[copied:])
	return out.Bytes(), nil
}

// syncRuntime makes the folder hold the files, and removes those that an earlier
// copy had and this one has not. Files of others stay, and are an error where one
// of ours belongs. What is as it should be is not touched.
func syncRuntime(folder string, files map[string][]byte) error {
	var stale []string
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") {
			return err
		}
		below, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		_, wanted := files[filepath.ToSlash(below)]
		ours, err := isGenerated(name)
		switch {
		case err != nil:
			return err
		case wanted && !ours:
			return mayReplace(name)
		case !wanted && ours:
			stale = append(stale, name)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for name, text := range files {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return err
		}
		if err := writeFile(at, text); err != nil {
			return err
		}
	}
	for _, name := range stale {
		if err := os.Remove(name); err != nil {
			return err
		}
		// A folder that is empty now goes too; one that is not stays.
		_ = os.Remove(filepath.Dir(name))
	}
	return nil
}
