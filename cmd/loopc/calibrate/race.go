package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// A Way is a number of ranks with some CPUs each, connected by a link.
type Way struct {
	Ranks, CPUs int
	Link        string
}

// String writes "2x1,tcp", or "1x2" if there is one rank.
func (w Way) String() string {
	if w.Ranks == 1 {
		return fmt.Sprintf("%dx%d", w.Ranks, w.CPUs)
	}
	return fmt.Sprintf("%dx%d,%s", w.Ranks, w.CPUs, w.Link)
}

// WayNamed reads what String writes; the link of several ranks is shm unless it is
// named.
func WayNamed(text string) (Way, error) {
	w := Way{Ranks: 1, Link: cost.LinkInproc}
	count, link, named := strings.Cut(text, ",")
	ranks, cpus, _ := strings.Cut(count, "x")
	var err [2]error
	w.Ranks, err[0] = strconv.Atoi(ranks)
	w.CPUs, err[1] = strconv.Atoi(cpus)
	if err[0] != nil || err[1] != nil || w.Ranks < 1 || w.CPUs < 1 {
		return w, fmt.Errorf("%q is not of the form RANKSxCPUS or RANKSxCPUS,TRANSPORT, such as 1x2 or 2x1,tcp", text)
	}
	links := []string{cost.LinkInproc, cost.LinkSHM, cost.LinkTCP}
	switch {
	case named && !slices.Contains(links, link):
		return w, fmt.Errorf("%q: plans are tried on the transports %s", text, strings.Join(links, ", "))
	case named:
		w.Link = link
	case w.Ranks > 1:
		w.Link = cost.LinkSHM
	}
	return w, nil
}

// A Race is plans of one run that were tried, of which the fastest is the planner's
// choice from now on.
type Race struct {
	Program *Program
	Params  []int
	Way     Way
	Tried   int                // plans
	Finals  []*Sample          // those that were fastest in the heats, by their times in the last one
	What    map[*Config]string // how they differ from what predictions alone choose; "" for that
}

// How many plans are tried: those of which least is predicted, and others spread
// over the rest. After each heat the faster ones go on.
const (
	bestTried   = 12
	othersTried = 4
)

// heats are the rounds of each heat, and how many plans go on to the next.
var heats = []struct{ rounds, on int }{{3, 6}, {9, 4}, {45, 0}}

// quickRounds is how many rounds a heat has at most in a quick calibration.
const quickRounds = 7

// raceTime is how much time a heat may take, about.
const raceTime = time.Minute

// mostProcesses is how many ranks, and CPUs of each, an emitted program runs with.
const mostProcesses = 4096

// options are what a program that is run like that leaves open: what the schedule
// of its nest decides is decided, for trials of other plans would not concern it.
func (w Way) options(nest *plan.Nest) plan.Options {
	return nest.Scheduled(plan.Options{Ranks: w.Ranks, CPUs: w.CPUs})
}

// Raceable returns an error if no plans of such a run can be tried.
func Raceable(prog *Program, params []int, w Way) error {
	if w.Ranks > mostProcesses || w.CPUs > mostProcesses {
		return fmt.Errorf("there can be %d ranks of %d CPUs at most", mostProcesses, mostProcesses)
	}
	p, err := plan.New(prog.Nest, params, w.options(prog.Nest))
	switch {
	case err != nil:
		return err
	case p.Empty:
		return errors.New("the nest has no iterations with these parameters")
	}
	return nil
}

// Race tries the plans that by the figures of m are best for a run, in heats, each
// of which the faster ones survive.
func (j *Job) Race(ctx context.Context, m *cost.Machine, prog *Program, params []int, w Way) (*Race, error) {
	if err := Raceable(prog, params, w); err != nil {
		return nil, err
	}
	_, considered, err := search.ChooseContext(ctx, prog.Nest, params, w.options(prog.Nest), untried(m), w.Link)
	if err != nil {
		return nil, err
	}
	r := &Race{Program: prog, Params: params, Way: w, What: map[*Config]string{}}
	var still []*Config
	for _, a := range contestants(considered, raceTime) {
		c, err := newConfig(prog, params, a.Options, w.Link, 0)
		if err != nil {
			return nil, err
		}
		r.What[c] = a.What
		still = append(still, c)
	}
	r.Tried = len(still)
	for _, h := range heats {
		series := &Series{Rounds: h.rounds, Retries: 1, Patience: 20 * time.Second, Budget: raceTime}
		if j.Quick {
			series = &Series{Rounds: min(h.rounds, quickRounds), Budget: raceTime / 10}
		}
		if j.Tell != nil {
			series.Tell = func(done, all int) {
				j.Tell(fmt.Sprintf("trying %d plans of %s on %s", len(still), prog.Nest.Name, w), done, all)
			}
		}
		if r.Finals, err = series.Measure(ctx, still); err != nil {
			return nil, err
		}
		slices.SortStableFunc(r.Finals, func(a, b *Sample) int { return cmp.Compare(a.Typical(), b.Typical()) })
		if h.on == 0 || len(still) == 1 {
			break
		}
		still = nil
		for _, s := range r.Finals[:min(h.on, len(r.Finals))] {
			still = append(still, s.Config)
		}
	}
	return r, nil
}

// untried returns m without what was tried.
func untried(m *cost.Machine) *cost.Machine {
	out := *m
	out.Trials = nil
	return &out
}

// contestants are the plans that are tried, of those considered: the choice, those
// of which least is predicted, and some of the rest, fewer if two rounds of runs
// take longer than most.
func contestants(considered []search.Alternative, most time.Duration) []search.Alternative {
	best, others := bestTried, othersTried
	for best > 2 && len(considered) > 0 && 2*float64(best+others)*considered[0].Seconds > most.Seconds() {
		best, others = best-1, max(0, others-1)
	}
	// The choice may not be the first: it may be a simpler one that is about as fast.
	some := slices.Clone(considered)
	at := slices.IndexFunc(some, func(a search.Alternative) bool { return a.Chosen })
	some = slices.Insert(slices.Delete(some, at, at+1), 0, considered[at])
	out := some[:min(best, len(some)):min(best, len(some))]
	for rest := some[len(out):]; len(rest) > 0 && len(out) < best+others; {
		at := len(rest) / 3
		out, rest = append(out, rest[at]), rest[at+1:]
	}
	return out
}

// Apply lets the planner go by the race.
func (r *Race) Apply(m *cost.Machine) {
	var trials []cost.Trial
	for _, s := range r.Finals {
		trials = append(trials, cost.Trial{Nest: r.Program.Nest.Digest, Params: r.Params, Options: s.Plan.Options(), Link: r.Way.Link, Seconds: s.Typical()})
	}
	m.SetTrials(r.Program.Nest, r.Params, r.Way.Ranks, r.Way.CPUs, r.Way.Link, trials)
}
