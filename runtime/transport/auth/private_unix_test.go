//go:build unix

package auth

import (
	"io/fs"
	"testing"
)

// A secret of another user is not ours, unless it is root's.
func TestPrivateTo(t *testing.T) {
	for _, c := range []struct {
		user, owner int
		mode        fs.FileMode
		want        bool
	}{
		{1000, 1000, 0o600, true},
		{1000, 1000, 0o640, false},
		{1000, 0, 0o440, true}, // as Kubernetes mounts it
		{1000, 0, 0o444, false},
		{1000, 0, 0o460, false},
		{1000, 1001, 0o600, false},
		{0, 1000, 0o600, false},
		{1000, 1000, fs.ModeNamedPipe | 0o600, false},
	} {
		if err := privateTo(c.user, "secret", c.mode, c.owner); (err == nil) != c.want {
			t.Errorf("user %d, file of user %d with mode %v: %v", c.user, c.owner, c.mode, err)
		}
	}
}
