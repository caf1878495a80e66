package transporttest

import (
	"net"
	"testing"
)

// TestFreeAddress: one can listen at the free address, and its port is not one that the system
// gives to a program that asks for any port.
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
