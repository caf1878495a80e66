package shm

import (
	"net"
	"path/filepath"
	"testing"
)

// TestReadAfterReset reads from a connection whose other end was closed with bytes left unread, as
// when a peer is killed. Read must return an error and a count of 0: bufio panics if it is negative.
func TestReadAfterReset(t *testing.T) {
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialed, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer dialed.Close()
	peer, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dialed.Write([]byte("unread")); err != nil {
		t.Fatal(err)
	}
	if err := peer.Close(); err != nil {
		t.Fatal(err)
	}
	c := &conn{UnixConn: dialed.(*net.UnixConn)}
	c.Trust()
	if n, err := c.Read(make([]byte, 8)); n != 0 || err == nil {
		t.Errorf("%d bytes, error %v", n, err)
	}
}
