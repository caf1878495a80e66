package kernel

import (
	"encoding/binary"
	"math"
	"strconv"
	"sync"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// In seconds: the time of a processor's cycle; with lanes across levels, the times to bring a cell of a
// given array into lanes, and to find a row of one [note kernel-constants].
const (
	cycle           = 1.0 / 3.6e9
	interleavedCell = 0.33e-9
	givenRow        = 90e-9
)

// shape returns what cost.Machine.With needs of a version.
func (v *Version) shape() cost.Kernel {
	time := v.Cycles * cycle
	k := cost.Kernel{Across: AcrossRows, Rows: v.Rows}
	switch l := v.Temporal; {
	case l != nil:
		k = cost.Kernel{Rows: l.Count * max(1, l.Streams), Lanes: l.Count, Across: AcrossLevels, Lines: l.Streaming != nil}
		time = l.Cycles * cycle
		k.Run = float64(len(l.Given)) * givenRow
		for i := range l.Given {
			if l.Given[i].Kind == Interleaved {
				time += interleavedCell
			}
		}
	case v.Name == Portable:
	case v.Rows > 0:
		k.Lanes = v.Lanes
	default:
		k.Across = AlongRow
	}
	if time > 0 {
		k.Point = []cost.Rate{{Seconds: time}}
	}
	return k
}

// Figures returns m with built-in figures of the version for a nest, and with those for lanes along rows, which skewed storage needs.
// Figures that were measured with the nest stay.
func (v *Version) Figures(m *cost.Machine, nest *plan.Nest) *cost.Machine {
	k := v.shape()
	if v.Temporal != nil || v.Name == Portable && v.Rows > 1 {
		k.Point = nil // these have figures for the choice of tiles
	}
	if v.Name == Portable {
		return m.With(nest, k)
	}
	if _, _, after := nest.Late(); !after && !nest.InitialOnly() {
		return m
	}
	if k.Across != AlongRow {
		m = m.With(nest, k)
	}
	rows := *v
	rows.Temporal, rows.Rows = nil, 0
	return m.With(nest, rows.shape())
}

// Fittest returns the version that takes the least time for a run with params, by built-in figures:
// v itself, v without Temporal, or the version inGo.
func (v Version) Fittest(inGo Version, nest *plan.Nest, params []int) Version {
	if v.Name == Portable || nest.Whole || len(params) != len(nest.Params) {
		return v
	}
	versions := []Version{v}
	if v.Temporal != nil && v.Cycles > 0 {
		rows := v.Wrap(func(k Kernel) Kernel {
			k.Temporal = nil
			return k
		})
		rows.Temporal = nil
		versions = append(versions, rows)
	}
	versions = append(versions, inGo)
	var shapes []cost.Kernel
	for k := range versions {
		shapes = append(shapes, versions[k].shape())
	}
	key := fitKey(nest, params, shapes)
	best, known := fittest.Load(key)
	if !known {
		best = cost.Fittest(nest, params, shapes)
		fittest.Store(key, best)
	}
	return versions[best.(int)]
}

// fitKey names what cost.Fittest looks at.
func fitKey(nest *plan.Nest, params []int, shapes []cost.Kernel) string {
	key := append([]byte(nest.Digest), 0)
	for _, n := range params {
		key = binary.AppendVarint(key, int64(n))
	}
	for i := range shapes {
		k := &shapes[i]
		for _, n := range []int{k.Across, k.Rows, k.Lanes} {
			key = binary.AppendVarint(key, int64(n))
		}
		key = strconv.AppendBool(key, k.Lines)
		for _, t := range []float64{k.PointAt(0), k.Run} {
			key = binary.BigEndian.AppendUint64(key, math.Float64bits(t))
		}
	}
	return string(key)
}

// fittest has what cost.Fittest has returned, by nest, parameters and shapes.
var fittest sync.Map
