package halo

import "unsafe"

// NarrowStrips lets strips and layers take so many bytes of the first cache until it is undone.
func NarrowStrips(bytes int) (undo func()) {
	across, along, layers := stripBytes, rowBytes, layerBytes
	stripBytes, rowBytes, layerBytes = bytes, bytes, bytes
	return func() { stripBytes, rowBytes, layerBytes = across, along, layers }
}

// Left is how many lines a is still to ask for.
func (a *Ahead) Left() int {
	lines := 0
	for _, p := range a.parts[a.next:] {
		lines += p.lines
	}
	return lines
}

// Within reports whether all that a is still to ask for begins in cells of b, and ends in the
// line of one of these.
func (a *Ahead) Within(b *Block) bool {
	for _, p := range a.parts[a.next:] {
		inside := false
		for _, data := range b.Data {
			if len(data) > 0 {
				from := uintptr(p.at) - uintptr(unsafe.Pointer(&data[0]))
				inside = inside || from < uintptr(len(data)) && from+uintptr(p.lines-1)*lineBytes < uintptr(len(data))
			}
		}
		if !inside {
			return false
		}
	}
	return true
}
