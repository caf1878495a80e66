package sched

import (
	"testing"
	"unsafe"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
)

// TestFrontFree calls a function that stands for a kernel: all rows are computed, in order, and those whose surroundings are in memory
// without masks.
func TestFrontFree(t *testing.T) {
	const rows, width, lanes = 21, 10, 4
	for _, halo := range []int{0, 1, 2, 8} { // rows of the array above and below those of the iterations
		stride := width + 2
		f := &kernel.Front{Lanes: lanes, Rows: lanes, Skew: 1, Before: 1, Streams: []kernel.FrontStream{{Above: 1}}}
		data := make([]byte, (rows+2*halo)*stride)
		first := int(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
		var done, free int
		f.One = func(at *int) {
			frame := unsafe.Slice(at, f.Words())
			n := frame[kernel.FrontFrameRows]
			if want := first + (halo+done)*stride + 1; frame[f.FrameAt(0)] != want {
				t.Errorf("halo %d: row %d is at %d, not at %d", halo, done, frame[f.FrameAt(0)], want)
			}
			from, to := f.Around(frame, 0, 1, 1, lanes)
			inside := frame[f.FrameAt(0)]+from >= first && frame[f.FrameAt(0)]+to <= first+len(data)
			if masked := frame[kernel.FrontFrameFree] == 0; masked == inside {
				t.Errorf("halo %d: rows %d..%d have masks: %v; all around them is in memory: %v", halo, done, done+n-1, masked, inside)
			} else if !masked {
				free += n
			}
			done += n
			frame[f.FrameAt(0)] += n * stride
		}
		r := &front{Front: f, frame: make([]int, f.Words()), views: []array.View{{Data: data, Size: 1}}, at: []int{first + halo*stride + 1}, by: [][]int{{stride, 1}}}
		r.frame[f.FrameStep(0)] = stride
		r.group([]int{0, 0}, rows, width-1, [2]int{})
		want := rows
		if halo < 8 { // the first and the last rows have no rows around them, or too few for all lanes
			want = rows/lanes*lanes - lanes
		}
		if done != rows || free < want {
			t.Errorf("halo %d: %d of %d rows are computed, %d without masks", halo, done, rows, free)
		}
	}
}
