package explain

import (
	"fmt"
	"io"
)

// A Total is what all runs of the nests of a program take together.
type Total struct {
	Iterations   int64
	Sampled      bool    // Iterations is an estimate: only some runs of a nest were counted, and these differ in their iterations
	Items        bool    // there is a batch, and each of its items counts as the greatest possible one
	Loops, Tiles float64 // predicted seconds; Loops is 0 if the nests run in tiles
	Part         bool    // Tiles lacks what begins and ends the runs of nests
	Arrays       int64   // bytes of the arrays that the caller or several nests have
	Most         int64   // bytes that all ranks need besides Arrays while the nest runs that needs the most
}

// Text writes the lines that loopc plan prints about a program of several nests.
func (x *Total) Text(w io.Writer) error {
	t := &text{}
	items, about := "", ""
	if x.Sampled {
		about = "about "
	}
	if x.Items {
		items = ", if each item is as large as it may be"
	}
	t.line("iterations", "%s%s of all nests and repetitions%s", about, count(x.Iterations), items)
	switch {
	case x.Loops > 0:
		t.line("predicted", "%s for the loops as they are written, which a run chooses: tiles would take %s", seconds(x.Loops), seconds(x.Tiles))
	case x.Part:
		t.line("predicted", "%s, without what begins and ends the run of a nest", seconds(x.Tiles))
	default:
		t.line("predicted", "%s", seconds(x.Tiles))
	}
	besides := ""
	if x.Loops == 0 { // in tiles
		besides = fmt.Sprintf("; at most %s besides for one nest at a time", lengthText(x.Most))
	}
	t.line("memory", "%s for arrays that the caller or several nests have%s", lengthText(x.Arrays), besides)
	_, err := io.WriteString(w, t.b.String())
	return err
}
