package vector

import (
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// The frame is the argument of a kernel: a pointer to Words machine words, which the kernel
// changes.
const (
	FrameRows   = 0 // rows of the box, at least one
	FrameWidth  = 1 // iterations of a row, at least one
	FrameStream = 2 // not 0: returned results are written with streaming stores
	frameFirst  = 3
)

// MostRowWords is the length of the frames that loops in Go have for rows: see kernel.Repetitions.
const MostRowWords = kernel.MostRowWords

// FrameAt is the word with the address of stream k's cell at the first iteration of the box.
// For a live stream of the wavefront scheme, Dist says which cell.
func (s *Shape) FrameAt(k int) int { return frameFirst + k }

// FrameStep is the word with the bytes from a row of stream k to the next.
func (s *Shape) FrameStep(k int) int { return frameFirst + len(s.Streams) + k }

// FrameIndex is the word with the value of Indices[k] at the first iteration.
func (s *Shape) FrameIndex(k int) int { return frameFirst + 2*len(s.Streams) + k }

// FrameParam is the word with the bits of Params[k].
func (s *Shape) FrameParam(k int) int { return s.FrameIndex(0) + len(s.Indices) + k }

// FrameReduced is the word with the address of the k-th reduction's value so far.
func (s *Shape) FrameReduced(k int) int { return s.FrameParam(0) + len(s.Params) + k }

// FrameStride is the word with the number of bytes from a cell of the Strided stream k to the next cell of a row.
func (s *Shape) FrameStride(k int) int {
	at := s.FrameReduced(len(s.n.Reduces()))
	for _, x := range s.Streams[:k] {
		if x.Along == Strided {
			at++
		}
	}
	return at
}

// FrameWrong is the first of WrongWords words that are not all 0 after a call that has computed a subscript beyond
// the bounds of its array; a nest without lookups has no such words.
func (s *Shape) FrameWrong() int { return s.FrameEnd(len(s.Ends)) }

// WrongWords are the words of the longest vector.
const WrongWords = 8

// Words is the size of a frame.
func (s *Shape) Words() int {
	words := s.FrameWrong()
	if s.Checks() {
		words += WrongWords
	}
	if s.front {
		words += 2 + 2*len(s.Streams)
	}
	return words
}

// Skew is s of the wavefront scheme.
func (s *Shape) Skew() int { return s.skew }

// Last is the dimension of the plan along a row.
func (s *Shape) Last() int { return s.last }

// A function is the state of a kernel that is being written.
type function struct {
	*asm.Machine
	s       *Shape
	params  []asm.Operand   // of each use, copied to all lanes
	paramAt func(k int) int // the word of the frame with Params[k]
	cost    asm.Cost
	waits   float64 // cycles for which loads of a step wait for a store: see loadsBeforeStores
	halved  bool    // steps are computed in two halves: see overlapped
}

// begin starts a function.
func (f *function) begin() { f.enter(f.s.FrameParam) }

// enter does what begin does; paramAt is the word of the frame with Params[k].
func (f *function) enter(paramAt func(k int) int) {
	f.paramAt, f.params = paramAt, f.Enter(len(f.s.Params), paramAt, f.s.paramSize)
}

// paramSize is the size of the lanes that hold Params[k].
func (s *Shape) paramSize(k int) int {
	switch s.Params[k].Part {
	case "":
	case kernel.TableCells: // read from the frame
		return 4
	default:
		return s.Params[k].Type.Size()
	}
	return s.sizeOf(s.Params[k].Type)
}

// param returns the lanes of a parameter.
func (f *function) param(use ParamUse) asm.Operand { return f.params[slices.Index(f.s.Params, use)] }

// addIndex adds c to every lane of r.
func (f *function) addIndex(r asm.Reg, c int) {
	if c != 0 {
		f.AddIndex(f.Each(4, func(int) int { return c }), r)
	}
}

// size is the number of bytes of a cell.
func size(t ir.Type) int { return t.Size() }
