// Package search chooses a plan by the predictions of package cost.
//
// Choose begins with the plan that package plan's rules make of the options, and varies coordinate by coordinate what these leave open.
// Estimates prune, and the best few plans are simulated. Among plans that take about the same time the simplest wins. Memory counts as
// well: beyond 1.2 times a rank's share of what every run needs, the price grows in proportion. If plans of this run were timed
// (cost.Trial), the fastest wins, whatever is predicted, unless options exclude it. ChooseUpTo takes fewer CPUs than there are if these are
// predicted to take no longer. Advice warns if workers are predicted to compute for too small a part of the time.
//
// If lanes are levels, the search also tries entire rows and, if skewing by time moves levels farther than they are wide, tiles of several
// numbers of levels that are as wide as these levels together. In skewed storage the sides follow a rule of package plan, with two
// exceptions: thin tiles (2.5-D blocking), which have a few planes of rows, if the rows of a level may be computed in any order
// (Nest.AnyRowFirst); and, on several CPUs of a rank, columns along the outermost loop, which is usually time.
//
// # Invariants
//
// The effort of a search is counted, not timed, so that every rank finds the same plan. A search ends with its context. The options that
// the list has for the chosen plan make the same plan again, with the same digest.
package search
