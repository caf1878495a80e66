package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// A Row is the measurement of one nest, size and number of CPUs.
type Row struct {
	Nest   string `json:"nest"`
	Title  string `json:"title,omitempty"`
	Class  string `json:"class,omitempty"`
	Size   string `json:"size"`
	Kernel string `json:"kernel"` // of loopc: portable, avx2 or avx512
	CPUs   int    `json:"cpus"`
	// Times and ratios are medians over the rounds, see Pairs.
	NsPerPoint     float64 `json:"ns_per_point"`
	PrepareMs      float64 `json:"prepare_ms"` // of loopc: preparation, which ns_per_point leaves out
	BestPeer       string  `json:"best_peer"`  // the fastest on the same number of CPUs
	PeerNsPerPoint float64 `json:"peer_ns_per_point"`
	// Ratio is the time of the best peer divided by loopc's. RatioLow and RatioHigh bound its 95 % interval.
	Ratio        float64 `json:"ratio"`
	RoofFraction float64 `json:"roof_fraction"` // the roof's time over loopc's
	SameBits     bool    `json:"same_bits"`     // equal to those of the strict plain C loops

	RatioLow  float64 `json:"ratio_low"`
	RatioHigh float64 `json:"ratio_high"`
	// Name, time, ratio and interval of the fastest plain loops, of any compiler and flags. They run on one CPU, also where loopc
	// has several.
	BestPlain       string  `json:"best_plain,omitempty"`
	PlainNsPerPoint float64 `json:"plain_ns_per_point,omitempty"`
	PlainRatio      float64 `json:"plain_ratio,omitempty"`
	PlainRatioLow   float64 `json:"plain_ratio_low,omitempty"`
	PlainRatioHigh  float64 `json:"plain_ratio_high,omitempty"`
	// Name, time, ratio and interval of the fastest plain loops that are compiled strictly.
	BestStrict       string  `json:"best_strict,omitempty"`
	StrictNsPerPoint float64 `json:"strict_ns_per_point,omitempty"`
	StrictRatio      float64 `json:"strict_ratio,omitempty"`
	StrictRatioLow   float64 `json:"strict_ratio_low,omitempty"`
	StrictRatioHigh  float64 `json:"strict_ratio_high,omitempty"`
	// Schemes are the vector kernels by which loopc plan says that the nest is computed, or
	// "portable: " and the reason. PredictedNs is the time of the plan, 0 if unknown.
	Schemes     string  `json:"schemes,omitempty"`
	PredictedNs float64 `json:"predicted_ns_per_point,omitempty"`
	// Efficiency is s/t, and 0 on one CPU. t is the time per iteration of one run on all CPUs.
	// s is the time of the slowest of simultaneous single-CPU runs, one on each CPU, divided by
	// the iterations of all of them.
	Efficiency float64 `json:"efficiency,omitempty"`
	// Shares is Efficiency with single-CPU runs of one CPU's part of the iterations. If Shares is near 1 and Efficiency is not, the
	// size of the parts explains the difference. If both are low, CPUs wait for one another.
	Shares float64 `json:"shares,omitempty"`

	Params string  `json:"params"`
	Points float64 `json:"points"`
	// Pairs counts the rounds. In each, loopc, the fastest peers and the single-CPU runs of Efficiency and Shares run once. A ratio
	// pairs two runs of a round.
	Pairs     int     `json:"pairs"`
	RoofNs    float64 `json:"roof_ns_per_point"`
	RoofLimit string  `json:"roof_limit"` // memory, arithmetic or divider
	// DividerNs is the time that the divider would take for all divisions of an iteration.
	// Divisions by constants are counted although they become products, so this is no roof;
	// 0 if there are no divisions.
	DividerNs float64 `json:"divider_ns_per_point,omitempty"`
	// Peers are all that ran.
	Peers []Peer `json:"peers"`
}

// A Peer is what one C program did in a row.
type Peer struct {
	Name string `json:"name"`
	// NsPerPoint is the median over the rounds if Paired, else the least time of the screening.
	NsPerPoint float64 `json:"ns_per_point"`
	Paired     bool    `json:"paired"`
	SameBits   bool    `json:"same_bits"` // equal to those of the strict plain loops
}

// screening is how often every peer runs before the fastest are chosen.
const screening = 2

// An entry is a contender and its times, in nanoseconds per iteration.
type entry struct {
	*contender
	screened float64   // the least time of the screening
	times    []float64 // of the rounds; only finalists and loopc have them
	prepare  []float64 // preparation in the rounds, in seconds
	sum      string    // checksum of its results; same if it is that of the reference
	excluded bool      // strict, and its bits differ
}

// time is the median over the rounds, or of a peer that is no finalist the least time of the screening.
func (e *entry) time() float64 {
	if len(e.times) == 0 {
		return e.screened
	}
	return median(e.times)
}

// perPoint is the time without the allocation of memory, as for C programs, whose arrays
// exist before their clock starts.
func (s sample) perPoint() float64 { return (s.Seconds - s.Prepare) * 1e9 / s.Points }

// A contest is loopc against its peers in one row.
type contest struct {
	loopc *contender
	// reference is the strict plain loop whose results count.
	reference *contender
	peers     []*contender
	beside    []*contender // on several CPUs: the single-CPU runs of Efficiency and Shares
	pairs     int
}

