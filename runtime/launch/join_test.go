package launch_test

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"loopc/runtime/launch"
)

// TestJoinLate has a rank come so long after the other that this one hears first
// that the launcher lives: it waits on, and both get the addresses.
func TestJoinLate(t *testing.T) {
	t.Parallel() // it does little but wait
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	root, err := launch.Serve(launch.ServeConfig{Listener: listener, Size: 2, Secret: sesame})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	errs := make(chan error, 2)
	for k := range 2 {
		go func() {
			time.Sleep(time.Duration(k) * 1300 * time.Millisecond) // beats come every second
			info := launch.Info{Rank: k, Size: 2, Root: listener.Addr().String(), Secret: sesame}
			control, err := launch.Join(t.Context(), info, fmt.Sprintf("10.0.0.%d:99", k), [32]byte{})
			if err == nil {
				if got := fmt.Sprint(control.Addrs()); got != "[10.0.0.0:99 10.0.0.1:99]" {
					err = fmt.Errorf("rank %d: addresses %s", k, got)
				}
				err = errors.Join(err, control.Close())
			}
			errs <- err
		}()
	}
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Error(err)
	}
}
