package halo

// NarrowStrips lets strips take so many bytes of the first cache until it is undone.
func NarrowStrips(bytes int) (undo func()) {
	across, along := stripBytes, rowBytes
	stripBytes, rowBytes = bytes, bytes
	return func() { stripBytes, rowBytes = across, along }
}
