package halo

import (
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// Results that go past the caches do so while their rows are computed, where vectors are
// lines: see simd.Lines. Then a row is computed a few steps at a time.

// lineSteps is how many steps are computed at a time before squares of all rows are complete,
// and afterwards: a multiple of squareSteps [note kernel-constants].
const lineSteps = 32

// squareSteps is how many steps the squares have that are streamed together.
func (r *slabs[T]) squareSteps() int { return kernel.LinesTogether * r.Count }

// latestLines is how many steps of a row there may be before its first squares: rows would be
// far from one another else.
const latestLines = 2 * lineSteps

// lineSlide returns by how many steps more chains' rows are apart that are streamed meanwhile:
// what a row has not streamed yet is not written over. That is the steps of a call, and its
// beginning, or those before that are no squares yet; or, when squares are streamed one behind
// the other, these, the next ones, and the steps that a chain's row is ahead of another's. From
// step full0 on all lanes take part: a multiple of lineSteps later Lined is called.
func (r *slabs[T]) lineSlide(chains []chain[T], full0 int) int {
	least, most, begin := none, 0, 0
	for i := range chains {
		if c := &chains[i]; c.lined && !c.skip {
			rest, from := r.restOfLines(c, full0-i*r.lag), c.lines.From()
			least, most, begin = min(least, rest), max(most, rest), max(begin, from)
		}
	}
	if least == none {
		return 0
	}
	return max(begin+lineSteps, r.squareSteps()+lineSteps, 2*r.squareSteps()+most-least)
}

// restOfLines returns how many steps of chain c's row, of those before a step, are computed
// and no squares yet.
func (r *slabs[T]) restOfLines(c *chain[T], step int) int {
	return c.lines.Rest(step - c.shift - c.lineBase)
}

// beginLines finds out whether chain c's row is streamed while it is computed. A row that
// takes the place of the one above it is not: each call begins with reading vectors of that
// some steps back, which are written over then.
func (r *slabs[T]) beginLines(c *chain[T]) {
	if len(c.gives) != 1 || c.count < r.Count || r.InPlace > 0 && !r.together { // lines of all lanes, see Lined
		return
	}
	v := c.gives[0]
	if !r.keepsSome(c, v) || !r.streams(v) || !r.resultRows(c, v, false) {
		return
	}
	c.lineBase = r.countFromFirst()
	c.lined = c.lines.Begin(r.laces, r.laceRows) && c.lines.From() <= latestLines
}

// layLines says where the vectors of chain c's row are, which have their place.
func (r *slabs[T]) layLines(c *chain[T]) {
	cells, at, step := r.place(c, c.gives[0])
	c.lines.Lay(cells[at+c.lineBase*step:], step)
	c.laid = true
}

// keptOfLines returns the first step of which chain c's row is needed, for its results,
// when it is complete.
func (r *slabs[T]) keptOfLines(c *chain[T]) int {
	return c.shift + c.lineBase + c.lines.End()
}

// rises returns by how much the words of a frame differ in the next step.
func (r *slabs[T]) rises() []int {
	rise := make([]int, r.FrameWords())
	unit, zero := make([]int, r.n), make([]int, r.n)
	unit[r.last] = 1
	for i := range r.Chains {
		w := rise[r.FrameChain(i) : r.FrameChain(i)+r.ChainWords()]
		w[kernel.ChainStep], w[kernel.ChainNow] = 1, r.Now*r.Count*r.Size
		for k := range r.Rows {
			w[r.ChainRow(k)] = r.Ring * r.Count * r.Size
		}
		for k := range r.Inserts {
			w[r.ChainInsert(k)] = r.Size
		}
		for k := range r.Outs {
			w[r.ChainOut(k)] = r.Size
		}
		for k := range r.Given {
			w[r.ChainGiven(k)] = r.given[k].rise()
		}
		for k := range r.Indices {
			f := &r.Indices[k].At
			w[r.ChainIndex(k)] = f.Eval(r.p.Params, unit) - f.Eval(r.p.Params, zero)
		}
	}
	return rise
}

// forward moves the frame on by n steps.
func (r *slabs[T]) forward(n int) {
	for i, rise := range r.rise {
		r.frame[i] += rise * n
	}
}

// someSteps calls the kernel for n steps, and moves the frame on.
func (r *slabs[T]) someSteps(run func(*int), n, full0, full1 int) {
	f := r.frame
	f[kernel.FrameSteps], f[kernel.FrameFull0], f[kernel.FrameFull1], f[kernel.FrameKept] = n, full0, full1, 0
	run(&f[0])
	r.forward(n)
}

// stepsWithLines is steps, relative to the first, where rows of some of the chains that
// the frame points to are streamed meanwhile. Steps from full0 up to full1 have no masks.
func (r *slabs[T]) stepsWithLines(run func(*int), steps, full0, full1 int) {
	for done := 0; done < steps; r.store(done) {
		n, left := min(lineSteps, steps-done), full1-done
		switch {
		case done < full0: // rows may begin, and end, long before others
			n = min(n, full0-done)
			r.someSteps(run, n, n, n)
		case left >= lineSteps:
			if times := r.squaresLeft(left/r.squareSteps() - 1); times > 0 {
				n = r.streamSquares(run, done, times)
				break
			}
			fallthrough
		default:
			r.someSteps(run, n, 0, min(n, max(0, left)))
		}
		done += n
	}
}

// streamSquares computes steps in which all chains' squares are streamed so many times, when
// so many steps are done, and returns how many it has. Squares are streamed behind others: the
// first of all rows are complete then.
func (r *slabs[T]) streamSquares(run func(*int), done, times int) (steps int) {
	together, rest := r.squareSteps(), none
	for _, c := range r.pointed {
		rest = min(rest, r.restOfLines(c, c.step+done))
	}
	before := together - rest
	r.someSteps(run, before, 0, before)
	stream := func(times int) {
		r.someSteps(r.Lined, times*together, 0, times*together)
		for _, c := range r.pointed {
			c.lines.Moved(times)
		}
		steps += times * together
	}
	again, left := r.againTimes(done + before)
	for left >= again && times > again {
		stream(again)
		r.layAgain(-again * together)
		left, times = left-again, times-again
	}
	r.layAgain(steps)
	stream(times)
	return before + steps
}

// againBytes is how much memory vectors take until others take their place, which nobody reads
// later: so they stay in the first cache.
const againBytes = 24 << 10

// againTimes returns how many times squares are streamed until vectors take the place of others,
// at least so many as layAgain moves vectors of; and how many times they may be, when so many
// steps are done, of which nobody reads the vectors later.
func (r *slabs[T]) againTimes(done int) (again, left int) {
	steps := none
	for _, c := range r.pointed {
		if c.planes || r.Values[c.gives[0]].InRing {
			return 1, 0
		}
		for i := range r.out {
			b := &r.out[i]
			if _, _, ok := b.rowAt(c.row); ok && b.lo[0] < c.level+c.count && b.hi[0] >= c.level {
				steps = min(steps, b.lo[r.last]-c.step-done)
			}
		}
	}
	together := r.squareSteps()
	again = againBytes / (r.Chains * r.Now * together * r.Count * r.Size)
	return max(2, plan.CeilDiv(r.history, together), again), steps / together
}

// layAgain moves the place of the next steps' vectors on, or back, by steps, and with it what
// these read of those before.
func (r *slabs[T]) layAgain(steps int) {
	if steps == 0 {
		return
	}
	for i, c := range r.pointed {
		word := &r.frame[r.FrameChain(i)+kernel.ChainNow]
		c.lines.LayAgain(*word, steps, r.history)
		*word += steps * r.Now * r.Count * r.Size
	}
}

// squaresLeft returns how many times the kernel streams squares of all chains, at most some.
func (r *slabs[T]) squaresLeft(most int) int {
	if r.Lined == nil || len(r.pointed) != r.Chains {
		return 0
	}
	for i, c := range r.pointed {
		if !c.lined {
			return 0
		}
		most = min(most, c.lines.Left())
		r.frame[r.FrameChain(i)+r.ChainLines()] = c.lines.Frame()
	}
	return most
}

// store streams what is complete of the rows after so many steps of a call.
func (r *slabs[T]) store(done int) {
	for _, c := range r.pointed {
		if c.lined {
			c.lines.Upto(c.step + done - c.shift - c.lineBase)
		}
	}
}
