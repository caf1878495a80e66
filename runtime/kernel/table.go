package kernel

import (
	"unsafe"

	"loopc/runtime/array"
)

// A table is an array whose cells are looked up. Lanes clamp each subscript to the bounds of its dimension, count the
// cells from the table's first, and gather; they remember that a subscript was beyond the bounds.

// A TablePart is a number that lanes need to find cells of a table.
type TablePart string

// The first three are parts of a dimension.
const (
	TableLeast  TablePart = "least"  // the lowest index
	TableMost   TablePart = "most"   // the highest index less the lowest
	TableStride TablePart = "stride" // the cells from an index to the next
	TableCells  TablePart = "cells"  // the address of the first cell
	TableLast   TablePart = "last"   // the number of the last cell at which a load of LoadedBytes may begin
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
