package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// planned is a program and the plans of its nests.
type planned struct {
	prog  *sched.Program
	plans []*plan.Plan
}

// params returns the parameters of the program, without those of repeats.
func (p *planned) params() []int { return p.plans[0].Params[:len(p.prog.Nest.Params)] }

// ranks returns the number of ranks, which all plans have.
func (p *planned) ranks() int { return p.plans[0].Ranks }

// cpus returns the most CPUs that a rank uses.
func (p *planned) cpus() int {
	most := 0
	for _, one := range p.plans {
		most = max(most, one.CPUs)
	}
	return most
}

// stepCount returns the number of steps if each plan runs once.
func (p *planned) stepCount() int {
	all := 0
	for _, one := range p.plans {
		all += one.Steps()
	}
	return all
}

// busiest returns the plan whose ranks exchange the most, which decides the placement of ranks.
func (p *planned) busiest() *plan.Plan {
	var best *plan.Plan
	most := int64(-1)
	for _, one := range p.plans {
		if _, bytes, _ := cost.Volume(one); bytes > most {
			best, most = one, bytes
		}
	}
	return best
}

// options returns options that leave nothing open, for each nest.
func (p *planned) options() []plan.Options {
	var out []plan.Options
	for _, one := range p.plans {
		out = append(out, one.Options())
	}
	return out
}

// memory is the memory in bytes that a rank allocates for its tiles and views, in the nest that
// needs the most.
func (p *planned) memory(rank int) (most int64) {
	for k, part := range p.prog.Parts() {
		most = max(most, nestMemory(part, p.plans[k], rank, cost.MemoryOf(p.plans[k], rank, math.MaxInt64)))
	}
	return most
}

// memories is the memory of all ranks. It visits each rank and each column once, because there may
// be very many.
func (p *planned) memories() (all int64) {
	most := make([]int64, p.ranks())
	for k, part := range p.prog.Parts() {
		for rank, m := range cost.Memories(p.plans[k]) {
			most[rank] = max(most[rank], nestMemory(part, p.plans[k], rank, m))
		}
	}
	for _, m := range most {
		all = plan.AddBytes(all, m)
	}
	return all
}

// nestMemory is the memory of a rank for one nest whose plan needs m.
func nestMemory(prog *sched.Program, p *plan.Plan, rank int, m cost.Memory) int64 {
	return plan.AddBytes(sched.MemoryOf(prog, p, rank, m), plan.AddBytes(m.Given, m.Results))
}

// needs is the memory that a rank needs, for a program of one nest. It is nil for several nests: they also need
// memory for the arrays that one nest hands on to another, which plans do not count.
func (p *planned) needs(rank int) *cost.Memory {
	if p.prog.Several() {
		return nil
	}
	m := cost.MemoryOf(p.plans[0], rank, math.MaxInt64)
	return &m
}

// peers returns the ranks with which a rank exchanges messages, in a run that keeps these checkpoints.
func (p *planned) peers(rank int, keeps *sched.Checkpoints) []int {
	return sched.Peers(p.prog, p.plans, rank, sched.Watch{Checkpoints: keeps})
}

// digest returns the digest of a run as the handshake uses it.
func (p *planned) digest() [32]byte { return digest(sched.PlansDigest(p.prog, p.plans)) }

// named adds the nest to an error, if there are several.
func named(prog *sched.Program, k int, err error) error {
	if err == nil || !prog.Several() {
		return err
	}
	return fmt.Errorf("%s%w", prog.Label(k), err)
}

// makePlans plans the run, with the figures that loopc calibrate has measured, if any. Unless the
// user gives the number of CPUs, plans use fewer CPUs than there are if the prediction says that
// more are of no use.
func (c *command) makePlans(ctx context.Context) error {
	s := c.settings
	asked := s.options
	if s.allCPUs { // a schedule may say how many
		asked.CPUs = 0
	}
	each, err := c.prog.OptionsForEach(asked)
	if err != nil {
		return usageError{err}
	}
	m, warning, err := cost.FindMachine(s.machine)
	if err != nil {
		return err
	}
	m = kernel.MachineOf(m, c.prog.Several())
	c.machine = m
	c.plans, err = c.planEach(ctx, each, m)
	switch {
	case err != nil:
	case !c.actsOnTiles():
		err = c.weigh(each, m)
	case each[0].Written && !s.verify:
		err = usagef("--tile none: this run needs tiles, because it has checkpoints, snapshots, a trace, metrics or virtual CPUs, or another process starts it")
	}
	if err == nil && !s.verify && c.actsOnTiles() {
		c.tellLoops(ctx, each, m)
	}
	if err == nil && warning != "" && !s.verify {
		fmt.Fprintf(c.stderr, "%s: warning: %s\n", c.prog.Nest.Name, warning)
	}
	return err
}

