package tcp

import (
	"fmt"
	"os"
	"testing"
)

// SendTimes is what the test binary does if SenderEnv says so; it is set by tests
// outside of this package.
var SendTimes func(addr string) error

// SenderEnv is the environment by which a test binary that is started again knows
// that it is the rank that sends, and where rank 0 listens.
const SenderEnv = "LOOPC_TEST_SENDER"

// TestMain runs the tests or, if a test has started this binary, the program that the test wants.
func TestMain(m *testing.M) {
	var err error
	if addr := os.Getenv(SenderEnv); addr != "" {
		err = SendTimes(addr)
	} else if text := os.Getenv(idleEnv); text != "" {
		err = beIdle(text)
	} else {
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
