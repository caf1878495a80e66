package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// A versionCommand prints the version of loopc.
type versionCommand struct{}

// Run prints one line: the version, that of Go, and the platform.
func (versionCommand) Run(a *app) error {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	_, err := fmt.Fprintf(a.stdout, "loopc %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
