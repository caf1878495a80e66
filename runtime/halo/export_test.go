package halo

// NarrowStrips sets the bytes of the first cache for strips and blocks of planes, until undo.
func NarrowStrips(bytes int) (undo func()) {
	across, along, layers := stripBytes, rowBytes, planeBlockBytes
	stripBytes, rowBytes, planeBlockBytes = bytes, bytes, bytes
	return func() { stripBytes, rowBytes, planeBlockBytes = across, along, layers }
}
