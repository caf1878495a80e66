// Package lanesrun runs functions of kernels whose lanes are levels, for a test
// in another process: it must link what the compiler emitted.
package lanesrun

import (
	"encoding/gob"
	"fmt"
	"loopc/runtime/kernel"
	"os"
	"unsafe"
)

// A Job is a call, or several that follow one another, of a function of a nest.
type Job struct {
	Nest, ISA string
	Many      bool
	Calls     []Call
	Regions   [][]byte // memory
}

// A Call is a frame.
type Call struct{ Frame []Word }

// A Word is a number, or the address of a byte of a region.
type Word struct {
	Region int // -1: a number
	Value  int
}

// Main reads jobs from the standard input and writes what their regions have
// become.
func Main(nests map[string]map[string]*kernel.Temporal) {
	var jobs []Job
	if err := gob.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		panic(err)
	}
	out := gob.NewEncoder(os.Stdout)
	for _, j := range jobs {
		l := nests[j.Nest][j.ISA]
		f := l.One
		if j.Many {
			f = l.Many
		}
		for _, c := range j.Calls {
			frame := make([]int, len(c.Frame))
			for k, w := range c.Frame {
				frame[k] = w.Value
				if w.Region >= 0 {
					frame[k] += int(uintptr(unsafe.Pointer(unsafe.SliceData(j.Regions[w.Region]))))
				}
			}
			before := fmt.Sprint(frame)
			f(&frame[0])
			if fmt.Sprint(frame) != before {
				panic("the frame of " + j.Nest + " was changed")
			}
		}
		if err := out.Encode(j.Regions); err != nil {
			panic(err)
		}
	}
}
