package transporttest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// leastPort and mostPort bound the ports of FreeAddress: systems use ports from 32768 or
// 49152 on as ephemeral ports.
const leastPort, mostPort = 10_000, 32_000

// FreeAddress returns an address of this host at which nobody listens. It stays free until
// a test uses it, unless another test draws the same port meanwhile.
func FreeAddress() (string, error) {
	var last error
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", leastPort+rand.IntN(mostPort-leastPort))
		listener, err := net.Listen("tcp", addr)
		if err == nil {
			return addr, listener.Close()
		}
		last = err
	}
	return "", errors.Join(errors.New("no free port"), last)
}
