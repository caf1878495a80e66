package launch

import (
	"errors"
	"fmt"
	"os"
)

// private returns an error unless f is a folder that belongs to this user or root, and that
// only its owner may read or write.
func private(f *os.File) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", f.Name())
	case !ownerOnly(info):
		return fmt.Errorf("%s is open to others: its mode is %v", f.Name(), info.Mode().Perm())
	case !ownedByUs(info):
		return errors.New(f.Name() + " belongs to another user")
	}
	return nil
}
