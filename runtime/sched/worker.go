package sched

import (
	"context"
	"errors"
	"fmt"
	"time"

	"loopc/runtime/arith"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/trace"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// An inStream is an edge into a column, as the executor uses it.
type inStream struct {
	*plan.Stream
	remote  bool
	edge    transport.RecvEdge
	face    *halo.Face
	trail   trail
	message []byte  // the message being read; nil between messages
	ends    bool    // this tile's face is the last of its message
	early   *reader // nil: faces are complete when they arrive
}

// complete reports whether the tile has a face and it is the last of its message.
func (in *inStream) complete() bool { return in.face.Slot != nil && in.ends }

// An outStream is an edge out of a column, as the executor uses it.
type outStream struct {
	*plan.Stream
	remote  bool
	edge    transport.SendEdge
	face    *halo.Face
	trail   trail
	message []byte  // the message being packed; nil between messages
	n       int     // length of the message in bytes
	ends    bool    // this tile's face is the last of its message
	early   *packer // nil: faces are complete when they are posted
}

// complete reports whether the tile has a face and it is the last of its message.
func (out *outStream) complete() bool { return out.face.Slot != nil && out.ends }

// A column is a column of tiles, with the edges into and out of it.
type column struct {
	*halo.Column
	number int // its number in the worker's lane of the trace
	in     []inStream
	out    []outStream
}

// A worker runs the tiles of its columns in order, in one goroutine.
type worker struct {
	prog    *Program // whose nest the worker computes
	plan    *plan.Plan
	tr      transport.Transport
	watch   Watch
	lane    *trace.Lane // nil: nobody watches
	live    *liveSlot   // nil: nobody watches
	halo    *halo.Worker
	idle    func(points int, began time.Time) // of a kernel that computes nothing; nil: it computes
	skips   bool                              // nobody reads the cells: they are not even packed
	at      trace.Place                       // the next tile
	columns []*column
	levels  *kernel.Temporal // of the kernel; nil: it computes levels one by one
	reduced []kernel.Reduced
	sum     Summary
	visits  []visit // the tiles in order; nil: the plan is asked for each
}

// A visit is the next tile of a column.
type visit struct{ column, tile int }

// mostVisits bounds the memory of a worker's visits.
const mostVisits = 1 << 16

// order keeps the order of the worker's tiles, for runs to come.
func (w *worker) order() {
	if w.visits != nil {
		return
	}
	for c, tile := range w.plan.InOrder(len(w.columns), w.active) {
		if len(w.visits) == mostVisits {
			w.visits = nil
			return
		}
		w.visits = append(w.visits, visit{c, tile})
	}
}

// active are the first and the last tile of a column.
func (w *worker) active(c int) (first, last int) { return w.columns[c].First, w.columns[c].Last }

// run computes every tile of the worker, in the order of the plan. Errors name the rank and the step.
func (w *worker) run(ctx context.Context) (err error) {
	var col *column
	k := 0
	defer func() {
		if caught := recover(); caught != nil {
			err = w.caught(caught, col, k)
		}
	}()
	for _, t := range w.visits {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		col, k = w.columns[t.column], t.tile
		if err := w.tile(ctx, col, k); err != nil {
			return w.stepped(err, col, k)
		}
	}
	if w.visits != nil {
		return nil
	}
	for c, tile := range w.plan.InOrder(len(w.columns), w.active) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		col, k = w.columns[c], tile
		if err := w.tile(ctx, col, k); err != nil {
			return w.stepped(err, col, k)
		}
	}
	return nil
}

// tile runs tile k of a column: it waits for the faces that the tile needs and for slots for its own faces, computes the tile, releases
// what it has read, and posts what it has packed.
func (w *worker) tile(ctx context.Context, c *column, k int) error {
	w.place(c, k)
	for i := range c.in {
		if err := w.await(ctx, &c.in[i], k); err != nil {
			return err
		}
	}
	for i := range c.out {
		if err := w.reserve(ctx, &c.out[i], k); err != nil {
			return err
		}
	}
	points := w.compute(c, k)
	remote, err := w.handOn(c)
	if err != nil {
		return err
	}
	w.count(c, k, points)
	if !remote {
		return nil
	}
	if err := w.tr.Flush(); err != nil {
		return err
	}
	if w.plan.Comm == plan.Overlap {
		return nil
	}
	return w.sync(ctx, c)
}

// await gets the face of tile k. A message holds the faces of one tile or of several: await waits for it at the first of them.
func (w *worker) await(ctx context.Context, in *inStream, k int) error {
	in.face.Slot = nil
	face := in.Face(k)
	if face.Bytes == 0 {
		return nil
	}
	if face.Begins {
		slot, err := w.arrived(ctx, in)
		if err != nil {
			return err
		}
		if len(slot) != face.Message {
			return fmt.Errorf("%w: message of %d bytes, not %d", transport.ErrProtocol, len(slot), face.Message)
		}
		in.message = slot
	}
	in.ends = face.Ends
	if _, err := in.face.Lay(w.plan, in.From, k, in.message[face.At:face.At+face.Bytes]); err != nil {
		panic("BUG: " + err.Error())
	}
	if in.early != nil {
		in.early.begin(ctx)
		in.face.ReceiveEarly(w.plan, in.From, k, in.early)
	}
	return nil
}

