package vector

import (
	"slices"

	"loopc/codegen/asm"
)

// A result that later rows read and that is given back has two streams: its level, and the array. Where levels are in
// the entire arrays, both are the same cells, which only the first stream then stores.

// ifMerged jumps to apart if some result has other cells in its level than in the array that is given back. The code behind the
// jump stores such results once. ifMerged returns false if no result is stored twice.
func (c *alongRow) ifMerged(apart asm.Label) bool {
	for v, level := range c.s.store {
		back := c.s.back[v]
		if level < 0 || back < 0 || c.s.Streams[back].Along != 1 || c.s.long() {
			continue
		}
		word := c.General()
		for _, at := range []func(int) int{c.s.FrameAt, c.s.FrameStep} {
			c.Copy(c.Word(at(level)), word)
			c.JumpIf(word, asm.Ne, c.Word(at(back)), apart)
		}
		c.merged = true
	}
	return c.merged
}

// idle reports whether stream k has the same cells as another one, which stores them.
func (c *alongRow) idle(k int) bool {
	v := slices.Index(c.s.back, k)
	return c.merged && v >= 0 && c.s.store[v] >= 0 && c.s.Streams[k].Along == 1
}
