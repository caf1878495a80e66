package plan

import (
	"fmt"
	"slices"
	"strings"
)

// A Choice is one of several words of the command line. The type K has the list of the words.
type Choice[K list] uint8

// Any leaves a choice to the planner. A plan has no such choice.
const Any = 0

// A list has the words of a choice, and what they are called in messages. The first word leaves the choice open.
type list interface {
	words() (what string, names []string)
}

// String returns the word.
func (c Choice[K]) String() string {
	var k K
	_, names := k.words()
	return names[c]
}

// All returns the choices that a plan may have: all but Any.
func (Choice[K]) All() (all []Choice[K]) {
	var k K
	_, names := k.words()
	for c := 1; c < len(names); c++ {
		all = append(all, Choice[K](c))
	}
	return all
}

// MarshalText implements encoding.TextMarshaler: the word, "" if the choice is open.
func (c Choice[K]) MarshalText() ([]byte, error) {
	var k K
	switch what, names := k.words(); {
	case c == 0:
		return nil, nil
	case int(c) >= len(names):
		return nil, fmt.Errorf("no such %s: %d; 0 is any, and 1 to %d are %s", what, c, len(names)-1, strings.Join(names[1:], ", "))
	}
	return []byte(c.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler; "" leaves the choice open.
func (c *Choice[K]) UnmarshalText(text []byte) error {
	var k K
	what, names := k.words()
	at := max(0, slices.Index(names, string(text)))
	if at == 0 && len(text) > 0 {
		last := len(names) - 1
		return fmt.Errorf("no such %s: %q; %s or %s", what, text, strings.Join(names[1:last], ", "), names[last])
	}
	*c = Choice[K](at)
	return nil
}

// Comm says how computation and communication share the time.
type Comm = Choice[comm]

// Overlap: a worker computes a tile while the faces of the tile before are sent and the faces for the next tile arrive. Blocking: a worker
// receives, computes, and sends; a send ends when the face is in the neighbor's memory. Buffered: the same, but a send ends when the system
// has taken the face, which travels while the next tile is computed; many programs call this blocking. The planner expects Buffered to take
// as long as Overlap and never chooses it.
const (
	Overlap Comm = iota + 1
	Blocking
	Buffered
)

type comm struct{}

var commWords = []string{"any", "overlap", "blocking", "buffered"}

func (comm) words() (string, []string) { return "communication scheme", commWords }

// Group says how the tiles of a step are given to the CPUs of a rank.
type Group = Choice[group]

// Hyperplane: CPUs run independent tiles of one hyperplane; each CPU is a step behind its neighbor [P1] (2), (3). Vertical: CPUs run tiles
// side by side, cut into sub-tiles that form a wavefront inside the step; faces between ranks are those of entire tiles [P1] (4), (5).
const (
	Hyperplane Group = iota + 1
	Vertical
)

type group struct{}

var groupWords = []string{"any", "hyperplane", "vertical"}

func (group) words() (string, []string) { return "grouping", groupWords }

// Assign says how columns of tiles are given to the ranks if there are more columns than workers [P2] section 4.
type Assign = Choice[assign]

// Retile: the space is tiled again, with one column for each worker. Cluster: a worker runs a block of neighboring columns, one tile of
// each in a step. Cyclic: groups of columns are dealt to the ranks in rounds; a worker runs its columns one after the other. Mirror: as
// Cyclic, but every other round goes through the ranks in reverse order, so that the last rank of a round is the first of the next. All
// from Cyclic on deal in rounds.
const (
	Retile Assign = iota + 1
	Cluster
	Cyclic
	Mirror
)

type assign struct{}

// A dealing says how an assignment deals the groups along a dimension to its ranks: rank returns the
// rank of the group at a place of a round, and place is its inverse. Each rank has one place in
// every round. Both are nil if there are no rounds. text explains the assignment to a user.
type dealing struct {
	word, text  string
	rank, place func(round, at, ranks int) int
}

var dealings = [...]dealing{
	Any:     {word: "any"},
	Retile:  {word: "retile", text: "one column of tiles for each CPU"},
	Cluster: {word: "cluster", text: "a block of neighboring columns for each CPU, one tile of each in a step"},
	Cyclic:  {"cyclic", "ranks take groups of columns in turn", forth, forth},
	Mirror:  {"mirror", "ranks take groups of columns in turn, every other round in reverse order", forthAndBack, forthAndBack},
}

// AssignText explains an assignment, such as "ranks take groups of columns in turn".
func AssignText(a Assign) string { return dealings[a].text }

func forth(_, at, _ int) int { return at }

func forthAndBack(round, at, ranks int) int {
	if round%2 == 1 {
		return ranks - 1 - at
	}
	return at
}

var assignWords = func() (words []string) {
	for _, d := range dealings {
		words = append(words, d.word)
	}
	return words
}()

func (assign) words() (string, []string) { return "assignment", assignWords }

// Shape is the criterion by which a process grid P_1 × .. × P_N is chosen.
type Shape = Choice[shape]

// ShapeModel: the least estimated time, which counts the exact volume that the busiest worker sends. ShapeCommunication: the least volume
// by the published formula [P3] (6), and among equals the fewest steps. ShapeScheduling: every P_i as close to P^(1/N) as integer factors
// allow, [P3] (1), which gives the fewest steps. The planner chooses ShapeModel.
const (
	ShapeModel Shape = iota + 1
	ShapeCommunication
	ShapeScheduling
)

type shape struct{}

var shapeWords = []string{"any", "model", "communication", "scheduling"}

func (shape) words() (string, []string) { return "shape", shapeWords }
