package halo

import (
	"unsafe"

	"loopc/runtime/simd"
)

// An Ahead asks for what the next tile reads from memory, a little at a time, while this one
// is computed: a tile's first level would wait for all of it, and further ones for what is
// beside the tile. (Zen 4, jacobi3d, 40 levels of 256 cubed, on one CPU: 400 and 375 ms, in
// turn.)
type Ahead struct {
	parts []part
	next  int // of the parts
	lines int // to ask for at each step; 0: nothing is left
}

// A part is lines of memory that follow one another.
type part struct {
	at    unsafe.Pointer
	lines int
}

const lineBytes = 64

// Step asks for some more, before rows at one place are computed.
func (a *Ahead) Step() {
	if a.lines > 0 {
		a.step()
	}
}

func (a *Ahead) step() {
	for n := a.lines; n > 0; {
		if a.next == len(a.parts) {
			a.lines = 0
			return
		}
		p := &a.parts[a.next]
		some := min(n, p.lines)
		simd.FetchLines(p.at, some)
		n -= some
		if p.lines -= some; p.lines == 0 {
			a.next++
		} else {
			p.at = unsafe.Add(p.at, some*lineBytes)
		}
	}
}

// begin lists what the tile after that of r reads, to be asked for in no more steps than its
// kernel takes.
func (a *Ahead) begin(r *wholeLevels, c *Column) {
	w, p := r.w, r.w.plan
	a.parts, a.next, a.lines = a.parts[:0], 0, 0
	for level := w.first[0]; level <= w.last[0]; level++ {
		// All of the first level; of others the next tile has computed the most itself.
		a.add(r, c, level-1, true, level == w.first[0])
		if level == w.first[0] && (level == p.Lo[0] || !p.Compressed()) {
			a.add(r, c, level, false, true) // what it replaces
		}
	}
	lines := 0
	for _, m := range a.parts {
		lines += m.lines
	}
	steps := (w.last[0] - w.first[0] + 1) * (w.last[2] - w.first[2] + 1)
	a.lines = (lines + steps - 1) / steps
}

// add lists locations of a level that lie in the next tile, and those in the margin below it
// if that is asked for: all of them, or only those in the margin.
func (a *Ahead) add(r *wholeLevels, c *Column, level int, margin, all bool) {
	w, p, b := r.w, r.w.plan, c.block
	at, to := r.at, r.to
	for x := 1; x < len(at); x++ {
		at[x], to[x] = w.first[x], w.last[x]
		if margin {
			at[x] -= p.Margin[x]
		}
		switch {
		case x == p.Map:
			at[x], to[x] = w.last[x]+1, w.last[x]+p.Side[x]
		case !all && x != len(at)-1:
			to[x] = w.first[x] - 1
		}
	}
	if some, _ := r.edge.Own(level, at, to); !some {
		return
	}
	for v, data := range b.Data {
		if data == nil {
			continue
		}
		size := p.Nest.Arrays[p.Nest.Values[v].Array].Size
		for i := at[1]; i <= to[1]; i++ {
			row := b.Row0(v, level) + i*b.stride[1]
			from, end := (row+at[2]*b.stride[2]+at[3])*size, (row+to[2]*b.stride[2]+to[3])*size
			a.parts = append(a.parts, part{unsafe.Pointer(&data[from]), (end-from)/lineBytes + 1})
		}
	}
}
