// Package explain explains a plan: as text for a terminal, as a JSON object for programs,
// and as an HTML page with pictures.
//
// The input is a Subject: the compiler's view of a nest, the plan of a run, and the
// planner's predictions. New collects the facts in a Report; Text and JSON print the
// report, and Page draws it too. The package only describes the planner's decisions and
// decides nothing.
//
//	report.go    the Report, and what fills it
//	depend.go    dependences, and what each of them forces
//	tiling.go    skew, H, P, D^S
//	schedule.go  groups, steps and closed forms
//	faces.go     the messages between workers
//	roof.go      how close the run comes to the memory bandwidth
//	text.go      the report for a terminal
//	page.go      the page, for one nest or several; its pictures are in space2.go, space3.go,
//	             mesh.go, vectors.go, gantt.go
//	labels.go    the placement of texts in pictures
package explain

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"loopc/ir"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// A Subject is a plan to explain, with everything that the explanation needs.
type Subject struct {
	File string // the source, as the user named it
	Nest *ir.Nest
	// Kernels are the compiler's decisions about kernels: codegen.ExplainKernels.
	Kernels []string
	// Loops is the predicted time in seconds of the loops as they are written, if a run would choose these
	// rather than the tiles of Plan; otherwise 0. Tiles is the time of tiles with which the run compares it.
	Loops, Tiles float64
	// InArrays says that a vector kernel then computes the rows of the loops.
	InArrays bool
	Plan     *plan.Plan
	Own      int          // of several nests, how many parameters the program has; the numbers of its repeats follow
	Floats   []float64    // the float parameters
	Asked    plan.Options // the user's options; the planner decided the rest

	Machine      *cost.Machine
	Link         string // between ranks: its name in Machine.Links
	Prediction   cost.Prediction
	Alternatives []search.Alternative // the plans that the planner considered, by time
}

