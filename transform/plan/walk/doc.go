// Package walk says what a tile does, in order, as operations on rows and boxes: it waits
// for a face, unpacks cells, fills exterior cells, computes iterations, stores results,
// packs cells, and posts a face. An operation is never finer than a row.
//
// The executor (runtime/halo) performs operations and the cost model (transform/plan) prices
// them. The tests of this package run random plans and compare the two, operation by
// operation.
//
// # Invariants
//
// What is priced is what is run: both sides count with the same Counts.
package walk
