package inproc

import "loopc/runtime/transport"

// Mesh is NewMesh in the form in which executors ask for the transports of a
// run. Ranks of one process need no proof of which run they belong to.
func Mesh(size int, _ string) ([]transport.Transport, error) { return NewMesh(size), nil }
