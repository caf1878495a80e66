package transporttest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// leastPort and mostPort bound the ports of FreeAddress: systems give those from
// 32768 on, or from 49152 on, to who connects or listens at any.
const leastPort, mostPort = 10_000, 32_000

// FreeAddress returns an address of this host at which nobody listens. It stays free
// until a test uses it, unless another one draws the same port meanwhile.
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