// planEach plans the nests of the run on machine m, each with options of its own.
func (c *command) planEach(ctx context.Context, each []plan.Options, m *cost.Machine) ([]*plan.Plan, error) {
	s := c.settings
	return c.prog.PlanSteps(s.params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		o := each[k]
		all := o.CPUs == 0 && o.Mesh == nil
		if all {
			o.CPUs = s.options.CPUs
		}
		with := func(epoch int) (*plan.Plan, error) {
			o := o
			o.Epoch = epoch
			return c.chosen(ctx, c.prog.Parts()[k], params, o, all, m)
		}
		p, err := with(o.Epoch)
		if err != nil {
			return nil, planError(ctx, named(c.prog, k, err))
		}
		if p, err = c.epochs(k, p, c.prog.Parts()[k].Costs(params, m), with); err != nil {
			return nil, planError(ctx, err)
		}
		return p, nil
	})
}

// tellLoops is for runs that need tiles. It prints what the loops as they are written, and what one rank, are predicted to take, if
// that is much less. It plans tiles for one rank only if one rank with the loops as they are written would take less.
func (c *command) tellLoops(ctx context.Context, each []plan.Options, m *cost.Machine) {
	if c.settings.virtual > 0 || len(c.settings.ways()) > 0 {
		return
	}
	chosen, err := c.prog.Written(c.plans, each, m)
	if err != nil {
		return
	}
	if text := chosen.LosesLoops(); text != "" {
		fmt.Fprintf(c.stderr, "%s: note: only tiles have checkpoints, traces, metrics and, of a single nest or a batch, snapshots: this run is predicted to take %s\n", c.prog.Nest.Name, text)
	}
	one, free := slices.Clone(each), slices.Clone(each)
	for k := range one {
		one[k].Ranks, free[k].Done = 1, 0 // free: as if no state to continue from required tiles
	}
	if chosen, err = c.prog.Written(c.plans, free, m); err != nil || chosen.OneRank(c.plans, nil) == "" {
		return
	}
	plans, err := c.planEach(ctx, one, m)
	if err != nil {
		return
	}
	if tiled, err := c.prog.Written(plans, free, m); err == nil {
		c.tellRanks(chosen.OneRank(c.plans, tiled))
	}
}

// tellRanks tells that one rank takes less time, with the text of sched.Program.OneRank, if there is one.
func (c *command) tellRanks(slower string) {
	if slower != "" {
		fmt.Fprintf(c.stderr, "%s: note: %s\n", c.prog.Nest.Name, slower)
	}
}

// weigh decides whether the loops run as they are written. Several processes can run them so only if they share the items of a
// batch, exchange nothing, and each have memory for all arrays.
func (c *command) weigh(each []plan.Options, m *cost.Machine) error {
	asked := each[0].Written
	chosen, err := c.prog.Written(c.plans, each, m)
	if err != nil {
		return usagef("--tile none: %w", err)
	}
	c.tellRanks(chosen.OneRank(c.plans, nil))
	if c.settings.tcp && (!c.prog.Divides || !c.fitsWhole()) {
		if asked {
			return usagef("--tile none: several processes run tiles, unless they share the items of a batch")
		}
		if chosen.HasBatch() && chosen.Predicted() > 0 {
			fmt.Fprintf(c.stderr, "%s: note: the items of its batch run in tiles: processes share items if no later nest reads the results of these, and if each has memory for all arrays\n", c.prog.Nest.Name)
		}
		return nil
	}
	if c.settings.check && !chosen.HasBatch() && !asked { // tiles of items begin anew for each item
		c.unchecked = chosen.Weighed()
		return nil
	}
	c.prog = chosen
	if why := chosen.ItemsTiled(); why != "" {
		fmt.Fprintf(c.stderr, "%s: note: the items of its batch run in tiles: %s\n", c.prog.Nest.Name, why)
	}
	return nil
}

// fitsWhole reports whether the memory suffices for all arrays in each rank.
func (c *command) fitsWhole() bool {
	limit := sched.HostMemory()
	bytes, _, err := sched.ArrayBytes(c.prog, c.params())
	return err == nil && (limit == 0 || bytes < limit/int64(2*c.ranks()))
}

// chosen plans a run of one nest on machine m. all says that o.CPUs is the number of all CPUs, of which the plan may use fewer,
// and not a number that the user asked for. For verify, the planner's rules suffice, without a search by costs: verify runs the
// plans of matrix instead.
func (c *command) chosen(ctx context.Context, prog *sched.Program, params []int, o plan.Options, all bool, m *cost.Machine) (p *plan.Plan, err error) {
	m = prog.Costs(params, m)
	switch {
	case c.settings.verify && all:
		p, err = search.NewUpTo(ctx, prog.Nest, params, o)
	case c.settings.verify:
		p, err = plan.NewContext(ctx, prog.Nest, params, o)
	case all:
		p, _, err = search.ChooseUpTo(ctx, prog.Nest, params, o, m, c.link(), 0)
	default:
		p, _, err = search.Choose(ctx, prog.Nest, params, o, m, c.link())
	}
	return p, err
}

