package sched

import (
	"time"

	"loopc/runtime/kernel"
)

// looks says when a run looks at its context again, and what its progress is then. Repetitions of repeats and iterations of nests count alike.
type looks struct {
	wanted      bool      // the loops of nests look; else the run is predicted to end soon
	repetitions int       // and iterations, from one look to the next
	looked      time.Time // the zero time: not yet in this run
	told        time.Time // when the progress was told, or the first look
	step        Step      // the repeat that runs by its function, or the nest that runs
	before      int64     // points that were done before this step
	points      int64     // of this run of the step; -1: not counted yet
	passed      int64     // points of the nest that are done
	inside      int       // repeats around the step
	lo, hi      int       // the numbers of the repeat
	later       []Step    // repeats whose points finish counts, after the run's time has been taken
}

// lookEvery is about how long the functions of repeats run from one look to the next. A program that is predicted to take less
// than soon, in seconds, looks the first time after firstLook repetitions.
const (
	lookEvery       = 2 * time.Millisecond
	tellEvery       = 50 * time.Millisecond // least time between two updates of the progress
	soon, firstLook = 20e-3, 1 << 12
)

// repeatable prepares looks at the context, and runs of repeats by their functions, if the program has any. The loops of
// a single nest that is predicted to end soon do not look: before a run that a caller may end, inout arrays are copied.
func (s *sequence) repeatable() {
	s.looks.repetitions, s.repeating.Look = 1, s.look
	if s.prog.weighed.Loops < soon {
		s.looks.repetitions = firstLook
	}
	if s.looks.wanted = s.prog.Several() || s.prog.weighed.Loops >= soon; s.looks.wanted {
		for k := range s.nests {
			s.nests[k].Looks, s.nests[k].Within = &s.repeating.Looks, kernel.Within(s.prog.typical[k])
		}
	}
	if len(s.ofProgram) == 0 {
		return
	}
	s.repeating.Params, s.repeating.Nests, s.repeating.Begin, s.repeating.Item = s.params, s.nests, s.begin, s.itemValue
	for k, r := range s.inArrays {
		row := s.row(k)
		var rows func() error
		if n := s.prog.Parts()[k].Nest; r != nil && (row == nil || !n.Levelled && kernel.Even(n)) { // else a direct call for each row takes less time
			rows = func() error {
				s.begin(k)
				_, err := r.run(s.ctx, &s.crew, nil, s.params)
				return err
			}
		}
		s.repeating.Row, s.repeating.Rows = append(s.repeating.Row, row), append(s.repeating.Rows, rows)
	}
}

// row returns the function of a vector kernel that computes a row of nest k; nil if there is none.
func (s *sequence) row(k int) func(frame *int) {
	part := s.prog.Parts()[k]
	if part.Kernel.Name == kernel.Portable {
		return nil
	}
	loops, _ := part.loops(s.params, s.nests[k])
	return loops.Row
}

// repeat runs a step that is a repeat, with the numbers lo..hi, by the repeat's function.
func (s *sequence) repeat(step Step, lo, hi int) error {
	if err := s.between(); err != nil {
		return err
	}
	p, run := &s.looks, &s.repeating
	p.looked, p.step, p.before, p.points = time.Time{}, step, s.done, -1
	if p.inside > 0 && s.all == 0 { // the numbers of other repeats are known now
		p.points = s.count([]Step{step}, 1)
	}
	if s.division != nil && p.inside == 0 {
		p.points = s.division.points
	}
	p.lo, p.hi, run.Left = lo, hi, p.repetitions
	err := s.byFunction(step.Repeat)
	switch {
	case p.points >= 0:
		s.done = p.before + p.points
	case s.all == 0:
		p.later = append(p.later, step)
	}
	return err
}