// screen runs every program, to compare results and to find the fastest peers. loopc and
// the peers alternate here too.
func (c *contest) screen(ctx context.Context) (loopc *entry, peers []*entry, err error) {
	reference, err := c.reference.run(ctx, true)
	if err != nil {
		return nil, nil, err
	}
	if reference.Checksum == "" {
		return nil, nil, errors.New(c.reference.name + " prints no checksum")
	}
	loopc = &entry{contender: c.loopc}
	all := []*entry{loopc}
	for _, p := range c.peers {
		all = append(all, &entry{contender: p})
	}
	for turn := range screening {
		for _, e := range all {
			s, err := e.run(ctx, turn == 0)
			if err != nil {
				return nil, nil, err
			}
			if turn == 0 {
				e.screened, e.sum = math.Inf(1), s.Checksum
				e.excluded = e.strict && e.sum != reference.Checksum
			}
			e.screened = min(e.screened, s.perPoint())
		}
	}
	for _, e := range all {
		if e.sum == reference.Checksum {
			e.sum = same
		}
	}
	return loopc, all[1:], nil
}

// same stands for the checksum of the reference.
const same = "same"

// fastest returns the entry for which pass holds that was the fastest in the screening, or nil.
func fastest(entries []*entry, pass func(*entry) bool) *entry {
	var best *entry
	for _, e := range entries {
		if !e.excluded && pass(e) && (best == nil || e.screened < best.screened) {
			best = e
		}
	}
	return best
}

// finalists returns the peers that are run in pairs with loopc: the fastest of all, which is best,
// and the fastest plain loops, with and without the strict flag.
func finalists(peers []*entry) (all []*entry, best *entry) {
	best = fastest(peers, func(*entry) bool { return true })
	plain := fastest(peers, func(e *entry) bool { return e.plain && !e.strict })
	strict := fastest(peers, func(e *entry) bool { return e.plain && e.strict })
	seen := map[*entry]bool{nil: true}
	for _, e := range []*entry{best, plain, strict} {
		if !seen[e] {
			seen[e] = true
			all = append(all, e)
		}
	}
	return all, best
}

// run measures the programs, and fills in what follows from their runs: times, ratios, peers, and whether the bits are the same.
func (c *contest) run(ctx context.Context, row *Row) error {
	loopc, peers, err := c.screen(ctx)
	if err != nil {
		return err
	}
	row.SameBits = loopc.sum == same
	final, best := finalists(peers)
	if best == nil {
		return errors.New("there is no peer with the right bits")
	}
	turns := append([]*entry{loopc}, final...)
	var beside []*entry
	for _, x := range c.beside {
		beside = append(beside, &entry{contender: x})
	}
	turns = append(turns, beside...)
	for pair := range c.pairs {
		for k := range turns {
			e := turns[(k+pair)%len(turns)] // the order varies from pair to pair
			s, err := e.run(ctx, false)
			if err != nil {
				return err
			}
			e.times, e.prepare = append(e.times, s.perPoint()), append(e.prepare, s.Prepare-s.Hold)
		}
	}
	row.Pairs = c.pairs
	row.NsPerPoint, row.PrepareMs = median(loopc.times), 1e3*median(loopc.prepare)
	against := func(e *entry) (ns, ratio float64, in interval) {
		r := ratios(e.times, loopc.times)
		in, _ = medianInterval(r)
		return e.time(), median(r), in
	}
	// The rounds may rank the finalists differently from the screening.
	var plain, strict *entry
	for _, e := range final {
		if e.time() < best.time() {
			best = e
		}
		if e.plain && (plain == nil || e.time() < plain.time()) {
			plain = e
		}
		if e.plain && e.strict && (strict == nil || e.time() < strict.time()) {
			strict = e
		}
	}
	var in interval
	row.BestPeer = best.name
	row.PeerNsPerPoint, row.Ratio, in = against(best)
	row.RatioLow, row.RatioHigh = in.low, in.high
	if plain != nil {
		row.BestPlain = plain.name
		row.PlainNsPerPoint, row.PlainRatio, in = against(plain)
		row.PlainRatioLow, row.PlainRatioHigh = in.low, in.high
	}
	if strict != nil {
		row.BestStrict = strict.name
		row.StrictNsPerPoint, row.StrictRatio, in = against(strict)
		row.StrictRatioLow, row.StrictRatioHigh = in.low, in.high
	}
	if beside != nil {
		row.Efficiency = median(ratios(beside[0].times, loopc.times))
		row.Shares = median(ratios(beside[1].times, loopc.times))
	}
	for _, e := range peers {
		row.Peers = append(row.Peers, Peer{Name: e.name, NsPerPoint: e.time(), Paired: len(e.times) > 0, SameBits: e.sum == same})
	}
	return nil
}

// wrong returns an error that names the programs of the row that must have the bits of the strict
// plain loops but do not; nil if there is none.
func (r *Row) wrong(peers []*contender) error {
	var errs []error
	if !r.SameBits {
		errs = append(errs, fmt.Errorf("%s, %s: the result of loopc differs from that of the strict C loops", r.Nest, r.Params))
	}
	strict := map[string]bool{}
	for _, p := range peers {
		strict[p.name] = p.strict
	}
	for _, p := range r.Peers {
		if strict[p.Name] && !p.SameBits {
			errs = append(errs, fmt.Errorf("%s, %s: the result of %s differs from that of the strict plain loops", r.Nest, r.Params, p.Name))
		}
	}
	return errors.Join(errs...)
}
