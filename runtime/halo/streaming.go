package halo

import (
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// If a vector is a cache line, results are stored with streaming stores while their rows are computed: see simd.Lines. The row is then
// computed a few steps at a time. A square is as many steps as a vector has lanes: transposed, it is a cache line of each lane's row.

// lineSteps is the most steps of a call in which the kernel does not store squares itself: a multiple of squareSteps [note kernel-constants].
const lineSteps = 32

// latestLines is the most steps that a row may have before its first squares: with more, rows would lie too far apart.
const latestLines = 2 * lineSteps

// squareSteps is the number of steps of the squares that are stored together.
func squareSteps(l *kernel.Temporal) int { return kernel.LinesAtOnce * l.Count }

// A streamedRow is the row of a stream. If on is set, its results are stored while it is computed.
type streamedRow[T int32 | int64] struct {
	on    bool
	lines simd.Lines[T]
	base  int  // step 0 of lines, counted from the shift of the row's spans
	laid  bool // lines knows where the vectors of the row are
	step  int  // the step at which the frame begins
}

// streamingOffset returns how many additional steps rows must lie apart so that no row overwrites unstored vectors of another. Between
// calls of Streaming, these are the steps of a call, plus those before a row's first square or those of an incomplete square. While
// Streaming stores squares, these are the squares of two turns, plus the most steps that one row is ahead of another. Streaming is called a
// multiple of lineSteps after full0, from which on all lanes are active.
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

// unstoredSteps returns how many steps before the given one are computed and do not yet fill a square.
func (c *stream[T]) unstoredSteps(step int) int {
	return c.streamed.lines.Incomplete(step - c.spans.shift - c.streamed.base)
}

// beginLines decides whether stream c's row is stored while it is computed. A row that takes the place of the row above is not: each call
// of the kernel begins with vectors of the row above from some steps back, which the row has already overwritten.
func (r *timeSlabs[T]) beginLines(c *stream[T]) {
	if len(c.results.values) != 1 || c.count < r.lanes.Count || r.lanes.InPlace > 0 && !r.room.shared { // lines need all lanes, see Streaming
		return
	}
	v := c.results.values[0]
	if r.narrow[v] != nil || !r.someInRow(c, v) || !r.streaming(v) || !r.resultRows(c, v, false) || r.transposer.down {
		return
	}
	c.streamed.base = r.transposer.countFromFirst()
	c.streamed.on = c.streamed.lines.Begin(r.transposer.vectors, r.transposer.rows) && c.streamed.lines.From() <= latestLines
}

// layLines tells lines where the vectors of stream c's row are, which now have their place.
func (r *timeSlabs[T]) layLines(c *stream[T]) {
	cells, at, step := r.place(c, c.results.values[0])
	c.streamed.lines.Lay(cells[at+c.streamed.base*step:], step)
	c.streamed.laid = true
}

// neededOfLines returns the first step of the row whose results must still be there when the row is complete.
func (c *stream[T]) neededOfLines() int {
	return c.spans.shift + c.streamed.base + c.streamed.lines.End()
}

// streamingSteps computes the given number of steps, of which full0..full1 have no masks, and stores rows meanwhile. At least one of the
// pointed streams stores its row.
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

// streamSquares computes steps in which the kernel itself stores squares: as many of every stream as times says. It returns the number of
// steps that it has computed. Steps before done are already computed. The kernel stores squares of earlier steps, so streamSquares first
// completes the first squares of all rows.
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

// againBytes is the memory that vectors may take before they overwrite earlier vectors that nobody reads later. So much stays in the first
// cache.
const againBytes = 24 << 10

// againTimes returns two numbers of squares. After again squares, new vectors overwrite earlier
// ones; these squares cover at least the vectors that layAgain moves. The vectors of the next
// left squares may be overwritten, because nobody reads them later. Steps before done are computed.
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

// layAgain moves the place of the next vectors by steps, forward or back, together with the vectors that the next steps read.
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

// squaresLeft returns how many more times the kernel can store squares of all streams, but no more than most.
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

// store stores the squares that are complete after done steps of a call.
func (k *kernelCalls[T]) store(done int) {
	for _, c := range k.pointed {
		if c.streamed.on {
			c.streamed.lines.Upto(c.streamed.step + done - c.spans.shift - c.streamed.base)
		}
	}
}
