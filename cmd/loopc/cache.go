package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"loopc/codegen"
)

// Entries of the cache that were not used for keepEntries are removed; folders of builds
// that died are removed after keepRemains.
const (
	keepEntries = 30 * 24 * time.Hour
	keepRemains = 24 * time.Hour
)

// cachedModule is the module path of every program in the cache: with one path for all, Go
// compiles the runtime once. If a user's module has that path, its programs get another one.
const cachedModule = "program"

// Prefixes of the names of folders in the cache that are no entries: temporary folders of builds, and copies of the runtime.
const (
	buildPrefix   = "build-"
	runtimePrefix = "runtime-"
)

// A buildKey says what a program is built from, and how.
type buildKey struct {
	files   map[string][]byte // the module, by path; its go.work names the runtime
	runtime runtimeModule
	with    flavor
	goEnv   string // the version of Go, and the variables that change what it builds
	// foreign: the nest calls the user's Go functions, so a failed build may be the user's
	// mistake.
	foreign bool
}

// digest names the program that k builds. The runtime counts because go.work, among the files, names it.
func (k *buildKey) digest() string {
	h := sha256.New()
	part := func(text string) { fmt.Fprintf(h, "%d:%s", len(text), text) }
	part(k.goEnv)
	part(k.with.tag + k.with.built)
	addFiles(h, k.files)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// buildKey returns the key for building a program that runs l over transport, which is "" if unknown.
// emit returns the program's files.
func (a *app) buildKey(l *lowered, transport string, emit func(*lowered, codegen.Options) ([]codegen.File, error)) (*buildKey, error) {
	users, err := usersModuleOf(l)
	if err != nil {
		return nil, err
	}
	module := users.apart(cachedModule)
	prefix := module + "/" + vendorFolder
	emitted, err := emit(l, codegen.Options{Package: "main", Main: true, Runtime: prefix})
	if err != nil {
		return nil, err
	}
	copied, err := runtimeModuleFor(prefix)
	if err != nil {
		return nil, err
	}
	k := &buildKey{runtime: copied, files: map[string][]byte{
		"go.mod":  fmt.Appendf(nil, "module %s\n\ngo %s\n", module, goVersion),
		"go.work": copied.workspace("../" + copied.name),
	}}
	for _, file := range emitted {
		k.files[emittedName(l.source.name, file.Suffix)] = file.Text
	}
	if k.with, err = flavorFor(transport); err != nil {
		return nil, err
	}
	if k.goEnv, err = goEnv(); err != nil {
		return nil, err
	}
	if err := k.addExterns(l, l.source.externs, users); err != nil {
		return nil, err
	}
	k.foreign = len(l.program.Externs) > 0
	return k, nil
}

// program returns the path of an executable that runs l, without warnings.
func (a *app) program(l *lowered) (string, error) {
	k, err := a.buildKey(l, "", func(l *lowered, o codegen.Options) ([]codegen.File, error) { return a.generate(l, o), nil })
	if err != nil {
		return "", err
	}
	return a.built(k)
}

// built returns the path of the executable of k. It takes it from the user's cache, or builds it
// there. Several loopc processes may do this at the same time.
func (a *app) built(k *buildKey) (string, error) {
	cache, err := a.cacheFolder()
	if err != nil {
		return "", err
	}
	for range 3 { // other processes may break or remove the entry
		entry := filepath.Join(cache, k.digest())
		if err := trustedEntry(entry, filepath.Join(cache, k.runtime.name)); err != nil {
			if cache, err = a.distrust(entry, err); err != nil { // from now on a temporary folder
				return "", err
			}
			continue
		}
		if isWhole(entry) {
			now := time.Now()
			_ = os.Chtimes(entry, now, now) // on failure the entry is removed a little early
			return executable(entry), nil
		}
		if err := a.build(cache, entry, k); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s does not stay as it was built", filepath.Join(cache, k.digest()))
}

// executable is the program of a cache entry.
func executable(entry string) string {
	name := filepath.Join(entry, "program")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// seal is the file of a cache entry that holds the digest of its program.
func seal(entry string) string { return filepath.Join(entry, "sha256") }

// isWhole reports whether the program of the entry exists and has the digest of its seal.
func isWhole(entry string) bool {
	want, err := os.ReadFile(seal(entry))
	if err != nil {
		return false
	}
	got, err := fileDigest(executable(entry))
	return err == nil && got == string(want)
}

// fileDigest returns the SHA-256 of a file, in hexadecimal.
func fileDigest(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// build builds the program of k in a folder of its own, which then becomes the entry.
func (a *app) build(cache, entry string, k *buildKey) error {
	sweep(cache)
	copied := filepath.Join(cache, k.runtime.name)
	now := time.Now()
	_ = os.Chtimes(copied, now, now) // so that sweep keeps it; fails if there is no copy yet
	if !k.runtime.isIn(copied) {
		err := replace(cache, copied, k.runtime.isIn, func(folder string) error { return writeAll(folder, k.runtime.files) })
		if err != nil {
			return err
		}
	}
	return replace(cache, entry, isWhole, func(folder string) error {
		if err := writeAll(folder, k.files); err != nil {
			return err
		}
		if err := a.goBuild(folder, k); err != nil {
			return err
		}
		sum, err := fileDigest(executable(folder))
		if err != nil {
			return err
		}
		// The user's umask may let others write what the go command builds.
		if err := os.Chmod(executable(folder), 0o700); err != nil {
			return err
		}
		return os.WriteFile(seal(folder), []byte(sum), 0o600)
	})
}

// replace makes a folder of the cache, which appears when fill has filled it. If another loopc made
// it meanwhile, that one stays, unless it is broken.
func replace(cache, entry string, whole func(string) bool, fill func(folder string) error) error {
	folder, err := os.MkdirTemp(cache, buildPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) // without effect after the rename
	if err := fill(folder); err != nil {
		return err
	}
	err = os.Rename(folder, entry)
	if err == nil || whole(entry) {
		return nil
	}
	// A broken entry is in the way. It is moved aside first: while it is removed, other
	// processes would see parts of it.
	aside, asideErr := os.MkdirTemp(cache, buildPrefix)
	if asideErr != nil {
		return errors.Join(err, asideErr)
	}
	defer os.RemoveAll(aside)
	if err := os.Rename(entry, filepath.Join(aside, "broken")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(folder, entry); err != nil && !whole(entry) {
		return err
	}
	return nil
}

// writeAll writes files into a folder, so that only this user can read them.
func writeAll(folder string, files map[string][]byte) error {
	for name, text := range files {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(at, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// buildFlags are the flags with which Go builds programs in the cache. -trimpath keeps the names of folders out of compiled
// code, so that all programs share one compiled runtime. The last two leave out symbols and debugging information: linking
// them doubles the time, and making debugging information is a tenth of the time to compile.
var buildFlags = []string{"-trimpath", "-buildvcs=false", "-ldflags=-s", "-gcflags=all=-dwarf=false"}

// goBuild builds the module in the folder. It needs no network. If Go ends with complaints about emitted files, that is a bug
// of ours, unless the nest calls functions of the user's, whose types may be wrong.
func (a *app) goBuild(folder string, k *buildKey) error {
	a.pass = "go build"
	build := exec.Command("go", slices.Concat([]string{"build"}, buildFlags, []string{"-tags", k.with.tag, "-o", executable(folder), "."})...)
	build.Dir = folder
	build.Env = k.environ(folder)
	out, err := build.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed) && failed.Exited() && !k.foreign && (bytes.Contains(out, []byte("_loop.go:")) || bytes.Contains(out, []byte("_amd64."))):
		panic("BUG: the emitted program does not build\n" + string(out))
	case err != nil:
		return cmp.Or(noTemporary(), fmt.Errorf("go build: %w\n%s%s", err, out, k.with.needs))
	}
	a.pass = "command"
	return nil
}

// environ is the environment of the Go command for the module of k in a folder.
func (k *buildKey) environ(folder string) []string {
	return append(append(goEnviron(), "GOWORK="+filepath.Join(folder, "go.work")), k.with.env...)
}

// goEnviron is the environment of the Go command: the user's environment with changes. Go then
// builds for this machine, outside any workspace, without network, flags or a C compiler.
func goEnviron() []string {
	return append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH,
		"CGO_ENABLED=0", "GO111MODULE=on", "GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "PWD=")
}

// goEnv returns the version of the Go command, and the variables that change what
// it builds.
func goEnv() (string, error) {
	env := exec.Command("go", "env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT",
		"GODEBUG", "GOFIPS140")
	env.Env = goEnviron()
	out, err := env.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("the go command is not in PATH: loopc run and verify build what they run, with Go " +
			strings.TrimSuffix(goVersion, ".0") + " or later (https://go.dev/dl)")
	case err != nil:
		return "", fmt.Errorf("go env: %w", err)
	}
	return string(out), nil
}

// sweep removes entries that were not used for long. Failures to remove are ignored.
func sweep(cache string) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, entry := range entries {
		limit := keepEntries
		if strings.HasPrefix(entry.Name(), buildPrefix) {
			limit = keepRemains
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > limit {
			_ = os.RemoveAll(filepath.Join(cache, entry.Name()))
		}
	}
}
