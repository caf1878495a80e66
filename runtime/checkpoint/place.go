package checkpoint

// A Place is where a program of several nests is, between two of them, and what it has done.
type Place struct {
	Path        []Stop `json:"path"`              // to the nest that runs next, through the repeats around it
	Repetitions int    `json:"repetitions_done"`  // of the outermost repeats
	Runs        []int  `json:"nest_runs"`         // by nest
	Repeats     []int  `json:"repeats"`           // by repeat: the repetitions of its last run
	Changed     bool   `json:"changed,omitempty"` // code of the caller may have changed inout arrays
}

// A Stop is one step of a path.
type Stop struct {
	Step  int    `json:"step"` // its place among the steps of the program, or of the repeat before it
	Nest  string `json:"nest,omitempty"`
	In    string `json:"repeat,omitempty"` // the name of a repeat; "": a nest
	Value int    `json:"value"`            // the number for which the repeat runs
}

// unit is what the number in the name of a checkpoint counts: see State.Done.
func (p *Place) unit() string {
	if p == nil {
		return "level"
	}
	return "nest"
}
