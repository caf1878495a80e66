package array

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A Pool reuses memory: after Again, it hands out the memory that it allocated before, all zero. A nil
// Pool keeps nothing. Several goroutines may take memory from a Pool at a time.
type Pool struct {
	mu         sync.Mutex
	free, used [][]byte
	most, size int   // bytes that the pool may keep (0: any number), and those that it keeps
	from       *Pool // supplies new memory; nil: the system does
}

// mostBorrowed bounds the bytes that a pool of Borrow keeps: for large memory, the time that the system takes to supply it matters less.
const mostBorrowed = 32 << 20

// returned has the pools that were returned and not borrowed since.
var returned sync.Pool

// Borrow returns a pool that Return has received, with its memory, or else an empty pool. It serves small runs, for which the system would
// need longer to supply memory than they take. The pool keeps at most mostBorrowed bytes; memory beyond comes from the system each time.
func Borrow() *Pool {
	if p, ok := returned.Get().(*Pool); ok {
		return p
	}
	return &Pool{most: mostBorrowed}
}

// Return gives the pool back, for other runs of this process. Nobody may use its memory any more. The
// garbage collector frees the memory of pools that nobody borrows.
func (p *Pool) Return() {
	p.Again()
	returned.Put(p)
}

// Within returns an empty pool that gets its memory from p. That memory is in use in p until p.Again,
// even if nobody uses the new pool any more.
func (p *Pool) Within() *Pool { return &Pool{from: p} }

// Again takes back all memory that the pool has handed out, and drops memory that was not used since the last call.
func (p *Pool) Again() {
	if p == nil {
		return
	}
	p.mu.Lock()
	for _, b := range p.free {
		p.size -= len(b)
	}
	p.free, p.used = p.used, p.free[:0]
	p.mu.Unlock()
}

// Bytes is the function Bytes, with memory of the pool.
func (p *Pool) Bytes(n int) []byte { return p.take(n, 1, func() []byte { return Bytes(n) }) }

// Make is the function Make, with memory of the pool.
func (p *Pool) Make(elem string, lo, hi []int) (View, error) { return makeView(elem, lo, hi, p.Bytes) }

// makeView makes a view of the cells lo..hi of the named type, with memory of alloc.
func makeView(elem string, lo, hi []int, alloc func(n int) []byte) (View, error) {
	v := View{Elem: elem, Size: SizeOf(elem), Lo: lo, Hi: hi}
	if v.Size == 0 {
		return View{}, fmt.Errorf("no such cell type: %s", elem)
	}
	n := v.strides()
	if n < 0 || n > (1<<46)/v.Size {
		return View{}, errors.New("too many cells")
	}
	v.Data = alloc(n * v.Size)
	return v, nil
}

// LargeBytes is the function LargeBytes, with memory of the pool.
func (p *Pool) LargeBytes(n, workers int) []byte {
	return p.take(n, workers, func() []byte { return LargeBytes(n, workers) })
}

// take returns n zero bytes, which the function fresh allocates if the pool has none. As many goroutines as workers clear old memory.
// Callers mostly ask for the same sizes in the same order each time, so the first free piece fits.
func (p *Pool) take(n, workers int, fresh func() []byte) []byte {
	if p == nil || n <= 0 {
		return fresh()
	}
	if b := p.reuse(n); b != nil {
		clearBy(workers, b)
		return b
	}
	b := p.from.take(n, workers, fresh) // if p.from is nil: fresh()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most == 0 || n <= p.most-p.size {
		p.used = append(p.used, b)
		p.size += n
	}
	return b
}

// reuse returns a free piece of n bytes with its old content, nil if there is none.
func (p *Pool) reuse(n int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, b := range p.free {
		if len(b) == n {
			p.free = slices.Delete(p.free, k, k+1)
			p.used = append(p.used, b)
			return b
		}
	}
	return nil
}

// clearBy clears memory by as many goroutines as workers, if it has some megabytes.
func clearBy(workers int, b []byte) {
	if workers == 1 || len(b) < 2*hugePage {
		clear(b)
		return
	}
	var all sync.WaitGroup
	for k := range workers {
		all.Go(func() { clear(b[len(b)*k/workers : len(b)*(k+1)/workers]) })
	}
	all.Wait()
}
