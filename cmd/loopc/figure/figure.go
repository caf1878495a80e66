// Package figure regenerates figures of the papers on which loopc is based. Each figure has
// curves from two sources: the papers' closed forms, and simulated runs of loopc's own
// plans for the same space, tile by tile and message by message, on the cluster that the
// paper describes. If a paper's text gives measured numbers, they are a third source.
//
// References, cited by the figures' names:
//
//	[P1]  Athanasaki, Sotiropoulos, Tsoukalas, Koziris. Pipelined scheduling of
//	      tiled nested loops onto clusters of SMPs using memory mapped network
//	      interfaces.
//	[P2]  Athanasaki, Koukis, Koziris. Scheduling of tiled nested loops onto a
//	      cluster with a fixed number of SMP nodes.
//	[P3]  Drosinos, Goumas, Koziris. Selecting the tile shape to reduce the total
//	      communication volume.
//
// The files:
//
//	assignment.go  [P2] figures 6, 8, 9: efficiency against the number of tiles
//	height.go      [P1] figures 13, 14: time against the height of tiles
//	grid.go        [P3] figures 2 to 7: time on communication-aware grids
//
// cluster.go simulates runs; csv.go, draw.go and page.go write figures as tables, drawings
// and a page.
package figure

import (
	"fmt"
	"strings"
)

// A Kind says where the numbers of a series come from.
type Kind uint8

// Theory: the closed forms of the papers. Simulated: the planner's simulation of a plan.
// Reported: measured by the papers' authors, as given in their text.
const (
	Theory Kind = iota
	Simulated
	Reported
)

var kindNames = []string{"theory", "simulated", "reported"}

// String returns the kind in a word.
func (k Kind) String() string { return kindNames[k] }

// A Point is one value of a series.
type Point struct {
	X, Y float64
	Note string // an explanation, such as the chosen grid; may be empty
}

// A Series is a curve, or the bars of one color.
type Series struct {
	Name   string // as in the legend; theory, simulated and reported series of one thing share it
	Kind   Kind
	Points []Point // X ascends
}

// A Panel is one pair of axes.
type Panel struct {
	Title  string
	Series []Series
}

// A Figure is the data of one of the papers' figures.
type Figure struct {
	Name    string // such as "P2.8"
	Title   string
	XLabel  string // with the unit
	YLabel  string
	Setting []string // what was computed and simulated, and on which cluster, a sentence each
	Panels  []Panel
	Bars    *Bars // nil: curves
	LogX    bool
	// FromZero: the vertical axis starts at 0.
	FromZero bool
}

// Bars are the additional data of a bar chart, where every X is a category.
type Bars struct {
	Categories []string   // names, in the order of X = 0, 1, ..
	Over       [][]string // per category, the texts above its first bar and above the others
}

// An entry is a figure that can be built.
type entry struct {
	name  string
	build func(name string) (*Figure, error)
	// remarks is a paragraph that says where the figure agrees with the paper, where it
	// does not, and why, with the figure's own numbers.
	remarks func(f *Figure) string
}

// entries are the figures, in the order of the page.
var entries = []entry{
	{"P1.13", heights16, remarks13},
	{"P1.14", heights32, remarks14},
	{"P2.6", assignments6, remarks6},
	{"P2.8", assignments8, remarks8},
	{"P2.9", assignments9, remarks9},
	{"P3.2", grids2, remarksGrid2},
	{"P3.3", grids3, remarksGrid3},
	{"P3.4", grids4, remarksGrid4},
	{"P3.5", grids5, remarksGrid5},
	{"P3.6", grids6, remarksGrid6},
	{"P3.7", grids7, remarksGrid7},
}

// Names returns the names of the figures: the paper and the number of the figure in it.
func Names() []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.name)
	}
	return names
}

// Known reports whether a figure has this name; case does not matter.
func Known(name string) bool {
	_, ok := find(name)
	return ok
}

func find(name string) (entry, bool) {
	for _, e := range entries {
		if strings.EqualFold(e.name, name) {
			return e, true
		}
	}
	return entry{}, false
}

// Build computes a figure. An unknown name is an error.
func Build(name string) (*Figure, error) {
	e, ok := find(name)
	if !ok {
		return nil, fmt.Errorf("no such figure: %q; there are %s", name, strings.Join(Names(), ", "))
	}
	f, err := e.build(e.name)
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", e.name, err)
	}
	return f, nil
}

// series returns the series of a panel with the given name and kind, or nil.
func (p *Panel) series(name string, kind Kind) *Series {
	for i := range p.Series {
		if s := &p.Series[i]; s.Name == name && s.Kind == kind {
			return s
		}
	}
	return nil
}

// at returns the value of s at x, which must exist.
func (s *Series) at(x float64) float64 {
	for _, p := range s.Points {
		if p.X == x {
			return p.Y
		}
	}
	panic(fmt.Sprintf("BUG: series %s has no point at %g", s.Name, x))
}

// least returns the point with the least value.
func (s *Series) least() Point {
	out := s.Points[0]
	for _, p := range s.Points {
		if p.Y < out.Y {
			out = p
		}
	}
	return out
}
