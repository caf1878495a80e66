package kernel

import (
	"unsafe"

	"loopc/runtime/array"
)

// A table is an array whose cells are looked up. Lanes clamp each subscript to the bounds of its dimension, count the
// cells from the table's first, and gather; they remember that a subscript was beyond the bounds.

// A TablePart is a number that lanes need to find cells of a table.
type TablePart string

// The parts of a dimension: its lowest index, its highest index less the lowest, and the cells from an index to the
// next; and, of the table, the address of its first cell, and the number of its last cell from which on there are
// LoadedBytes bytes.
const (
	TableLeast  TablePart = "least"
	TableMost   TablePart = "most"
	TableStride TablePart = "stride"
	TableCells  TablePart = "cells"
	TableLast   TablePart = "last"
)

// LoadedBytes is how many bytes a lane loads at least. Of narrower cells it loads several.
const LoadedBytes = 4

// TableNumber returns a part of a table, for lanes.
func TableNumber(table array.View, dim int, part TablePart) int {
	switch part {
	case TableLeast:
		return table.Lo[dim]
	case TableMost:
		return table.Hi[dim] - table.Lo[dim]
	case TableStride:
		return table.Stride[dim]
	case TableLast:
		return (len(table.Data) - LoadedBytes) / table.Size
	}
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(table.Data))))
}

// Gathers reports whether lanes find the cells of all tables: each has as many bytes as a lane loads, and lanes hold its
// indices and the positions of its cells as int32.
func Gathers(tables ...array.View) bool {
	const most = 1 << 30
	for _, t := range tables {
		if len(t.Data) < LoadedBytes || t.Cells() > most {
			return false
		}
		for d := range t.Lo {
			if t.Lo[d] < -most || t.Hi[d] > most || t.Hi[d] < t.Lo[d] {
				return false
			}
		}
	}
	return true
}
