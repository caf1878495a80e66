// Package walk says what a tile does, in order, as operations on rows and boxes: it waits for a face, unpacks cells, fills exterior cells,
// computes iterations, stores results, packs cells, and posts a face. An operation is never finer than a row.
//
// The executor (runtime/halo) performs the operations and the cost model (transform/plan/cost)
// prices them. Tests run random plans and compare the two, operation by operation.
//
// # Invariants
//
// The walk that is priced is the walk that is run: both sides count with Counts.
//
// Where levels are boxes, exterior cells are filled in boxes, which may overlap. In skewed storage, only the tile that contains an exterior
// cell fills it; cells below the first tile along a dimension belong to that tile. Otherwise a tile fills the cells of its own block, halo
// included. If cells may hold other content than their initial content (Fallbacks of plan.Nest.Values), the boxes of a level are filled
// after its iterations; or, if cells change while a level is computed (plan.Nest.Late), there are no boxes: rows are examined one by one.
package walk
