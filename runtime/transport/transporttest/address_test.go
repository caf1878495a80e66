package transporttest

import (
	"net"
	"testing"
)

// TestFreeAddress requires that one can listen at an address that is free, and that
// it is not one of those that the system gives to who asks for any.
func TestFreeAddress(t *testing.T) {
	for range 20 {
		addr, err := FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		if port := listener.Addr().(*net.TCPAddr).Port; port < leastPort || port >= mostPort {
			t.Errorf("port %d is not from %d to %d", port, leastPort, mostPort)
		}
	}
}
