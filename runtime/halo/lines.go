package halo

// Results that go past the caches do so while their rows are computed, where the processor
// stores single lines as fast as several: see simd.Lines. Then a row is computed a few steps
// at a time.

// lineSteps is how many steps are computed at a time. (Zen 4: 32, 64 and 128 take as long, 16
// a twentieth more.)
const lineSteps = 64

// lineSlide is by how many steps more rows are apart that are streamed meanwhile: what a row
// has not streamed yet, its beginning and the steps of a call, is not written over.
const lineSlide = 2*lineSteps + 64

// beginLines finds out whether chain c's row is streamed while it is computed. A row that
// takes the place of the one above it is not: each call begins with reading vectors of that
// some steps back, which are written over then.
func (r *slabs[T]) beginLines(c *chain[T]) {
	if len(c.gives) != 1 || r.InPlace > 0 && !r.together {
		return
	}
	v := c.gives[0]
	if !r.keepsSome(c, v) || !r.streams(v) || !r.resultRows(c, v, false) {
		return
	}
	c.lineBase = r.countFromFirst()
	if c.lines.Begin(r.laces, r.laceRows) {
		from, _ := c.lines.Steps()
		c.lined = from <= lineSteps
	}
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
	_, end := c.lines.Steps()
	return c.shift + c.lineBase + end
}

// rises returns by how much the words of a frame differ in the next step.
func (r *slabs[T]) rises() []int {
	rise := make([]int, r.FrameWords())
	unit, zero := make([]int, r.n), make([]int, r.n)
	unit[r.last] = 1
	for i := range r.Chains {
		w := rise[r.FrameChain(i) : r.FrameChain(i)+r.ChainWords()]
		w[ChainStep], w[ChainNow] = 1, r.Now*r.Count*r.Size
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
			w[r.ChainGiven(k)] = r.given[k].rise() * r.Size
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

// stepsWithLines is steps, relative to the first, where rows of some of the chains that
// the frame points to are streamed meanwhile. Steps from full0 up to full1 have no masks.
func (r *slabs[T]) stepsWithLines(kernel func(*int), steps, full0, full1 int) {
	f, done := r.frame, 0
	call := func(kernel func(*int), n, full0, full1 int) {
		f[FrameSteps], f[FrameFull0], f[FrameFull1], f[FrameKept] = n, full0, full1, 0
		kernel(&f[0])
		r.forward(n)
		done += n
	}
	// Rows may begin, and end, long before others.
	for done < full0 {
		n := min(lineSteps, full0-done)
		call(kernel, n, n, n)
		r.store(done)
	}
	for done+lineSteps <= full1 {
		if squares := r.squaresLeft((full1-done)/r.Count - 1); squares > 0 {
			// Squares are streamed one behind the other: the first is complete then.
			call(kernel, r.Count, 0, r.Count)
			call(r.Lined, squares*r.Count, 0, squares*r.Count)
			for _, c := range r.pointed {
				c.lines.Moved(squares)
			}
			r.store(done)
			continue
		}
		call(kernel, lineSteps, 0, lineSteps)
		r.store(done)
	}
	for done < steps {
		n := min(lineSteps, steps-done)
		call(kernel, n, 0, min(n, max(0, full1-done)))
		r.store(done)
	}
}

// squaresLeft returns how many squares of all chains, at most some, the kernel streams.
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