// byFunction runs a repeat by its function, an outermost one piece by piece if the caller wants to see the arrays in between.
func (s *sequence) byFunction(r *Repeat) error {
	p, run := &s.looks, &s.repeating
	n := max(0, p.hi-p.lo+1)
	for done := 0; ; {
		piece := n - done
		if p.inside == 0 {
			piece = s.showing.piece(piece)
		}
		s.showing.begins()
		run.First, run.Last = p.lo, p.hi
		if piece > 0 {
			first, last := r.number(p.lo, p.hi, done), r.number(p.lo, p.hi, done+piece-1)
			run.First, run.Last = min(first, last), max(first, last)
		}
		if err := r.Sequential(run); err != nil {
			return err
		}
		if p.inside == 0 {
			s.showing.repeated(piece)
		}
		if done += piece; done >= n {
			return nil
		}
	}
}

// finish counts the points of repeats that have run.
func (s *sequence) finish() {
	for _, step := range s.looks.later {
		s.done += s.count([]Step{step}, 1)
	}
	s.looks.later = s.looks.later[:0]
}

// count returns the iterations of all nests of steps that run a number of times. It also counts the runs for the summary.
func (s *sequence) count(steps []Step, times int64) (points int64) {
	for _, step := range steps {
		r := step.Repeat
		if r == nil {
			s.runs[step.Nest] += int(times)
			points += times * s.sizes[step.Nest].points(s.params)
			continue
		}
		lo, hi := s.bounds(r)
		n := max(0, hi-lo+1)
		s.repeats[r.Index] = n
		if n == 0 {
			continue
		}
		at := s.given + r.Index
		now := s.params[at]
		if n == 1 { // as a parameter of an item
			s.params[at] = lo
			points += s.count(r.Steps, times)
			s.params[at] = now
			continue
		}
		from := len(s.varying) // the steps from here on have to be counted for each number
		for _, inner := range r.Steps {
			if inner.Repeat == nil {
				if all, ok := s.sizes[inner.Nest].series(s.params, at, lo, hi); ok {
					s.runs[inner.Nest] += int(times) * n
					points += times * all
					continue
				}
			}
			s.varying = append(s.varying, inner)
		}
		rest := s.varying[from:]
		each, of := n, times
		if s.counts.Numbered(rest) == 0 {
			each, of = min(1, len(rest)), times*int64(n)
		}
		for k := range each {
			s.params[at] = r.number(lo, hi, k)
			points += s.count(rest, of)
		}
		s.params[at], s.varying = now, s.varying[:from]
	}
	return points
}

// looksAt prepares looks of the loops of nest k, which is to run by itself.
func (s *sequence) looksAt(k int) {
	p := &s.looks
	p.looked, p.step, p.points, p.passed = time.Time{}, Step{Nest: k}, -1, 0
	s.repeating.Left = p.repetitions
}

// pass tells that iterations of the nest that runs by itself are about to be done. Its points are counted when it has run.
func (s *sequence) pass(iterations int) {
	p := &s.looks
	if s.progress == nil || s.division != nil {
		return
	}
	if p.points < 0 {
		p.points = s.sizes[p.step.Nest].points(s.params)
	}
	more := max(0, min(int64(iterations), p.points-p.passed))
	p.passed += more
	s.progress.Add(more)
	s.told += more
}

// look returns the cause if the run is to end, else nil. It also tells the progress.
func (s *sequence) look() error {
	p, run := &s.looks, &s.repeating
	now, single := time.Now(), p.step.Repeat == nil
	if single {
		s.pass(p.repetitions - run.Left)
	}
	if p.looked.IsZero() {
		p.told = now
	} else {
		switch took := now.Sub(p.looked); {
		case took < lookEvery/2 && p.repetitions < lookAfter:
			p.repetitions *= 2
		case took > lookEvery:
			p.repetitions = max(1, p.repetitions/2)
		}
	}
	p.looked, run.Left = now, p.repetitions
	if single {
		return s.cause()
	}
	if s.progress != nil && now.Sub(p.told) > tellEvery { // as if all repetitions had the same number of points
		p.told = now
		if p.points < 0 {
			p.points = s.count([]Step{p.step}, 1)
		}
		r := p.step.Repeat
		done := r.before(p.lo, p.hi, s.params[s.given+r.Index]) + 1
		s.done = p.before + int64(float64(p.points)*float64(done)/float64(p.hi-p.lo+2))
	}
	return s.between()
}
