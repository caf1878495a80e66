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

// A Setup is a number of ranks with some CPUs each, connected by a link.
type Setup struct {
	Ranks, CPUs int
	Link        string
}

// String returns text such as "2x1,tcp", or "1x2" if there is one rank.
func (w Setup) String() string {
	if w.Ranks == 1 {
		return fmt.Sprintf("%dx%d", w.Ranks, w.CPUs)
	}
	return fmt.Sprintf("%dx%d,%s", w.Ranks, w.CPUs, w.Link)
}

// ParseSetup reads what String writes; the link of several ranks is shm unless it is
// named.
func ParseSetup(text string) (Setup, error) {
	w := Setup{Ranks: 1, Link: cost.LinkInproc}
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

// A Race is a measured comparison of plans for one run. Apply makes the fastest one the
// planner's choice.
type Race struct {
	Program *Program
	Params  []int
	Setup   Setup
	Tried   int                // plans
	Finals  []*Sample          // the plans of the last heat, fastest first
	What    map[*Config]string // how each differs from the choice of predictions alone; "" for that choice
}

// How many plans are tried: those with the least predicted times, and others spread over
// the rest. The faster ones advance after each heat.
const (
	bestTried   = 12
	othersTried = 4
)

// heats has, for each heat, the number of rounds and how many plans advance to the next.
var heats = []struct{ rounds, on int }{{3, 6}, {9, 4}, {45, 0}}

// quickRounds is how many rounds a heat has at most in a quick calibration.
const quickRounds = 7

// raceTime is the approximate limit for the duration of a heat.
const raceTime = time.Minute

// mostProcesses bounds the ranks of an emitted program, and the CPUs of each rank.
const mostProcesses = 4096

// options are the planner's options for a run on w, with the settings of the nest's
// schedule block. A race does not vary these settings, because every run of the program has them.
func (w Setup) options(nest *plan.Nest) plan.Options {
	return nest.Scheduled(plan.Options{Ranks: w.Ranks, CPUs: w.CPUs})
}

// Raceable returns an error if no plans of such a run can be tried.
func Raceable(prog *Program, params []int, w Setup) error {
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

// Race measures the plans that m predicts to be the fastest for a run, in heats. The faster
// plans of a heat advance.
func (j *Job) Race(ctx context.Context, m *cost.Machine, prog *Program, params []int, w Setup) (*Race, error) {
	if err := Raceable(prog, params, w); err != nil {
		return nil, err
	}
	_, considered, err := search.Choose(ctx, prog.Nest, params, w.options(prog.Nest), untried(m), w.Link)
	if err != nil {
		return nil, err
	}
	r := &Race{Program: prog, Params: params, Setup: w, What: map[*Config]string{}}
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

// untried returns m without the results of races.
func untried(m *cost.Machine) *cost.Machine {
	out := *m
	out.Trials = nil
	return &out
}

// contestants are the plans to try among those considered: the choice, those with the least
// predicted times, and some of the rest. There are fewer if two rounds of them would take more
// time than limit.
func contestants(considered []search.Alternative, limit time.Duration) []search.Alternative {
	best, others := bestTried, othersTried
	for best > 2 && len(considered) > 0 && 2*float64(best+others)*considered[0].Seconds > limit.Seconds() {
		best, others = best-1, max(0, others-1)
	}
	// The choice need not be the fastest prediction: the planner prefers a simpler plan
	// that is about as fast.
	ordered := slices.Clone(considered)
	at := slices.IndexFunc(ordered, func(a search.Alternative) bool { return a.Chosen })
	ordered = slices.Insert(slices.Delete(ordered, at, at+1), 0, considered[at])
	best = min(best, len(ordered))
	out := slices.Clip(ordered[:best])
	for rest := ordered[best:]; len(rest) > 0 && len(out) < best+others; {
		at := len(rest) / 3
		out, rest = append(out, rest[at]), rest[at+1:]
	}
	return out
}

// Apply records the race in m, so that the planner chooses its winner.
func (r *Race) Apply(m *cost.Machine) {
	var trials []cost.Trial
	for _, s := range r.Finals {
		trials = append(trials, cost.Trial{Nest: r.Program.Nest.Digest, Params: r.Params, Options: s.Plan.Options(), Link: r.Setup.Link, Seconds: s.Typical()})
	}
	m.SetTrials(r.Program.Nest, r.Params, r.Setup.Ranks, r.Setup.CPUs, r.Setup.Link, trials)
}
