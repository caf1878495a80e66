package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"time"

	"loopc/runtime/checkpoint"
	"loopc/runtime/files"
	"loopc/runtime/sched"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// checkpointing says whether and when a run keeps its state, and with which state it begins.
type checkpointing struct {
	dir    string        // where checkpoints are written; "": nowhere
	resume string        // the folder of the checkpoints with which the run begins; "": none
	levels int           // levels or, of several nests, repetitions from one checkpoint to the next; 0: by time
	every  time.Duration // from one checkpoint to the next

	shown     map[int]string // by array: the pattern of the names of its snapshots
	showEvery int            // levels, or repetitions, between them
	last      map[int]string // by array: the file of its snapshot after the last level, which is its result

	restarts int // how often the ranks are started again if one is lost

	from    *checkpoint.Manifest // the state with which the run begins; nil: none
	at      string               // its folder
	damaged []*checkpoint.Damage // newer checkpoints, which are not used
}

// usualEvery is how often a checkpoint is written, if the user does not say.
const usualEvery = 10 * time.Minute

const (
	// longestEpoch is the longest time between two epochs if checkpoints are written by time: a run that is asked to end
	// does so between epochs. It is predicted or, if lengths vary, measured.
	longestEpoch = 5 * time.Second
	// Epochs may vary in length on one rank, unless the user says how long they are. They are then at most mostEpoch times as long
	// as longestEpoch by prediction. The first one is 1/firstEpoch of this length, because the prediction may be wrong.
	mostEpoch  = 4
	firstEpoch = 8
	// leastEpochs is the least number of epochs, about, if lengths do not vary.
	leastEpochs = 4
)

// setEvery sets how often checkpoints are written: a time, or a number of levels.
func (s *checkpointing) setEvery(text string) error {
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 {
			return fmt.Errorf("there must be one level at least")
		}
		s.levels = n
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("it is a time, such as 10m, or a number of levels, or of repetitions")
	}
	s.every = d
	return nil
}

// checkEvery refuses flags that lack another one. shows says that --snapshot is given, though perhaps refused.
func (s *checkpointing) checkEvery(shows bool) error {
	switch {
	case len(s.shown) > 0 && s.showEvery < 1:
		return usagef("--snapshot: --every says after how many levels (of several nests: repetitions), one at least")
	case !shows && s.showEvery != 0:
		return usagef("--every: --snapshot says of which arrays")
	case s.dir == "" && (s.levels > 0 || s.every > 0):
		return usagef("--checkpoint-every: --checkpoint says where")
	case s.dir == "" && s.restarts > 0:
		return usagef("--restarts: --checkpoint says where the run continues from")
	}
	return nil
}

// check refuses options of checkpoints and snapshots that do not fit one another, or the program; see checkEvery.
func (s *checkpointing) check(all *settings, prog *sched.Program, shows bool) error {
	if err := s.checkEvery(shows); err != nil {
		return err
	}
	switch {
	case s.restarts < 0:
		return usagef("--restarts: a number of times")
	case s.restarts > 0 && !all.tcp:
		return usagef("--restarts is for ranks that are processes")
	case s.dir == "" && s.resume == "" && len(s.shown) == 0:
		return nil
	case (s.levels > 0 || s.showEvery > 0) && prog.Several() && len(prog.Repeats()) == 0:
		return usagef("--checkpoint-every and --every count repetitions, of which %s has none; --checkpoint-every 10m is a time", prog.Nest.Name)
	case prog.Nest.Levelled:
		return usagef("checkpoints and snapshots are for nests of several loops: a single loop has one level")
	case all.verify || all.virtual > 0 || all.atLeast > 0:
		return usagef("there are no checkpoints and snapshots of --verify, --virtual and --at-least")
	}
	return nil
}

