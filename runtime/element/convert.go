package element

// A Converter converts n numbers as Go does. It reads the cells first, first+fromStep, ... of src
// and writes the cells at, at+toStep, ... of dst.
type Converter func(dst []byte, at, toStep int, src []byte, first, fromStep, n int)

// ToLanes returns the conversion of cells of type t to those of a type that vectors compute with: float32, float64, int32 or int64.
func (t *Type) ToLanes(to *Type) Converter { return t.toLanes(to.Name) }

// FromLanes returns the conversion of cells of a type that vectors compute with, float64 or int32, to cells
// of an integer type t. Their values must be values of t.
func (t *Type) FromLanes(from *Type) Converter { return t.fromLanes(from.Name) }

func fromLanes[To Integer](from string) Converter {
	switch from {
	case "float64":
		return convert[To, float64]
	case "int32":
		return convert[To, int32]
	}
	panic("BUG: element: vectors do not hold integers as " + from)
}

// toLanes has a function for each pair of types: a call for each cell would take longer than the conversion.
func toLanes[From Number](to string) Converter {
	switch to {
	case "float32":
		return convert[float32, From]
	case "float64":
		return convert[float64, From]
	case "int32":
		return convert[int32, From]
	case "int64":
		return convert[int64, From]
	}
	panic("BUG: element: vectors do not compute with " + to)
}

func convert[To, From Number](dst []byte, at, toStep int, src []byte, first, fromStep, n int) {
	to, from := cells[To](dst), cells[From](src)
	if toStep == 1 && fromStep == 1 {
		to = to[at : at+n]
		for i, x := range from[first : first+n] {
			to[i] = To(x)
		}
		return
	}
	for range n {
		to[at] = To(from[first])
		at, first = at+toStep, first+fromStep
	}
}
