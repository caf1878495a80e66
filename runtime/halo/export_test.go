package halo

// NarrowStrips lets strips and layers take so many bytes of the first cache until it is undone.
func NarrowStrips(bytes int) (undo func()) {
	across, along, layers := stripBytes, rowBytes, planeBlockBytes
	stripBytes, rowBytes, planeBlockBytes = bytes, bytes, bytes
	return func() { stripBytes, rowBytes, planeBlockBytes = across, along, layers }
}
