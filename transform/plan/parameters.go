package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// largest bounds parameters and the products that contain them, so that no arithmetic on coordinates can overflow.
const largest = 1 << 48

// checkParams refuses parameters for which the nest has no meaning.
func checkParams(n *Nest, params []int) error {
	if len(params) != len(n.Params) {
		return fmt.Errorf("%s takes %d parameters, got %d", n.Name, len(n.Params), len(params))
	}
	for k, v := range params {
		if v > largest || v < -largest {
			return fmt.Errorf("parameter %s = %d is out of range (at most 2^48 either way)", n.Params[k], v)
		}
	}
	intervals, _ := n.intervals(params)
	least, most := slices.Clone(params), slices.Clone(params) // with the extreme numbers of repeats
	for k, values := range intervals {
		least[k], most[k] = values.lo, values.hi
	}
	for _, extremes := range [][]int{least, most} {
		if err := n.checkSums(extremes); err != nil {
			return err
		}
	}
	for _, a := range n.Arrays {
		if _, _, err := a.Extent(params); err != nil {
			return &ProgramError{err.Error() + n.parameters(params)}
		}
	}
	for _, c := range n.Checks {
		if at := n.failing(&c, params); at != nil {
			return &ProgramError{c.Message + n.parameters(at)}
		}
	}
	return nil
}

// checkSums refuses parameters with which a form of the nest might overflow.
func (n *Nest) checkSums(params []int) error {
	forms := slices.Clone(n.Space)
	for _, a := range n.Arrays {
		forms = append(append(forms, a.Lo...), a.Hi...)
	}
	for _, c := range n.Checks {
		forms = append(forms, c.Fails...)
	}
	for _, f := range forms {
		sum := abs(f.Const)
		for k, c := range f.Params {
			if c != 0 && abs(params[k]) > largest/abs(c) {
				return fmt.Errorf("parameter %s = %d is too large for this nest", n.Params[k], params[k])
			}
			sum += abs(c * params[k])
		}
		if sum > 2*largest {
			return errors.New("the parameters are too large for this nest")
		}
	}
	return nil
}

// A ProgramError says that the nest has no meaning for these parameters: the program is wrong for them, not the options.
type ProgramError struct{ message string }

func (e *ProgramError) Error() string { return e.message }

// parameters returns " (T = 3, N = 4)", or "" if there are no parameters.
func (n *Nest) parameters(params []int) string {
	if len(params) == 0 {
		return ""
	}
	var s []string
	for k, v := range params {
		s = append(s, fmt.Sprintf("%s = %d", n.Params[k], v))
	}
	return " (" + strings.Join(s, ", ") + ")"
}

// Extent returns the lower bounds of a and the number of its cells per dimension. A negative extent is an error if the caller gives or
// receives a; any other such array has no cells. An array of more bytes than an int can count is an error.
func (a *Array) Extent(params []int) (lo, extent []int, err error) {
	bytes := a.Size
	for k := range a.Lo {
		l := a.Lo[k].Eval(params, nil)
		e := a.Hi[k].Eval(params, nil) - l + 1
		switch {
		case e < 0 && (a.Unseen || a.Role == Internal && !a.Returned()):
			e = 0
		case e < 0:
			return nil, nil, fmt.Errorf("array %s has the negative extent %d along dimension %d", a.Name, e, k+1)
		case e > 0 && bytes > (1<<62)/e:
			return nil, nil, fmt.Errorf("array %s is too large: its size in bytes overflows", a.Name)
		}
		bytes *= e
		lo, extent = append(lo, l), append(extent, e)
	}
	return lo, extent, nil
}
