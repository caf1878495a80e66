// Package ranks runs a nest from within the user's own program: in the process that asks for
// it, or, where a launcher has started that program as several processes, on all of them.
//
// Every process makes the same call. Package launch finds out whether there are other
// processes, and where. The process that the launcher calls rank 0 leads: it plans, tells the
// others what to do, and hears from them how it went; it is also a rank like them. Calls
// follow one another, in the same order in all processes: the job of a call tells where the
// processes meet for the next one.
//
// A rank asks the user's functions for the box of each array that its plan reads
// (plan.Plan.GivenBox), and gives away the cells that it owns when all ranks have computed.
//
//	blocks.go   where arrays come from and go to
//	session.go  the processes, from one call to the next
//	lead.go     the part of the process that leads
//	member.go   the part of each
package ranks

import (
	"context"
	"fmt"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Options say how to run a program on ranks. The zero value leaves everything to the
// planner and to the launcher.
type Options struct {
	// Options are those of a run in this process. If it is one of several, those of
	// the process that leads count, except for Watch, and Ranks is their number, if
	// it is given.
	sched.Options
	// Security is how processes are kept from others.
	Security launch.Security
	// Patience is how long processes wait for one that is silent; 5 s if zero. An outage
	// of the network of half that time does no harm. It is that of the first run.
	Patience time.Duration
}

// sharesMemory reports whether ranks of one host may exchange faces through memory,
// which others of that host could read: not if they are to be kept from that.
func (o *Options) sharesMemory() bool {
	return !o.Security.TLS && o.Security.Cert == "" && o.Security.MAC != "on"
}

// Run runs prog on ranks: goroutines of this process, as many as o.Ranks says, or
// the processes that a launcher has started, see launch.FindStarter. The functions
// of blocks are called by every rank for what it needs and for what it has computed,
// those of a process at the same time if it has several ranks; results only once all
// ranks have computed theirs.
//
// The summary is that of the whole run, with Rank -1, in the process that leads, and
// that of its rank in the others; reductions are those of the whole run everywhere.
//
// Errors are the same in all processes and name the rank in which the run failed,
// unless ctx ends in one of them when all have done their parts; what some have received by then is of no use, and there can be no further run of
// these processes.
func Run(ctx context.Context, prog *sched.Program, params []int, blocks *Blocks, o Options) (sched.Summary, error) {
	return process.run(ctx, prog, params, blocks, o)
}

// local runs the ranks as goroutines.
func local(ctx context.Context, prog *sched.Program, params []int, blocks *Blocks, o Options) (sched.Summary, error) {
	if err := blocks.bindWhole(); err != nil {
		return sched.Summary{Rank: -1}, err
	}
	if !blocks.byFunctions() {
		return sched.Run(ctx, prog, params, blocks.fields, o.Options, inproc.Mesh)
	}
	plans, err := sched.MakePlans(ctx, prog, params, o.Options, cost.LinkInproc, 0)
	if err != nil {
		return sched.Summary{Rank: -1}, err
	}
	store := func(rank int) sched.Store { return blocks.store(rank, sched.WholeStore(blocks.fields)) }
	sum, err := sched.RunStores(ctx, prog, plans, store, o.Watch, inproc.Mesh)
	if err == nil {
		sum.GiveReduced(blocks.fields)
	}
	return sum, err
}

// named prints parameters with their names.
func named(nest *plan.Nest, params []int) string {
	text := ""
	for k, v := range params {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s = %d", nest.Params[k], v)
	}
	return text
}
