// Package search chooses a plan by what package cost predicts of it.
//
// Choose starts at what the rules of package plan make of the options, and tries what else
// these leave open, coordinate by coordinate. Estimates prune, and the best few plans are
// simulated. Of plans that take about as long the simpler one wins. What a rank needs of
// memory counts as well: above 1.2 times its share of what any run needs, in proportion.
// Where plans of this very run were raced (cost.Trial), the fastest wins, whatever is
// predicted, unless options exclude it. ChooseUpTo takes fewer CPUs than there are if these
// are predicted to take no longer. Advice says when workers are predicted to compute for too
// small a part of the time.
//
// Where lanes are levels, whole rows are tried too, and, in a space that is skewed by time
// over far more levels than it is wide, tiles of some levels that are as wide as these.
// Where levels are kept whole, the sides are a rule of package plan, except that thin tiles
// (2.5-D blocking) are tried where levels are planes of rows in any order (Nest.AnyRowFirst):
// some planes, one column of tiles after the other along the longest outer dimension; and
// columns whose tiles follow one another in time.
//
// # Invariants
//
// A search has an effort that is counted, not timed, so that every rank finds the same plan.
// It ends with its context. The plan chosen is made again, with the same digest, of the
// options that the list has for it.
package search
