// Package region finds the boundary region of a tile, level by level, as boxes: exterior
// cells are cells outside the iteration space that iterations read, and must be filled
// before that.
//
// # Invariants
//
// Each exterior cell of a level is in one box at most, and the tile that contains the cell
// fills it; the first tile along a dimension has the cells below it. Where cells do not have
// their initial content (plan.Nest.Values have Fallbacks), there are no boxes, and rows are
// looked at one by one.
package region
