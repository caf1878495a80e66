package vector_test

import (
	"bytes"
	"regexp"
	"testing"
)

// TestLoadsFirst: in place, vectors of bytes that load cells of the vector before load them before its results are stored.
func TestLoadsFirst(t *testing.T) {
	const head = "array u[-4..N+4, -4..N+4] int8 inout\n"
	load, store := regexp.MustCompile(`\n\tV\w+ +-?\d*\(\w+\)\(\w+\*1\), `), regexp.MustCompile(`, -?\d*\(\w+\)\(\w+\*1\)\n`)
	for body, first := range map[string]bool{
		"u[i,j] = select((i + j + t)%2 == 0, int8(u[i,j-1] + u[i,j+1]), u[i,j])": true,
		"u[i,j] = int8(u[i,j] + u[i,j+1])":                                       false, // what a vector loads is not stored before
		"u[i,j] = select((i + t)%2 == 0, int8(u[i-1,j-1] + 1), u[i,j])":          false, // of another row
	} {
		_, text, _ := assembled(t, head, body)
		loop := text[bytes.LastIndex(text, []byte("\nvectors:")):]
		loop = loop[:bytes.Index(loop, []byte("\nfew:"))]
		loads, stores := load.FindAllIndex(loop, -1), store.FindAllIndex(loop, -1)
		if len(loads) == 0 || len(stores) < 2 {
			t.Fatalf("%s: %d loads and %d stores:\n%s", body, len(loads), len(stores), loop)
		}
		if got := loads[len(loads)-1][0] < stores[0][0]; got != first {
			t.Errorf("%s: all loads come first: %v, want %v", body, got, first)
		}
	}
}