// planError makes an error of the planner a usage error, unless the program is wrong, or the
// run was ended during planning.
func planError(ctx context.Context, err error) error {
	var wrong *plan.ProgramError
	if errors.As(err, &wrong) || ctx.Err() != nil {
		return err
	}
	return usageError{err}
}

// advise appends a warning to every plan whose CPUs wait much.
func (c *command) advise(ctx context.Context) {
	for k, p := range c.plans {
		if text := search.Advice(p, ctx, c.prog.Parts()[k].Costs(p.Params, c.machine), c.link()); text != "" {
			p.Warnings = append(p.Warnings, text)
		}
	}
}

// showPlans prints the warnings of the plans, and, if wanted, the plans.
func (c *command) showPlans(ctx context.Context) {
	for k, p := range c.plans {
		if c.prog.Predicted() > 0 {
			break // tiles do not run
		}
		for _, w := range p.Warnings {
			fmt.Fprintf(c.stderr, "%s: warning: %s%s\n", c.prog.Nest.Name, c.prog.Label(k), w)
		}
	}
	if c.settings.planOnly || c.settings.verbose {
		c.advise(ctx)
	}
	switch {
	case c.settings.planOnly:
		c.printPlans(ctx, c.stdout)
	case c.settings.verbose:
		c.printPlans(ctx, c.stderr)
	}
}

// printPlans prints the plan of every nest, its kernel and its predicted time; of loops that run as they are written, only the kernel.
func (c *command) printPlans(ctx context.Context, w io.Writer) {
	written := c.prog.Predicted() > 0
	if names := parametersText(c.prog, nil, " = "); len(names) > 0 && !written {
		fmt.Fprintf(w, "%-16s%s\n", "floats", strings.Join(names, ", "))
	}
	if names := parametersText(c.prog, c.params(), " = "); len(names) > 0 && written {
		fmt.Fprintf(w, "%-16s%s\n", "parameters", strings.Join(names, ", "))
	}
	for k, p := range c.plans {
		if k > 0 && !written {
			fmt.Fprintln(w)
		}
		if c.prog.Several() {
			fmt.Fprintf(w, "nest %s, %s\n", p.Nest.Name, p.Nest.Title)
		}
		if !written {
			fmt.Fprint(w, cost.Describe(p))
		}
		fmt.Fprintf(w, "%-16s%s\n", "kernel", c.prog.KernelName(k))
		if !written && !p.Empty {
			fmt.Fprintf(w, "%-16s%s\n", "predicted", c.predicted(ctx, k))
		}
		if p.Windows > 1 && c.settings.varies(p) {
			earlier := "where a snapshot is due"
			if c.settings.checkpointing.dir != "" {
				earlier = fmt.Sprintf("if these levels take more than %v, or a checkpoint or a snapshot is due", longestEpoch)
			}
			fmt.Fprintf(w, "%-16sends earlier %s\n", "an epoch", earlier)
		}
	}
	if s := c.prog.Weighed(); s != "" {
		fmt.Fprintf(w, "%-16s%s\n", "predicted", s)
	}
}

// predicted says what a run of nest k in tiles is predicted to take.
func (c *command) predicted(ctx context.Context, k int) string {
	p := c.plans[k]
	of := cost.NewPredictor(p).Simulate(ctx, c.prog.Parts()[k].Costs(p.Params, c.machine), c.link(), nil)
	text := fmt.Sprintf("%.3g ms in tiles", of.Seconds*1e3)
	if of.Estimated {
		text = "about " + text
	}
	if c.prog.Several() {
		text += ", a run of the nest"
	}
	return text
}

// errOther says that this program differs from the launcher's.
var errOther = errors.New("this program is not the launcher's: it plans otherwise")

// readJob reads a job and makes the plans of its nests, which must equal the launcher's.
func readJob(ctx context.Context, r io.Reader, prog *sched.Program) (*job, planned, error) {
	j, p := &job{}, planned{prog: prog}
	if err := json.NewDecoder(r).Decode(j); err != nil {
		return nil, p, fmt.Errorf("the job cannot be read: %w", err)
	}
	var err error
	prog = prog.With(j.Floats...)
	p.prog = prog
	p.plans, err = prog.PlanSteps(j.Params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		if k >= len(j.Steps) {
			return nil, errors.New("the job has options for fewer nests than the program")
		}
		return plan.NewContext(ctx, nest, params, j.Steps[k])
	})
	if err == nil && sched.PlansDigest(prog, p.plans) != j.Digest {
		err = errOther
	}
	return j, p, err
}
