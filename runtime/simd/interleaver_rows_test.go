package simd

import (
	"testing"

	"loopc/testdata/lacking"
)

// TestDeinterleaveWithoutRow: rows are transposed together even if one lane has no row, as in the
// last time slab of a run.
func TestDeinterleaveWithoutRow(t *testing.T) {
	z := NewInterleaver[int64](4)
	if race {
		t.Skip("no function in assembly runs under the race detector")
	}
	if z.code == nil {
		lacking.Skip(t, "no functions for this processor")
	}
	const steps = 4 * (2*lostSquares + 3)
	lanes, cells := make([]int64, 4*steps), make([]int64, 2*steps)
	for k := range lanes {
		lanes[k] = int64(k)
	}
	code, edges := *z.code, 0
	code.deinterleaveEdge = func(*uintptr) { edges++ }
	z.code = &code
	z.Deinterleave([]Row[int64]{{}, {Cells: cells[:steps]}, {}, {Cells: cells[steps:]}}, lanes, 0, 4)
	if edges > 0 {
		t.Errorf("%d squares are stored under masks", edges)
	}
	for k := range steps {
		if cells[k] != int64(4*k+1) || cells[steps+k] != int64(4*k+3) {
			t.Fatalf("step %d: cells %d and %d", k, cells[k], cells[steps+k])
		}
	}
}
