package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// languageVersion is the version of the language, and its difference from the previous
// version, under which a file may have other results.
const languageVersion = "language 2; unlike 1, a let of loop variables, parameters and integer constants alone is int64, whatever uses it: see loopc help language let"

// A versionCommand prints the versions of loopc and of the language.
type versionCommand struct{}

// Run prints a line with the versions of loopc and Go and the platform, and a line on the
// language.
func (versionCommand) Run(a *app) error {
	_, err := fmt.Fprintf(a.stdout, "loopc %s %s %s/%s\n%s\n", a.version, runtime.Version(), runtime.GOOS, runtime.GOARCH, languageVersion)
	return err
}

// ownVersion is the version of the running loopc, as Go finds it in version control: its order is that of commits. Without, it is
// (devel).
func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