// A Report is the explanation of a plan. Its JSON names are stable: fields may be added,
// and Schema changes if the meaning of a field changes.
//
// Lists with an entry per loop have the order of Loops, outermost first. If the user gave a
// tiling matrix, entry k is for dimension k of the transformed space. Vectors and matrices
// of the tiling have an entry per dimension, in the order of Dims, which are the loops
// after skewing; a nest of a single loop has a dimension "level" of one iteration in front
// of it.
type Report struct {
	Schema     int              `json:"schema"` // 2
	Nest       string           `json:"nest"`
	File       string           `json:"file"`
	Parameters []Parameter      `json:"parameters"`
	Floats     []FloatParameter `json:"float_parameters,omitempty"`
	Loops      []string         `json:"loops"`
	Dims       []string         `json:"dims"`
	// Lo and Hi bound the iterations, skewed, both ends included.
	Lo          []int `json:"lo"`
	Hi          []int `json:"hi"`
	Points      int64 `json:"points"`       // iterations
	PointsExact bool  `json:"points_exact"` // false: Points comes from a sample of the rows
	Empty       bool  `json:"empty"`        // no iterations; then nothing below Dependences is set

	Dependences []Dependence `json:"dependences"`
	Reductions  []Reduction  `json:"reductions,omitempty"`
	Tiling      Tiling       `json:"tiling"`

	Map    string `json:"map"`     // the mapping dimension: tiles along it share a worker
	MapWhy string `json:"map_why"` // why this dimension
	Ranks  int    `json:"ranks"`   // requested
	CPUs   int    `json:"cpus"`    // requested, per rank
	Grid   []int  `json:"grid"`    // ranks per loop: p
	// GridWhy is the criterion by which the grid was chosen.
	GridWhy string `json:"grid_why"`
	Mesh    []int  `json:"mesh"`            // CPUs of a rank per loop: m
	Tile    []int  `json:"tile"`            // sides in iterations, per loop
	Tiles   []int  `json:"tiles"`           // number of tiles per loop: u^S
	First   []int  `json:"first,omitempty"` // sides of the first tile per loop, 0: the same as Tile; nil: all are the same
	Group   string `json:"group"`           // hyperplane or vertical
	Sub     int    `json:"sub"`             // tiles along Map whose faces travel as one message: N
	Assign  string `json:"assign"`          // the word of a plan.Assign
	Comm    string `json:"comm"`            // overlap, blocking or buffered

	// If the run is cut, Epoch is the number of levels of an epoch, and Epochs the number of
	// epochs; Lo, Hi, Tiles, Faces and Steps are then those of one epoch.
	Epoch  int `json:"epoch,omitempty"`
	Epochs int `json:"epochs,omitempty"`

	Grouping Grouping `json:"grouping"`
	Steps    int      `json:"steps"` // makespan, counted over the tiles that have iterations
	// Closed are the papers' closed forms of the makespan. It is empty if the papers have
	// none for this space.
	Closed []ClosedForm `json:"closed"`

	Faces []Face `json:"faces"` // one per direction
	// FacesCounted is false if the plan has too many tiles to count the bytes of each
	// direction: then the totals of Faces are 0.
	FacesCounted bool `json:"faces_counted"`
	// FacesFollowed: a CPU hands a face over to another CPU of its rank row by row, while
	// it packs the face (flow-controlled early send).
	FacesFollowed bool  `json:"faces_followed"`
	Messages      int64 `json:"messages"` // between ranks, over the whole run
	Bytes         int64 `json:"bytes"`    // of these messages

	// Memory is the memory of the rank that needs most, without the program itself and the
	// kernels' buffers. Ranks in one process share the caller's arrays. MemoryOfAll is the
	// sum over the ranks.
	Memory      cost.Memory `json:"memory"`
	MemoryOfAll int64       `json:"memory_of_all"`

	Seconds      float64         `json:"seconds"`              // predicted
	AsWritten    float64         `json:"as_written,omitempty"` // Subject.Loops; unless 0, Seconds is the same, and Prediction is of tiles
	InArrays     bool            `json:"in_arrays,omitempty"`
	InTiles      float64         `json:"in_tiles,omitempty"` // Subject.Tiles
	Kernels      []string        `json:"kernels"`            // lanes and interleaved streams, a line per kernel
	Prediction   cost.Prediction `json:"prediction"`         // Seconds, split; see cost.Prediction
	Alternatives []Alternative   `json:"alternatives"`
	Chosen       Chosen          `json:"chosen"`
	Roof         Roof            `json:"roof"`
	Sharing      Sharing         `json:"sharing"`
	Machine      string          `json:"machine"`    // whose figures were used
	Measured     string          `json:"measured"`   // when they were measured; "": built-in figures
	OtherNest    bool            `json:"other_nest"` // the costs of tiles were measured with another nest
	Link         string          `json:"link"`       // between ranks
	Warnings     []string        `json:"warnings"`
}

// A Parameter is a parameter of the nest and its value in this run.
type Parameter struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
}

// A FloatParameter is the value of a float parameter.
type FloatParameter struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// A Reduction is a number that is accumulated over all iterations.
type Reduction struct {
	Name string `json:"name"`
	Of   string `json:"of"` // such as "max(H[i,j])"
	Type string `json:"type"`
}

// An Alternative is a plan that was considered.
type Alternative struct {
	What    string  `json:"what"` // how it differs from the chosen one; "chosen plan" for that
	Seconds float64 `json:"seconds"`
	// More is its time relative to the chosen plan's, minus 1: 0.1 is 10 % longer. Negative
	// means shorter; see Chosen.Why.
	More  float64 `json:"more"`
	Steps int     `json:"steps"`
	Bytes int64   `json:"bytes"` // between ranks; exact for the chosen plan, else estimated
	// Memory is the memory of the rank that needs most, in bytes; 0: not computed. Arrays
	// count if ranks have processes of their own.
	Memory int64 `json:"memory,omitempty"`
	Chosen bool  `json:"chosen"`
	// Estimated: Seconds comes from a closed form, scaled by the form's error for the plans
	// that were simulated.
	Estimated bool `json:"estimated"`
	// Measured is the time of a trial in seconds, 0 if there was none: see cost.Trial.
	Measured float64 `json:"measured,omitempty"`
}

// Chosen says by how much the chosen plan won.
type Chosen struct {
	Considered int     `json:"considered"` // plans, the chosen one included
	Next       string  `json:"next"`       // the best other plan; "" if there is none
	Margin     float64 `json:"margin"`     // how much longer Next takes, as a fraction
	Why        string  `json:"why"`        // in a sentence
}

