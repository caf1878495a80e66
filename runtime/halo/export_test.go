package halo

// NarrowStrips lets strips take so many bytes of the first cache until it is undone.
func NarrowStrips(bytes int) (undo func()) {
	before := stripBytes
	stripBytes = bytes
	return func() { stripBytes = before }
}
