package codegen

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/transform/plan"
)

// planOptions describe each option of the planner to the caller of an emitted package.
var planOptions = map[string]string{
	"Ranks":        "of the run; 0: one, or as many as the grid has",
	"CPUs":         "of each rank; 0: those of this process, as far as they are predicted to be of use",
	"Mesh":         "CPUs of a rank along each loop, 1 along Map; nil: chosen",
	"Tile":         "sides of a tile in iterations, along each loop; 0 or nil: chosen",
	"First":        "sides of the first tile, when CPUs take tiles cyclically; 0: those of the other tiles; nil: chosen",
	"Grid":         "ranks along each loop, 1 along Map; 0 or nil: chosen",
	"Map":          "the loop along which the tiles of a CPU follow one another; \"\": chosen",
	"Group":        "how the tiles of a step are given to the CPUs of a rank",
	"Sub":          "sub-tiles of a tile, with vertical grouping; 0: chosen",
	"Assign":       "how columns of tiles are given to the ranks",
	"Comm":         "whether messages travel while tiles are computed",
	"Shape":        "the criterion by which the grid is chosen",
	"CompressFrom": "bytes of skewed storage from which levels are compressed; 0: 48 MiB",
	"Epoch":        "levels (values of the outermost loop) after which the run is cut; 0: it is not cut",
	"Written":      "the loops run as they are written, without tiles; an error where they cannot, such as with Watch.Couple",
	"Cache":        "bytes of a core's second cache; 0: 2 MiB",
}

// choices are the names of aliases, by type: reflection knows only the names of the types themselves.
var choices = map[reflect.Type]string{
	reflect.TypeFor[plan.Group]():  "plan.Group",
	reflect.TypeFor[plan.Assign](): "plan.Assign",
	reflect.TypeFor[plan.Comm]():   "plan.Comm",
	reflect.TypeFor[plan.Shape]():  "plan.Shape",
}

// options prints the options of a run: those of the planner, and what the runtime adds.
func (g *generator) options() {
	g.blank()
	g.linef("// %s say how to run the nest; the zero value leaves everything to the planner.", g.typeOptions)
	g.linef("type %s struct {", g.typeOptions)
	var set []string
	for f := range reflect.TypeFor[plan.Options]().Fields() {
		if f.Name == "Done" { // only a checkpoint knows
			continue
		}
		says := planOptions[f.Name]
		if says == "" {
			panic("BUG: nobody says what the option " + f.Name + " means")
		}
		g.linef("%s %s // %s", f.Name, cmp.Or(choices[f.Type], f.Type.String()), says)
		set = append(set, fmt.Sprintf("%s: o.%s", f.Name, f.Name))
	}
	g.linef("\n// Machine is what computation and messages cost here; nil: the built-in figures. No file is read by itself:")
	g.linef("// json.Unmarshal(data, &o.Machine) sets what loopc calibrate has written, to its option -o or to")
	g.linef("// loopc/machine.json in the folder os.UserConfigDir.")
	g.linef("Machine *cost.Machine")
	if g.couples() {
		g.linef("// Watch looks into the run while it goes on. Its Couple calls code of yours between levels: see %s.", g.funcCouple)
	} else {
		g.linef("// Watch looks into the run while it goes on.")
	}
	g.linef("Watch sched.Watch")
	g.linef("// Warn is called with each warning of the planner; nil: they are dropped.")
	g.linef("Warn func(string)")
	g.linef("}")
	g.blank()
	g.linef("func (o %s) run() sched.Options {", g.typeOptions)
	g.linef("return sched.Options{Options: plan.Options{%s}, Machine: o.Machine, Watch: o.Watch, Warn: o.Warn}", strings.Join(set, ", "))
	g.linef("}")
}

// couples reports whether code of the caller can change arrays between levels.
func (g *generator) couples() bool {
	return g.isCalled() && slices.ContainsFunc(g.n.Arrays, func(a ir.Array) bool { return a.Role == ir.InOut })
}

// coupling prints the function for code of the caller between levels, and the type that this code gets.
func (g *generator) coupling() {
	if !g.couples() {
		return
	}
	g.blank()
	g.linef("// %s is what a rank passes to the code of %s: its blocks of the inout arrays, which", g.typeBetween, g.funcCouple)
	g.linef("// together have every cell once, and are the same in every call. A block may have no cells.")
	g.linef("type %s struct {", g.typeBetween)
	g.linef("Rank int")
	several := g.n.Depth() == 0
	if several {
		g.linef("Done int // repetitions of the outermost repeats")
	} else {
		g.linef("Done int // levels that are computed")
	}
	fields := newScope("Rank", "Done")
	var set []string
	for k := range g.n.Arrays {
		if a := &g.n.Arrays[k]; a.Role == ir.InOut {
			f := fields.name(g.arrayFields[k])
			g.linef("%s %s[%s]", f, g.typeBlock, a.Elem)
			set = append(set, fmt.Sprintf("%s: sched.BlockOf[%s](b, %d)", f, a.Elem, k))
		}
	}
	g.linef("}")
	g.blank()
	if several {
		g.linef("// %s is for the field Couple of an option Watch: each rank calls code after each so many repetitions of", g.funcCouple)
		g.linef("// the outermost repeats, if a nest follows. The code may read and change the rank's blocks. The")
		g.linef("// result is that of %s, with the code after the repetitions. Ranks of one process call it", g.funcSequential)
	} else {
		g.linef("// %s is for the field Couple of an option Watch: each rank calls code after each so many levels (values", g.funcCouple)
		g.linef("// of the outermost loop), but not after the last one. The code may read and change the rank's blocks. The")
		g.linef("// result is that of %s, with the code between the levels. Ranks of one process call it", g.funcSequential)
	}
	g.linef("// concurrently, and an error ends the run.")
	g.linef("func %s(every int, code func(*%s) error) *sched.Coupling {", g.funcCouple, g.typeBetween)
	g.linef("return &sched.Coupling{Every: every, Call: func(b *sched.Between) error {")
	g.linef("return code(&%s{Rank: b.Rank, Done: b.Done, %s})", g.typeBetween, strings.Join(set, ", "))
	g.linef("}}")
	g.linef("}")
}

// rankOptions prints the options of a run on ranks.
func (g *generator) rankOptions() {
	g.blank()
	g.linef("// %s are the options of %s. Where a launcher has started the ranks, those of the", g.typeRankOptions, g.funcRunRanks)
	g.linef("// process that leads count, except for Watch.")
	g.linef("type %s struct {", g.typeRankOptions)
	g.linef("%s", g.typeOptions)
	g.linef("// Security configures how processes authenticate one another.")
	g.linef("Security launch.Security")
	g.linef("// Patience is how long processes wait for one that is silent; 0: 5 s. That of the first")
	g.linef("// run counts.")
	g.linef("Patience time.Duration")
	g.linef("}")
}
