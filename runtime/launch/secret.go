package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	leastSecret = 16   // characters
	mostSecret  = 1024 // bytes of a file with a secret
)

// readSecret reads the secret of a run from a file that nobody but its owner,
// who is this user or root, may read.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := private(f); err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, mostSecret+1))
	secret := strings.TrimSpace(string(b))
	switch {
	case err != nil:
		return "", err
	case len(b) > mostSecret || len(secret) < leastSecret:
		return "", fmt.Errorf("%s: a secret has from %d to %d characters", path, leastSecret, mostSecret)
	}
	return secret, nil
}

// private returns an error unless f is a regular file, or a folder, that others
// than its owner, who is this user or root, may not read or write.
func private(f *os.File) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() && !info.IsDir():
		return fmt.Errorf("%s is neither a file nor a folder", f.Name())
	case !ownerOnly(info):
		return fmt.Errorf("%s can be read by others: its mode is %v, chmod go= makes it what it must be", f.Name(), info.Mode().Perm())
	case !ownedByUs(info):
		return errors.New(f.Name() + " belongs to another user")
	}
	return nil
}
