// Package ranks runs a nest from within the user's own program: in the calling process, or,
// if a launcher has started the program as several processes, on all of them.
//
// Every process makes the same call. Package launch finds out whether there are other
// processes, and where. The launcher's rank 0 is the leading process: it plans, sends the
// others their jobs, and receives their results; it is also a rank itself. All processes
// make the same calls in the same order. The job of a call has the address of the next
// call's rendezvous.
//
// A rank asks the user's functions for the box of each array that its plan reads
// (plan.Plan.GivenBox), and passes the cells that it owns to the user's functions when all
// ranks have computed.
//
//	blocks.go   sources and destinations of arrays
//	session.go  the processes, from one call to the next
//	lead.go     the part of the leading process
//	member.go   the part of every process, the leading one included
package ranks

import (
	"context"
	"fmt"
	"strings"
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
	// Options are the options of a run in one process. With several processes, the options
	// of the leading process count, except Watch; Ranks, if given, must be the number of
	// processes.
	sched.Options
	// Security configures the authentication of the processes.
	Security launch.Security
	// Patience is how long processes wait for one that is silent; 5 s if zero. A network
	// outage of half this time does no harm. The value of the first run counts for all
	// runs.
	Patience time.Duration
}

// sharesMemory reports whether ranks of one host may exchange faces through shared memory.
// They may not if o.Security demands encryption or MACs.
func (o *Options) sharesMemory() bool {
	return !o.Security.TLS && o.Security.Cert == "" && o.Security.MAC != "on"
}

// every is the number of levels after which code of the caller is called; 0: there is none.
func (o *Options) every() int {
	if o.Watch.Couple == nil {
		return 0
	}
	return o.Watch.Couple.Every
}

// Run runs prog on ranks: o.Ranks goroutines of this process, or the processes that a
// launcher has started, see launch.FindStarter. Every rank calls the functions of blocks
// for the cells that it needs, and after all ranks have computed, for the cells that it
// owns. Ranks of one process call them concurrently.
//
// In the leading process the summary covers the whole run, and its Rank is -1; in the
// others it covers one rank. Reductions cover the whole run everywhere.
//
// Errors are the same in all processes and name the rank in which the run failed. The
// exception is a ctx that ends in one process after all have computed: then the results
// that some processes have received are invalid, and these processes cannot run again.
// A nil ctx never ends.
func Run(ctx context.Context, prog *sched.Program, params []int, blocks *Blocks, o Options) (sched.Summary, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	sum, err := process.run(ctx, prog, params, blocks, o)
	return sum, sched.Ended(ctx, err)
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

// named returns the text of parameters with their names.
func named(nest *plan.Nest, params []int, floats []float64) string {
	var all []string
	for k, v := range params {
		all = append(all, fmt.Sprintf("%s = %d", nest.Params[k], v))
	}
	for k, v := range floats {
		all = append(all, fmt.Sprintf("%s = %g", nest.Floats[k], v))
	}
	return strings.Join(all, ", ")
}
