package array_test

import (
	"testing"

	"loopc/runtime/array"
)

// TestPool: a pool gives memory out a second time only after Again, with all bytes 0, and only for
// a request of the same length.
func TestPool(t *testing.T) {
	var p array.Pool
	a, b := p.Bytes(100), p.LargeBytes(200, 1)
	if c := p.Bytes(100); &c[0] == &a[0] {
		t.Fatal("memory in use was given out")
	}
	a[3], b[7] = 1, 1
	p.Again()
	if x := p.LargeBytes(200, 1); &x[0] != &b[0] || x[7] != 0 {
		t.Error("200 bytes were not used again, or are not zero")
	}
	if x := p.Bytes(100); &x[0] != &a[0] || x[3] != 0 {
		t.Error("100 bytes were not used again, or are not zero")
	}
	if x := p.Bytes(300); len(x) != 300 {
		t.Errorf("%d bytes, want 300", len(x))
	}
	p.Again()
	p.Again() // nothing was wanted
	if x := p.Bytes(100); &x[0] == &a[0] {
		t.Error("what was not wanted is kept")
	}
	var none *array.Pool
	none.Again()
	if x := none.Bytes(5); len(x) != 5 {
		t.Errorf("%d bytes, want 5", len(x))
	}
}

// A pool within another one has memory that stays with the other one; a borrowed pool keeps
// a limited number of bytes.
func TestPoolWithin(t *testing.T) {
	var p array.Pool
	a := p.Within().Bytes(100)
	if b := p.Within().Bytes(100); &b[0] == &a[0] {
		t.Error("memory in use was given out")
	}
	p.Again()
	a[3] = 1
	if b := p.Within().Bytes(100); b[3] != 0 {
		t.Error("memory is not zero")
	}
	q := array.Borrow()
	large, small := q.Bytes(33<<20), q.Bytes(1<<10)
	q.Again()
	if b := q.Bytes(33 << 20); &b[0] == &large[0] {
		t.Error("more bytes are kept than the limit")
	}
	if b := q.Bytes(1 << 10); &b[0] != &small[0] {
		t.Error("a small piece is not kept")
	}
	q.Return()
}
