package array

import (
	"errors"
	"fmt"
)

// A Pool reuses memory: after Again, it hands out the memory that it allocated before, all zero. A nil
// Pool keeps nothing. A Pool is for one goroutine.
type Pool struct {
	free, used [][]byte
}

// Again takes back all memory that the pool has handed out, and drops memory that was not used
// since the last call.
func (p *Pool) Again() {
	if p != nil {
		p.free, p.used = p.used, nil
	}
}

// Bytes is the function Bytes, with memory of the pool.
func (p *Pool) Bytes(n int) []byte { return p.take(n, func() []byte { return Bytes(n) }) }

// Make is the function Make, with memory of the pool.
func (p *Pool) Make(elem string, lo, hi []int) (View, error) {
	v := View{Elem: elem, Size: SizeOf(elem), Lo: lo, Hi: hi}
	if v.Size == 0 {
		return View{}, fmt.Errorf("no such cell type: %s", elem)
	}
	n := v.strides()
	if n < 0 || n > (1<<46)/v.Size {
		return View{}, errors.New("too many cells")
	}
	v.Data = p.Bytes(n * v.Size)
	return v, nil
}

// LargeBytes is the function LargeBytes, with memory of the pool.
func (p *Pool) LargeBytes(n, workers int) []byte {
	return p.take(n, func() []byte { return LargeBytes(n, workers) })
}

// take returns n zero bytes, which the function fresh allocates if the pool has none. Callers
// mostly ask for the same sizes in the same order each time, so the first free piece fits.
func (p *Pool) take(n int, fresh func() []byte) []byte {
	if p == nil || n <= 0 {
		return fresh()
	}
	for k, b := range p.free {
		if len(b) == n {
			p.free[k] = p.free[0]
			p.free = p.free[1:]
			p.used = append(p.used, b)
			clear(b)
			return b
		}
	}
	b := fresh()
	p.used = append(p.used, b)
	return b
}