// readFrom reads the checkpoint with which the run begins, if one is wanted. A damaged one is
// named, and the one before it used.
func (c *command) readFrom(ctx context.Context) error {
	s := &c.settings.checkpointing
	if s.resume == "" {
		return nil
	}
	from, at, damaged, err := checkpoint.Find(s.resume)
	if err != nil {
		return err
	}
	for _, err := range damaged {
		fmt.Fprintf(c.stderr, "%s: warning: %v; the one before it is used\n", c.prog.Nest.Name, err)
	}
	if from == nil {
		later := c.settings.script != "" || c.settings.pods != "" // a job runs later, perhaps on another host
		if _, err := os.Stat(s.resume); errors.Is(err, fs.ErrNotExist) && !later && (s.dir == "" || !files.Same(s.dir, s.resume)) {
			return fmt.Errorf("there is no folder %s to continue from; only the folder of --checkpoint may be missing, before the first run", s.resume)
		}
		fmt.Fprintf(c.stderr, "%s: note: there is no checkpoint in %s: the run begins with its first level\n", c.prog.Nest.Name, s.resume)
		return errors.Join(c.settings.checkParams(), c.settings.checkGiven(c.prog.Nest))
	}
	c.inherit(from)
	is := c.identity()
	is.Inputs = from.Inputs // their content is compared when they are open
	if err := from.Differs(is); err != nil {
		return err
	}
	if err := c.grown(from); err != nil {
		return err
	}
	if err := c.extends(ctx, from); err != nil {
		return err
	}
	c.continues(from, at, damaged)
	return nil
}

// continues makes the next run begin with the checkpoint from in the folder at. damaged are newer checkpoints, which cannot be used.
func (c *command) continues(from *checkpoint.Manifest, at string, damaged []*checkpoint.Damage) {
	s := &c.settings.checkpointing
	s.from, s.at, s.damaged = from, at, damaged
	if from.At == nil {
		c.settings.options.Done = from.Done
	}
	fmt.Fprintf(c.stderr, "%s: note: continues after %s\n", c.prog.Nest.Name, sched.After(from.Done, from.At))
}

// identity returns the Run that a checkpoint must have if this run continues from it. The inputs are
// not set: they are compared separately.
func (c *command) identity() *checkpoint.Run {
	n := c.prog.Nest
	run := &checkpoint.Run{Program: n.Name, Digest: n.Digest, Parameters: map[string]int{}, Inputs: map[string]checkpoint.Input{}, Extends: n.Extends}
	for _, part := range c.prog.Parts() {
		if part.Nest.Varies {
			run.Arch = runtime.GOARCH
		}
	}
	for k, name := range n.Params {
		run.Parameters[name] = c.settings.params[k]
	}
	for k, name := range n.Floats {
		if run.Floats == nil {
			run.Floats = map[string]float64{}
		}
		run.Floats[name] = c.settings.floats[k]
	}
	return run
}

// epochs cuts the run of nest k into epochs, if its plan p does not and there is a reason: memory,
// or checkpoints that are written between epochs. with makes the plan with epochs of a length.
func (c *command) epochs(k int, p *plan.Plan, m *cost.Machine, with func(epoch int) (*plan.Plan, error)) (*plan.Plan, error) {
	s := &c.settings.checkpointing
	if p.Empty || p.Nest.Levelled || c.settings.verify {
		return p, nil
	}
	cuts := !c.prog.Several() // of several nests, states are those between nests
	if cuts && s.showEvery > 0 {
		return c.shownEpochs(p, m, with)
	}
	if p.Windows > 1 {
		return p, nil
	}
	if s.dir != "" && cuts {
		if epoch := max(1, c.epochLevels(p, m), p.HaloWidth[0]); epoch <= p.Hi[0]-p.Lo[0] {
			var err error
			if p, err = with(epoch); err != nil {
				return nil, err
			}
		}
	}
	if c.settings.options.Epoch > 0 { // the user does not want the run to be cut
		return p, nil
	}
	return c.fit(k, p, sched.MemoryLimit(), with)
}

// epochLevels is the length of epochs at whose ends checkpoints can be written as often as wanted or, if lengths vary, the
// greatest length.
func (c *command) epochLevels(p *plan.Plan, m *cost.Machine) int {
	s := &c.settings.checkpointing
	levels, every, varies := p.Hi[0]-p.Lo[0]+1, longestEpoch, c.settings.varies(p)
	if s.levels == 0 && varies {
		every = min(s.wait(), every)
	} else if s.levels == 0 {
		every = min(s.wait()/(aheadPart+1), every)
	}
	longest := int(min(1, every.Seconds()/max(1e-9, cost.Estimate(p, m, c.link(), 0).Seconds)) * float64(levels))
	if varies {
		longest = min(mostEpoch*longest, levels-1)
	} else {
		longest = min(longest, plan.CeilDiv(levels, leastEpochs)) // the prediction may be wrong
	}
	if s.levels == 0 {
		return longest
	}
	if interval := s.levels; varies {
		longest = min(longest, interval-plan.CeilDiv(interval, aheadPart))
	} else {
		longest = min(longest, interval/aheadPart)
	}
	return max(1, longest) // a run that is asked to end does so between epochs
}