// tells reports whether the report lists parameter k: a parameter of the program, or the number of a repeat around this
// nest; but not an item that may have any value.
func (s *Subject) tells(k int) bool {
	return s.Own == 0 || k < s.Own || slices.ContainsFunc(s.Nest.Numbers, func(x ir.Number) bool {
		return x.Param == k && !(x.Item && ir.Unbounded(x.Lo) && ir.Unbounded(x.Hi))
	})
}

// New makes the report on s.
func New(s *Subject) *Report {
	p := s.Plan
	r := &Report{
		Schema: 2, Nest: s.Nest.Name, File: s.File, Parameters: []Parameter{},
		Dims: p.Nest.Dims, Lo: []int{}, Hi: []int{}, Empty: p.Empty, Ranks: p.Ranks, CPUs: p.CPUs,
		Link: s.Link, Warnings: append([]string{}, p.Warnings...),
		Kernels:      append([]string{}, s.Kernels...),
		Alternatives: []Alternative{}, Closed: []ClosedForm{}, Faces: []Face{},
	}
	for k, v := range p.Params {
		if !s.tells(k) {
			continue
		}
		r.Parameters = append(r.Parameters, Parameter{p.Nest.Params[k], v})
	}
	for k, v := range s.Floats {
		r.Floats = append(r.Floats, FloatParameter{p.Nest.Floats[k], v})
	}
	for _, l := range s.Nest.Loops {
		r.Loops = append(r.Loops, l.Name)
	}
	for _, x := range s.Nest.Reduces() {
		r.Reductions = append(r.Reductions, Reduction{x.Name, s.Nest.ReduceText(x), x.Type.String()})
	}
	r.Points, r.PointsExact = p.Points()
	r.Dependences = dependences(s)
	if s.Machine != nil {
		r.Machine, r.Measured = s.Machine.Name, s.Machine.Measured
		r.OtherNest = r.Measured != "" && !s.Machine.Knows(p.Nest)
	}
	if p.Empty {
		return r
	}
	r.Lo, r.Hi = p.Lo, p.Hi
	r.Tiling = tilingOf(p)
	r.Map, r.MapWhy = p.Nest.Dims[p.Map], mapWhy(s)
	r.Grid, r.Mesh, r.Tile, r.Tiles = s.perLoop(p.Grid), s.perLoop(p.Mesh), s.perLoop(p.Side), s.perLoop(p.Tiles)
	r.First = p.Options().First
	r.GridWhy = gridWhy(s)
	r.Group, r.Sub, r.Assign, r.Comm = p.Group.String(), p.Sub, p.Assign.String(), p.Comm.String()
	if p.Windows > 1 {
		r.Epoch, r.Epochs = p.Epoch, p.Windows
	}
	r.Grouping = groupingOf(p)
	r.Steps = p.Steps()
	r.Closed = closedForms(p)
	r.Faces, r.FacesCounted = faces(p)
	if s.Machine != nil {
		local, _ := s.Machine.LinkNamed(cost.LinkLocal)
		r.FacesFollowed = !local.Complete && !p.KeepsWhole() && slices.ContainsFunc(r.Faces, func(f Face) bool { return f.LocalMessages > 0 })
	}
	for _, m := range cost.Memories(p) {
		r.MemoryOfAll += m.Total()
		if m.Total() > r.Memory.Total() {
			r.Memory = m
		}
	}
	r.Prediction, r.Seconds = s.Prediction, s.Prediction.Seconds
	r.Messages, r.Bytes = s.Prediction.Messages, s.Prediction.Bytes
	r.alternatives(s.Alternatives)
	r.Sharing = sharingOf(s)
	r.Roof = roofOf(s, r)
	if s.Loops > 0 {
		r.AsWritten, r.InTiles, r.Seconds, r.InArrays = s.Loops, s.Tiles, s.Loops, s.InArrays
	}
	return r
}

// extraDims is the number of leading dimensions of the plan that are no loops.
func (s *Subject) extraDims() int { return len(s.Plan.Nest.Dims) - s.Nest.Depth() }

