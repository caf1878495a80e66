package halo

import (
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// Results that go past the caches do so while their rows are computed, where vectors are
// lines: see simd.Lines. Then a row is computed a few steps at a time.

// lineSteps is how many steps are computed at a time before squares of all rows are complete,
// and afterwards: a multiple of squareSteps [note kernel-constants].
const lineSteps = 32

// latestLines is how many steps of a row there may be before its first squares: rows would be
// far from one another else.
const latestLines = 2 * lineSteps

// squareSteps is how many steps the squares have that are streamed together.
func squareSteps(l *kernel.Temporal) int { return kernel.LinesAtOnce * l.Count }

// A streamedRow is the row of a stream whose results are streamed while it is computed, if on.
type streamedRow[T int32 | int64] struct {
	on    bool
	lines simd.Lines[T]
	base  int  // the step from which lines counts, from the shift of the row's spans
	laid  bool // the vectors of the row have places
	step  int  // that the frame begins with
}

// streamingOffset returns by how many steps more streams' rows are apart that are streamed meanwhile:
// what a row has not streamed yet is not written over. That is the steps of a call, and its
// beginning, or those before that are no squares yet; or, when squares are streamed one behind
// the other, these, the next ones, and the steps that a stream's row is ahead of another's. From
// step full0 on all lanes take part: a multiple of lineSteps later Streaming is called.
func (r *timeSlabs[T]) streamingOffset(streams []stream[T], full0 int) int {
	least, most, begin := none, 0, 0
	for i := range streams {
		if c := &streams[i]; c.streamed.on && !c.spans.skip {
			rest, from := c.unstoredSteps(full0-i*r.room.lag), c.streamed.lines.From()
			least, most, begin = min(least, rest), max(most, rest), max(begin, from)
		}
	}
	if least == none {
		return 0
	}
	return max(begin+lineSteps, squareSteps(r.lanes)+lineSteps, 2*squareSteps(r.lanes)+most-least)
}

// unstoredSteps returns how many steps of the row, of those before a step, are computed
// and no squares yet.
func (c *stream[T]) unstoredSteps(step int) int {
	return c.streamed.lines.Rest(step - c.spans.shift - c.streamed.base)
}

// beginLines finds out whether stream c's row is streamed while it is computed. A row that
// takes the place of the one above it is not: each call begins with reading vectors of that
// some steps back, which are written over then.
func (r *timeSlabs[T]) beginLines(c *stream[T]) {
	if len(c.results.values) != 1 || c.count < r.lanes.Count || r.lanes.InPlace > 0 && !r.room.shared { // lines of all lanes, see Streaming
		return
	}
	v := c.results.values[0]
	if !r.keepsSome(c, v) || !r.streaming(v) || !r.resultRows(c, v, false) {
		return
	}
	c.streamed.base = r.transposer.countFromFirst()
	c.streamed.on = c.streamed.lines.Begin(r.transposer.vectors, r.transposer.rows) && c.streamed.lines.From() <= latestLines
}

// layLines says where the vectors of stream c's row are, which have their place.
func (r *timeSlabs[T]) layLines(c *stream[T]) {
	cells, at, step := r.place(c, c.results.values[0])
	c.streamed.lines.Lay(cells[at+c.streamed.base*step:], step)
	c.streamed.laid = true
}

// neededOfLines returns the first step of which the row is needed, for its results, when it is
// complete.
func (c *stream[T]) neededOfLines() int {
	return c.spans.shift + c.streamed.base + c.streamed.lines.End()
}

// streamingSteps is steps, relative to the first, where rows of some of the streams that
// the frame points to are streamed meanwhile. Steps from full0 up to full1 have no masks.
func (k *kernelCalls[T]) streamingSteps(run func(*int), steps, full0, full1 int) {
	for done := 0; done < steps; k.store(done) {
		n, left := min(lineSteps, steps-done), full1-done
		switch {
		case done < full0: // rows may begin, and end, long before others
			n = min(n, full0-done)
			k.someSteps(run, n, n, n)
		case left >= lineSteps:
			if times := k.squaresLeft(left/squareSteps(k.lanes) - 1); times > 0 {
				n = k.streamSquares(run, done, times)
				break
			}
			fallthrough
		default:
			k.someSteps(run, n, 0, min(n, max(0, left)))
		}
		done += n
	}
}

// streamSquares computes steps in which all streams' squares are streamed so many times, when
// so many steps are done, and returns how many it has. Squares are streamed behind others: the
// first of all rows are complete then.
func (k *kernelCalls[T]) streamSquares(run func(*int), done, times int) (steps int) {
	together, rest := squareSteps(k.lanes), none
	for _, c := range k.pointed {
		rest = min(rest, c.unstoredSteps(c.streamed.step+done))
	}
	before := together - rest
	k.someSteps(run, before, 0, before)
	stream := func(times int) {
		k.someSteps(k.lanes.Streaming, times*together, 0, times*together)
		for _, c := range k.pointed {
			c.streamed.lines.Moved(times)
		}
		steps += times * together
	}
	again, left := k.againTimes(done + before)
	for left >= again && times > again {
		stream(again)
		k.layAgain(-again * together)
		left, times = left-again, times-again
	}
	k.layAgain(steps)
	stream(times)
	return before + steps
}

// againBytes is how much memory vectors take until others take their place, which nobody reads
// later: so they stay in the first cache.
const againBytes = 24 << 10

// againTimes returns how many times squares are streamed until vectors take the place of others,
// at least so many as layAgain moves vectors of; and how many times they may be, when so many
// steps are done, of which nobody reads the vectors latek.
func (k *kernelCalls[T]) againTimes(done int) (again, left int) {
	steps := none
	for _, c := range k.pointed {
		if c.results.planes || k.lanes.Values[c.results.values[0]].InBuffer {
			return 1, 0
		}
		for i := range k.border.out {
			b := &k.border.out[i]
			if _, _, ok := b.rowAt(c.row); ok && b.lo[0] < c.level+c.count && b.hi[0] >= c.level {
				steps = min(steps, b.lo[len(b.lo)-1]-c.streamed.step-done)
			}
		}
	}
	together := squareSteps(k.lanes)
	again = againBytes / (k.lanes.Streams * k.lanes.Current * together * k.lanes.Count * k.lanes.Size)
	return max(2, plan.CeilDiv(k.room.history, together), again), steps / together
}

// layAgain moves the place of the next steps' vectors on, or back, by steps, and with it what
// these read of those before.
func (k *kernelCalls[T]) layAgain(steps int) {
	if steps == 0 {
		return
	}
	for i, c := range k.pointed {
		word := &k.frame[k.lanes.FrameStream(i)+kernel.StreamCurrent]
		c.streamed.lines.LayAgain(*word, steps, k.room.history)
		*word += steps * k.lanes.Current * k.lanes.Count * k.lanes.Size
	}
}

// squaresLeft returns how many times the kernel streams squares of all streams, at most some.
func (k *kernelCalls[T]) squaresLeft(most int) int {
	if k.lanes.Streaming == nil || len(k.pointed) != k.lanes.Streams {
		return 0
	}
	for i, c := range k.pointed {
		if !c.streamed.on {
			return 0
		}
		most = min(most, c.streamed.lines.Left())
		k.frame[k.lanes.FrameStream(i)+k.lanes.StreamLines()] = c.streamed.lines.Frame()
	}
	return most
}

// store streams what is complete of the rows after so many steps of a call.
func (k *kernelCalls[T]) store(done int) {
	for _, c := range k.pointed {
		if c.streamed.on {
			c.streamed.lines.Upto(c.streamed.step + done - c.spans.shift - c.streamed.base)
		}
	}
}