// shownEpochs cuts a run at all levels after which snapshots are wanted, and perhaps at levels
// between them.
func (c *command) shownEpochs(p *plan.Plan, m *cost.Machine, with func(epoch int) (*plan.Plan, error)) (*plan.Plan, error) {
	s := &c.settings.checkpointing
	wanted, most, levels := s.showEvery, s.showEvery, p.Hi[0]-p.Lo[0]+1
	if p.Windows > 1 {
		wanted, levels = p.Epoch, p.Levels
	} else if s.dir != "" {
		wanted = max(1, c.epochLevels(p, m))
	}
	if s.dir != "" {
		most = wanted
	}
	epoch, err := sched.CutAfter(p, s.showEvery, wanted, most)
	varies := min(wanted, s.showEvery, levels-1)
	if c.settings.varies(p) && s.showEvery-p.Done%s.showEvery < levels && err == nil && varies >= 2*p.HaloWidth[0] {
		epoch = varies // they end where snapshots are wanted
	}
	switch {
	case p.Windows > 1 && err == nil && epoch == p.Epoch:
		return p, nil
	case c.settings.options.Epoch > 0:
		return nil, usagef("--every %d: after %s, no epochs of %d levels end there", s.showEvery, plural(p.Done, "level"), p.Epoch)
	case err != nil:
		return nil, usagef("--every %d: %v", s.showEvery, err)
	case p.Windows == 1 && epoch-p.Done%epoch >= levels:
		return p, nil
	}
	return with(epoch)
}

// fit returns p if its tiles need at most limit bytes (0: any number). Otherwise it halves the
// length of epochs, from half the run to the shortest, until a plan fits, and returns that plan. If
// the shortest epochs do not fit, it returns p, which is refused when it is to run.
func (c *command) fit(k int, p *plan.Plan, limit int64, with func(epoch int) (*plan.Plan, error)) (*plan.Plan, error) {
	need := c.nestNeeds(k, p)
	if limit <= 0 || need <= limit {
		return p, nil
	}
	least, longest := max(1, p.HaloWidth[0]), (p.Hi[0]-p.Lo[0]+1)/2
	if longest < least {
		return p, nil
	}
	// If even the shortest epoch does not fit, the search would be long and in vain.
	if q, err := with(least); err != nil || c.nestNeeds(k, q) > limit {
		return p, err
	}
	for epoch := longest; ; epoch = max(least, epoch/2) {
		q, err := with(epoch)
		if err != nil {
			return nil, err
		}
		if c.nestNeeds(k, q) <= limit {
			q.Warnings = append(q.Warnings, fmt.Sprintf("the run is cut into epochs of %s: without them its tiles need %d MiB, and the limit here is %d MiB", plural(epoch, "level"), need>>20, limit>>20))
			return q, nil
		}
	}
}

// nestNeeds is the memory that a process needs for nest k with plan p: of all ranks for their
// tiles, if they share one, else of the rank that needs most.
func (c *command) nestNeeds(k int, p *plan.Plan) (need int64) {
	part := c.prog.Parts()[k]
	for rank, m := range cost.Memories(p) {
		if tiles := sched.MemoryOf(part, p, rank, m); c.settings.tcp {
			need = max(need, nestMemory(part, p, rank, m))
		} else {
			need = plan.AddBytes(need, tiles)
		}
	}
	return need
}

// varies reports whether the lengths of the epochs of a plan follow the time that a level takes, and end where something is
// due.
func (s *settings) varies(p *plan.Plan) bool {
	keeps := s.checkpointing.dir != "" || s.checkpointing.showEvery > 0
	return keeps && s.options.Epoch == 0 && p.Ranks == 1
}

// wait is the time between checkpoints, if they are written by time.
func (s *checkpointing) wait() time.Duration {
	if s.every > 0 {
		return s.every
	}
	return usualEvery
}