// reserve finds the place for the face of tile k. A message holds the faces of one tile or of several: reserve waits for a slot at the
// first of them. A face that can be read while it is packed, within a rank, is posted right away.
func (w *worker) reserve(ctx context.Context, out *outStream, k int) error {
	out.face.Slot = nil
	face := out.Face(k)
	if face.Bytes == 0 {
		return nil
	}
	if face.Begins {
		slot, err := w.acquire(ctx, out)
		if err != nil {
			return err
		}
		out.message, out.n = slot, face.Message
	}
	out.ends = face.Ends
	if _, err := out.face.Lay(w.plan, out.From, k, out.message[face.At:face.At+face.Bytes]); err != nil {
		panic("BUG: " + err.Error())
	}
	if out.early == nil {
		return nil
	}
	out.face.SendEarly(w.plan, out.From, k, out.early)
	return w.post(out)
}

// compute runs the kernel on tile k, and returns the number of iterations. The kernel may wait for faces that are still being packed; this
// time counts as waiting, not as computing.
func (w *worker) compute(c *column, k int) (points int) {
	began := time.Now()
	if w.skips {
		points = c.Count(k)
	} else {
		points = c.Run(k)
	}
	if w.idle != nil {
		w.idle(points, began)
	}
	took := time.Since(began)
	waited := c.followed()
	w.sum.WaitData += waited.Seconds()
	w.sum.Compute += (took - waited).Seconds()
	w.computed(began, waited, points)
	return points
}

// handOn releases the messages whose last face the tile has read, and posts those whose last face it has packed. remote reports whether
// another rank has sent or will receive one of them.
func (w *worker) handOn(c *column) (remote bool, err error) {
	for i := range c.in {
		in := &c.in[i]
		if !in.complete() {
			continue
		}
		in.message = nil
		if err := in.edge.Release(); err != nil {
			return false, err
		}
		remote = remote || in.remote
	}
	for i := range c.out {
		out := &c.out[i]
		if !out.complete() {
			continue
		}
		remote = remote || out.remote
		if out.early != nil {
			out.early.complete()
		} else if err := w.post(out); err != nil {
			return false, err
		}
	}
	return remote, nil
}

// count adds a tile to the summary of the worker, and publishes the progress.
func (w *worker) count(c *column, k, points int) {
	w.sum.Tiles++
	w.sum.Points += int64(points)
	if w.watch.Points != nil {
		w.watch.Points.Add(int64(points))
	}
	if w.live != nil {
		w.publish(w.plan.StepOf(c.At(), k))
	}
}

// followed ends the reading of faces that were packed while the tile read them. It returns how long the tile waited for them.
func (c *column) followed() (waited time.Duration) {
	for i := range c.in {
		if in := &c.in[i]; in.face.Slot != nil && in.early != nil {
			waited += in.early.end()
		}
	}
	return waited
}

// post posts the message whose last face the tile has packed.
func (w *worker) post(out *outStream) error {
	out.message = nil
	began := w.now()
	if err := out.edge.Post(out.n); err != nil {
		return err
	}
	w.posted(began, out)
	return nil
}

// arrived waits for a face and counts the time.
func (w *worker) arrived(ctx context.Context, in *inStream) ([]byte, error) {
	began := time.Now()
	slot, err := in.edge.Arrived(ctx)
	w.sum.WaitData += time.Since(began).Seconds()
	w.waited(trace.WaitData, began, in.trail.next(len(slot)))
	return slot, err
}

// acquire waits for a slot and counts the time.
func (w *worker) acquire(ctx context.Context, out *outStream) ([]byte, error) {
	began := time.Now()
	slot, err := out.edge.Acquire(ctx)
	w.sum.WaitCredit += time.Since(began).Seconds()
	w.waited(trace.WaitCredit, began, trace.Face{Peer: out.trail.peer, Edge: out.trail.id, Sequence: out.trail.count})
	return slot, err
}

// sync waits until the neighbors have the faces of a tile in memory. If the plan is Buffered, it waits only until the system has taken them.
func (w *worker) sync(ctx context.Context, c *column) error {
	began := time.Now()
	for i := range c.out {
		out := &c.out[i]
		if !out.remote || !out.complete() {
			continue
		}
		wait := out.edge.Sync
		if w.plan.Comm == plan.Buffered {
			handing, ok := out.edge.(transport.HandingEdge)
			if !ok {
				continue // a posted face lies in its receiver's memory
			}
			wait = handing.Handed
		}
		if err := wait(ctx); err != nil {
			return err
		}
	}
	w.sum.WaitSync += time.Since(began).Seconds()
	w.waited(trace.WaitSync, began, trace.Face{Peer: -1})
	return nil
}

// stepped adds the step to an error, and the rank if the error has none.
func (w *worker) stepped(err error, c *column, k int) error {
	step := int64(w.plan.StepOf(c.At(), k))
	var edge *transport.Error
	if errors.As(err, &edge) {
		stepped := *edge // all waiting workers share the error of a dead peer
		stepped.Step = step
		return &stepped
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("rank %d: step %d: %w", w.tr.Rank(), step, err)
}

// caught makes an error of a panic in a kernel. An *arith.Error and a *Panic are the user's; anything else is
// a bug. The last two get their stack.
func (w *worker) caught(what any, c *column, k int) error {
	if stop, ok := what.(*halo.Interrupted); ok {
		return w.stepped(stop.Err, c, k)
	}
	if err, ok := what.(*arith.Error); ok {
		return fmt.Errorf("rank %d: step %d: %w", w.tr.Rank(), w.plan.StepOf(c.At(), k), err)
	}
	err := failed(w.prog, w.tr.Rank(), k, what)
	if _, ok := err.(*Panic); ok {
		return w.stepped(err, c, k)
	}
	return err
}
