package element

import (
	"fmt"
	"strings"
	"testing"
)

// TestLimits requires that integers which an int64 cannot hold are refused.
func TestLimits(t *testing.T) {
	if lo, hi := limits(4, false); lo != 0 || hi != 1<<32-1 {
		t.Errorf("unsigned integers of 4 bytes: %d to %d", lo, hi)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "an int64 cannot hold unsigned integers of 8 bytes") {
			t.Errorf("unsigned integers of 8 bytes: %s", text)
		}
	}()
	limits(8, false)
}
