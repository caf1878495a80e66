package shm

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
)

// Supported returns an error if this system lacks what Listen needs. It creates some memory
// to find out.
func Supported() error {
	_, file, err := create(0, 1)
	if err != nil {
		return fmt.Errorf("shm: %w", err)
	}
	return file.Close()
}

// A local is the listener at which a rank is reached by the other ranks of its host.
type local struct {
	listener *listener
	name     func(rank int) string
}

// Listen lets the ranks of this host reach this one, for tcp.Config.Local. It must be
// called before others learn the address of the rank's TCP listener: a rank that dials
// before Listen would conclude that this rank is on another host.
func Listen(rank int, secret auth.Secret) (tcp.Local, error) {
	if err := Supported(); err != nil {
		return nil, err
	}
	host, err := hostname()
	if err != nil {
		return nil, fmt.Errorf("shm: cannot tell this host from others: %w", err)
	}
	l := &local{name: func(rank int) string {
		mac := hmac.New(sha256.New, []byte(secret.Text()))
		fmt.Fprintf(mac, "loopc shm, rank %d on %s", rank, host)
		return "@loopc-" + hex.EncodeToString(mac.Sum(nil)[:16])
	}}
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: l.name(rank), Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("shm: %w", err)
	}
	l.listener = &listener{socket}
	return l, nil
}

// hostname identifies the host for shared memory: the running kernel's boot identifier, the
// namespaces and the user.
func hostname() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	parts := []string{strings.TrimSpace(string(boot)), fmt.Sprint(os.Getuid())}
	for _, kind := range []string{"net", "user"} {
		id, err := os.Readlink("/proc/self/ns/" + kind)
		if err != nil {
			return "", err
		}
		parts = append(parts, id)
	}
	return strings.Join(parts, " "), nil
}

// Name implements tcp.Local.
func (l *local) Name() string { return "shm" }

// Listener implements tcp.Local.
func (l *local) Listener() net.Listener { return l.listener }

// Dial implements tcp.Local.
func (l *local) Dial(ctx context.Context, rank int) (net.Conn, error) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "unix", l.name(rank))
	if err != nil {
		return nil, err
	}
	return admit(c.(*net.UnixConn))
}

// A listener accepts connections of this user's processes.
type listener struct{ *net.UnixListener }

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if own, err := admit(c); err == nil {
			return own, nil
		}
	}
}

// admit returns c as a connection for faces if it is to a process of this
// user, and closes it otherwise.
func admit(c *net.UnixConn) (*conn, error) {
	raw, err := c.SyscallConn()
	if err == nil {
		var cred *syscall.Ucred
		var failed error
		err = raw.Control(func(fd uintptr) {
			cred, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		})
		switch {
		case err != nil:
		case failed != nil:
			err = failed
		case int(cred.Uid) != os.Getuid():
			err = fmt.Errorf("shm: the other side is a process of user %d", cred.Uid)
		}
	}
	if err != nil {
		_ = c.Close() // nothing was sent yet
		return nil, err
	}
	return &conn{UnixConn: c}, nil
}
