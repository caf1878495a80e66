package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// loopc runs the programs that it finds in its cache. So the cache and its entries must
// belong to the user, and nobody else may be able to write there.

// cacheFolder returns the folder of the cache, which only this user can read, and makes it
// if it is missing. If other users could have written to it, cacheFolder returns a
// temporary folder for this process.
func (a *app) cacheFolder() (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache := filepath.Join(user, "loopc")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	if err := trusted(cache); err != nil {
		return a.distrust(cache, err)
	}
	return cache, nil
}

// distrust warns that the folder is not used, with the reason, and returns a new folder to
// build in, which is removed at the end.
func (a *app) distrust(folder string, reason error) (string, error) {
	fmt.Fprintf(a.stderr, "loopc: warning: %s is not used: %v; the program is built in a temporary folder\n", folder, reason)
	temp, err := os.MkdirTemp("", "loopc-") // only this user can enter it
	if err == nil {
		a.temps = append(a.temps, temp)
	}
	return temp, err
}

// removeTemps removes the temporary folders.
func (a *app) removeTemps() {
	for _, temp := range a.temps {
		if err := os.RemoveAll(temp); err != nil {
			fmt.Fprintf(a.stderr, "loopc: warning: %v\n", err)
		}
	}
}

// trustedEntry returns an error if other users may have written the program of a cache
// entry, or the runtime's copy from which it is built.
func trustedEntry(entry, copied string) error {
	for _, name := range []string{entry, executable(entry), seal(entry), copied} {
		if err := trusted(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// trusted returns an error if the file or folder does not exist, belongs to another user,
// or can be written by other users.
func trusted(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	user, owner := owners(info)
	return trustedBy(user, owner, info.Mode(), name)
}

// trustedBy does what trusted does, for the given user and a file with the given owner and mode.
func trustedBy(user, owner int, mode fs.FileMode, name string) error {
	switch {
	case owner != user:
		return fmt.Errorf("%s belongs to user %d, not to user %d", name, owner, user)
	case mode.Perm()&0o022 != 0:
		return fmt.Errorf("%s has mode %04o, so that others can write there (chmod go-w %[1]s, or remove it)", name, mode.Perm())
	}
	return nil
}

// noTemporary returns an error if no temporary folder can be made, which go build needs.
func noTemporary() error {
	temp, err := os.MkdirTemp("", "loopc-")
	if err != nil {
		return fmt.Errorf("no folder can be made for temporary files: %w: set TMPDIR to a folder where you may write, such as /tmp", err)
	}
	return os.Remove(temp)
}