// perLoop drops the dimensions that are no loops.
func (s *Subject) perLoop(v []int) []int { return v[s.extraDims():] }

// gridWhy is the criterion by which the grid of ranks was chosen.
func gridWhy(s *Subject) string {
	switch {
	case s.Asked.Grid != nil:
		return "asked for"
	case product(s.Plan.Grid) == 1:
		return "one rank"
	case s.Asked.Shape == plan.ShapeCommunication:
		return "least communication, [P3] (6)"
	case s.Asked.Shape == plan.ShapeScheduling:
		return "fewest steps, [P3] (1)"
	}
	return "least predicted time"
}

// mapWhy says why tiles along this dimension share a worker.
func mapWhy(s *Subject) string {
	p := s.Plan
	extent := func(k int) int { return p.Hi[k] - p.Lo[k] + 1 }
	longest, ties := true, 0
	for k := range p.Lo {
		longest = longest && extent(k) <= extent(p.Map)
		if extent(k) == extent(p.Map) {
			ties++
		}
	}
	length := "longest: " + count(int64(extent(p.Map))) + " iterations"
	switch {
	case s.Asked.Map != "":
		return "asked for"
	case longest && ties > 1:
		return length + ", as others"
	case longest:
		return length
	case grids(s.Asked.Grid) || grids(s.Asked.Mesh):
		return "the grid asked for leaves it whole"
	}
	return "least predicted time, though not the longest"
}

// grids reports whether v, numbers of ranks or CPUs per loop, divides a loop.
func grids(v []int) bool {
	for _, x := range v {
		if x > 1 {
			return true
		}
	}
	return false
}

// alternatives fills in the plans that were considered.
func (r *Report) alternatives(all []search.Alternative) {
	// The chosen plan has the time of the prediction. If the planner only estimated that
	// plan, its other estimates are scaled by the same error.
	scale := 1.0
	for _, a := range all {
		if a.Chosen && a.Estimated && a.Seconds > 0 && r.Seconds > 0 {
			scale = r.Seconds / a.Seconds
		}
	}
	var best *Alternative // except the chosen one
	for _, a := range all {
		x := Alternative{What: a.What, Seconds: a.Seconds, Steps: a.Steps, Bytes: a.Bytes, Chosen: a.Chosen, Memory: a.Memory, Estimated: a.Estimated, Measured: a.Measured}
		if x.Estimated {
			x.Seconds *= scale
		}
		if x.Chosen {
			x.What, x.Steps, x.Bytes = "chosen plan", r.Steps, r.Bytes
			x.Seconds, x.Estimated = r.Seconds, r.Prediction.Estimated
		}
		if r.Seconds > 0 {
			x.More = x.Seconds/r.Seconds - 1
		}
		if !x.Chosen && (best == nil || x.Seconds < best.Seconds) {
			best = &x
		}
		r.Alternatives = append(r.Alternatives, x)
	}
	slices.SortStableFunc(r.Alternatives, func(a, b Alternative) int { return cmp.Compare(a.Seconds, b.Seconds) })
	r.Chosen.Considered = max(1, len(all))
	if best == nil {
		r.Chosen.Why = "nothing else was considered"
		return
	}
	next := *best
	r.Chosen.Next, r.Chosen.Margin = next.What, next.More
	if why := r.tried(); why != "" {
		r.Chosen.Why = why
		return
	}
	switch {
	case next.More < 0 && r.needs() > 0 && next.Memory > r.needs()*11/10:
		r.Chosen.Why = "needs less memory, " + lengthText(r.needs()) + " of a rank: " + next.What + " would take " + percent(-next.More) + " less, and need " + lengthText(next.Memory)
	case next.More < 0:
		r.Chosen.Why = "is the simpler one of those that take about as long: " + next.What + " would take " + percent(-next.More) + " less"
	case next.More < 0.0005:
		r.Chosen.Why = "ties with " + next.What
	default:
		r.Chosen.Why = "wins by " + percent(next.More) + " over the next, " + next.What
	}
}

// needs is the Memory of the chosen plan among the alternatives.
func (r *Report) needs() int64 {
	for _, a := range r.Alternatives {
		if a.Chosen {
			return a.Memory
		}
	}
	return 0
}

// JSON writes the report as one object.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
