package irtest

import (
	"fmt"

	"loopc/ir"
	"loopc/ir/diag"
)

// Coverage collects, over several observations of one nest, the claims of the nest's analysis that
// were observed.
type Coverage struct {
	deps    map[depKey]bool
	sources map[sourceKey]bool
	initial map[int]bool
	Points  int // iterations observed
}

// NewCoverage returns an empty coverage.
func NewCoverage() *Coverage {
	return &Coverage{deps: map[depKey]bool{}, sources: map[sourceKey]bool{}, initial: map[int]bool{}}
}

// A depKey identifies a dependence.
type depKey struct {
	kind     ir.DepKind
	array    int
	dist     point
	src, dst diag.Pos
}

func keyOf(d ir.Dep) depKey { return depKey{d.Kind, d.Array, pointOf(d.Dist), d.Src.Pos, d.Dst.Pos} }

// depText returns the text of a dependence.
func depText(d ir.Dep) string {
	return fmt.Sprintf("%v %v of array %d, %v to %v", d.Kind, d.Dist, d.Array, d.Src.Pos, d.Dst.Pos)
}

// A sourceKey identifies a source of a read, or an overwrite of a statement.
type sourceKey struct {
	overwrite bool
	k         int // index of the read or the statement
	stmt      int
	dist      point
}

// Missing returns the claims of an that occurred in no observation: dependences, sources
// and initial contents.
func (c *Coverage) Missing(an *ir.Analysis) []string {
	var missing []string
	for _, d := range an.Deps {
		if !c.deps[keyOf(d)] {
			missing = append(missing, depText(d))
		}
	}
	for k, r := range an.Reads {
		for _, s := range r.Sources {
			if !c.sources[sourceKey{false, k, s.Stmt, pointOf(s.Dist)}] {
				missing = append(missing, fmt.Sprintf("read %d: statement %d, %v before", k, s.Stmt, s.Dist))
			}
		}
		if r.Initial && !c.initial[k] {
			missing = append(missing, fmt.Sprintf("read %d: initial content", k))
		}
	}
	for k, list := range an.Overwrites {
		for _, s := range list {
			if !c.sources[sourceKey{true, k, s.Stmt, pointOf(s.Dist)}] {
				missing = append(missing, fmt.Sprintf("statement %d: overwritten by statement %d, %v later", k, s.Stmt, s.Dist))
			}
		}
	}
	return missing
}
