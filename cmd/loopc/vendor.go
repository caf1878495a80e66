package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"loopc/runtime"
	"loopc/runtime/files"
	"loopc/transform/plan"
)

// vendorFolder is the folder of the runtime's copy, below the module's folder. Other
// modules cannot import internal packages.
const vendorFolder = "internal/loopc"

// copyHeader is the beginning of every file of a copy, except the license. Files without it
// are never replaced or removed.
const copyHeader = generatedBy + "from its runtime; DO NOT EDIT.\n" +
	"// Licensed under the Apache License, Version 2.0: see the file LICENSE.\n\n"

// runtimeCopy returns the files of a copy of the runtime whose packages are imported from
// prefix, keyed by slash-separated path below vendorFolder. Tests, and packages that only
// tests use, are left out.
func runtimeCopy(prefix string) (map[string][]byte, error) {
	files := map[string][]byte{"LICENSE": runtime.License}
	for folder, sources := range map[string]fs.FS{"runtime": runtime.Sources, "transform/plan": plan.Sources} {
		err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (strings.HasSuffix(name, "test") || "loopc/runtime/"+name == facade):
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

// importFrom returns the Go file text with every import of a loopc package replaced by the
// same package below prefix.
func importFrom(name string, text []byte, prefix string) ([]byte, error) {
	if !strings.HasSuffix(name, ".go") {
		return text, nil // assembly, C
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

// syncRuntime makes the folder hold the copied files, and removes files that only an
// earlier copy had. Files that are not copies stay; where a copy belongs, they are an
// error. Unchanged files are not touched. left is how many files were emptied: see discard.
func syncRuntime(folder string, copied map[string][]byte) (left int, err error) {
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		if err := newRuntime(folder, copied); !errors.Is(err, fs.ErrExist) {
			return 0, err
		}
		// Another compilation made the folder meanwhile.
	}
	var stale []string
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".s", ".c", ".h"}, filepath.Ext(name)) {
			return err
		}
		below, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		_, wanted := copied[filepath.ToSlash(below)]
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
		return 0, err
	}
	for name, text := range copied {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return 0, err
		}
		if err := writeFile(at, text); err != nil {
			return 0, err
		}
	}
	return removeCopies(stale)
}

// removeCopies removes files of an earlier copy, or empties them: left is how many.
func removeCopies(stale []string) (left int, err error) {
	for _, name := range stale {
		emptied, err := discard(name, "")
		if err != nil {
			return left, err
		}
		if emptied {
			left++
		}
		// This removes a folder that has become empty, and fails for others.
		_ = os.Remove(filepath.Dir(name))
	}
	return left, nil
}

// newRuntime makes a folder with the copied files atomically: they go to a temporary
// folder, which is then renamed. This is faster than to write and rename the files one by
// one.
func newRuntime(folder string, copied map[string][]byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		return err
	}
	// Not os.MkdirTemp, which would not let the umask decide.
	temporary := filepath.Join(filepath.Dir(folder), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(folder), rand.Uint32()))
	if err := os.Mkdir(temporary, 0o777); err != nil {
		return files.Unwritable(folder, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temporary))
		}
	}()
	made := map[string]bool{}
	for name, text := range copied {
		at := filepath.Join(temporary, filepath.FromSlash(name))
		if parent := filepath.Dir(at); !made[parent] {
			if err := os.MkdirAll(parent, 0o777); err != nil {
				return files.Unwritable(filepath.Join(folder, filepath.FromSlash(name)), err)
			}
			made[parent] = true
		}
		if err := os.WriteFile(at, text, 0o644); err != nil {
			return files.Unwritable(filepath.Join(folder, filepath.FromSlash(name)), err)
		}
	}
	if err := os.Rename(temporary, folder); err != nil {
		return files.Unwritable(folder, err)
	}
	return nil
}
