// Package region finds the boundary region of a tile, level by level, as boxes: the exterior
// cells, outside the iteration space, that iterations read. They must be filled first.
//
// # Invariants
//
// Each exterior cell of a level is in at most one box. The tile that contains the cell fills
// it; cells below the first tile along a dimension belong to that tile. If cells may hold other
// content than their initial content (Fallbacks of plan.Nest.Values), there are no boxes: rows
// are examined one by one.
package region
