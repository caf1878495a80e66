package sched

// Shows is code of the caller between repetitions of the outermost repeats, of a program of several nests whose loops run
// as they are written: the caller's arrays then have their content of that moment.
type Shows struct {
	Every int            // repetitions from one call to the next
	Show  func(done int) // is called with the number of repetitions, before the next nest runs
}

// A showing is where a run is between two calls of Show. The methods do nothing if there are no Shows.
type showing struct {
	*Shows
	done int  // repetitions of the outermost repeats
	due  bool // Show is to be called before the next nest runs
}

// piece returns how many of n repetitions of an outermost repeat may run before Show is to be called.
func (s *showing) piece(n int) int {
	if s.Shows == nil {
		return n
	}
	return min(n, s.Every-s.done%s.Every)
}

// repeated counts n repetitions of an outermost repeat, at most as many as piece has returned.
func (s *showing) repeated(n int) {
	if s.Shows == nil {
		return
	}
	s.begins()
	s.done += n
	s.due = n > 0 && s.done%s.Every == 0
}

// begins calls Show, if that is due. It is called before anything runs.
func (s *showing) begins() {
	if s.due {
		s.due = false
		s.Show(s.done)
	}
}
