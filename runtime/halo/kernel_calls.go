package halo

import (
	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// kernelCalls call the kernel for steps of the pointed streams: timeSlabs.point has written the words of these streams to the frame. Only
// point and kernelCalls change the frame.
type kernelCalls[T int32 | int64] struct {
	lanes   *kernel.Temporal
	room    *laneRoom
	border  *border
	frame   []int
	rise    []int        // growth of each word of the frame from a step to the next
	pointed []*stream[T] // the streams whose words are in the frame
}

func newKernelCalls[T int32 | int64](r *timeSlabs[T]) kernelCalls[T] {
	l := r.lanes
	k := kernelCalls[T]{lanes: l, room: r.room, border: &r.w.border, frame: make([]int, l.FrameWords()), rise: make([]int, l.FrameWords())}
	for i, u := range l.Params {
		bits := 0
		switch {
		case u.Part != "":
			bits = paramBits(u.Elem, kernel.TableNumber(r.w.fields.Given[u.Param], u.Dim, u.Part))
		case u.Float:
			bits = floatBits(u.Elem, r.w.fields.Floats[u.Param])
		default:
			bits = paramBits(u.Elem, r.p.Params[u.Param])
		}
		k.frame[l.FrameParam(i)] = bits
	}
	unit, zero := make([]int, r.last+1), make([]int, r.last+1)
	unit[r.last] = 1
	for i := range l.Streams {
		w := k.rise[l.FrameStream(i) : l.FrameStream(i)+l.StreamWords()]
		w[kernel.StreamStep], w[kernel.StreamCurrent] = 1, l.Current*l.Count*l.Size
		for k := range l.Rows {
			w[l.StreamRow(k)] = l.Buffered * l.Count * l.Size
		}
		for k := range l.CarryIn {
			w[l.StreamCarryIn(k)] = l.Size
		}
		for k := range l.CarryOut {
			w[l.StreamCarryOut(k)] = l.Size
		}
		for k := range l.Given {
			w[l.StreamGiven(k)] = r.given[k].perStep()
		}
		for k := range l.Indices {
			f := &l.Indices[k].At
			w[l.StreamIndex(k)] = f.Eval(r.p.Params, unit) - f.Eval(r.p.Params, zero)
		}
	}
	return k
}

// steps calls the kernel for the steps of s. kept is the first step whose cell in the current row
// is read after the call: the kernel may leave out earlier stores (FrameNeeded).
func (k *kernelCalls[T]) steps(run func(*int), s rowSteps, kept int) {
	full0, full1 := max(s.full0, s.first), min(s.full1, s.end-1)
	if full1-full0+1 < walk.LeastFull { // all steps with masks
		full0, full1 = s.end, s.end-1
	}
	streaming := false
	for _, c := range k.pointed {
		streaming = streaming || c.streamed.on
	}
	if streaming {
		k.streamingSteps(run, s.end-s.first, full0-s.first, full1+1-s.first)
	} else {
		f := k.frame
		f[kernel.FrameSteps], f[kernel.FrameFull0], f[kernel.FrameFull1] = s.end-s.first, full0-s.first, full1+1-s.first
		f[kernel.FrameNeeded] = max(0, min(kept, full1+1)-s.first)
		run(&f[0])
	}
	k.pointed = k.pointed[:0]
}

// someSteps calls the kernel for n steps and moves the frame on by n steps.
func (k *kernelCalls[T]) someSteps(run func(*int), n, full0, full1 int) {
	f := k.frame
	f[kernel.FrameSteps], f[kernel.FrameFull0], f[kernel.FrameFull1], f[kernel.FrameNeeded] = n, full0, full1, 0
	run(&f[0])
	for i, rise := range k.rise {
		f[i] += rise * n
	}
}
