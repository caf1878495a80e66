package figure

import (
	"fmt"
	"runtime"
	"sync"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// floatBytes is the size of an array element: the papers' arrays are of floats.
const floatBytes = 4

// pointSeconds is the time of an iteration of the papers' test loop, a function of
// three neighbors, on a Pentium III of 800 MHz: 39.6 ns, measured by [P1].
const pointSeconds = 39.6e-9

// network is the name of the link between nodes in a machine.
const network = "network"

// A cluster describes the hardware of a paper's runs. Times are in seconds.
type cluster struct {
	name      string
	point     float64 // of an iteration
	start     float64 // of the sending CPU, per message
	receive   float64 // of the receiving CPU, per message
	latency   float64 // of a message on its way
	bandwidth float64 // bytes/s out of a node; 0: unlimited
	sync      float64 // of a CPU that hands a face to another one of its node
}

// machine returns the cluster as a cost.Machine: nodes of the given number of CPUs, each node a rank. A
// tile costs its iterations and nothing else, independent of caches; the network interface
// moves data without a CPU.
func (c *cluster) machine(cpus int) *cost.Machine {
	kernel := cost.Kernel{Point: []cost.Rate{{Bytes: 0, Seconds: c.point}}}
	return &cost.Machine{
		Schema: 1,
		Name:   c.name,
		Cores:  cpus,
		Node:   1,
		Kernel: kernel,
		// The time of an iteration includes all assignments.
		Kernels: map[string]cost.Kernel{boxDigest: kernel},
		Links: map[string]cost.Link{
			cost.LinkLocal: {Start: c.sync, Overlap: 1, Complete: true},
			network:        {Start: c.start, Receive: c.receive, Latency: c.latency, Bandwidth: c.bandwidth, Overlap: 1},
		},
	}
}

// boxDigest stands for the digest of the nests here, which have no source.
const boxDigest = "box"

// A run is one simulated run of a nest on a cluster.
type run struct {
	nest    *plan.Nest
	options plan.Options
	cluster *cluster
}

// predict plans the run and executes its steps. The nodes of the run are the ranks
// of the plan, all of them used.
func (r *run) predict() (cost.Prediction, *plan.Plan, error) {
	p, err := plan.New(r.nest, nil, r.options)
	if err != nil {
		return cost.Prediction{}, nil, err
	}
	return cost.NewPredictor(p).Predict(r.cluster.machine(p.CPUs), network), p, nil
}

// box returns a nest over 0 ≤ x_k < extent[k] with loops of the given names. Each of its
// values is a float and depends on the results at the given distances; the nest reads no
// input.
func box(loops []string, extent []int, distances [][]int, values int) *plan.Nest {
	n := len(extent)
	nest := &plan.Nest{Name: "box", Dims: loops, Digest: boxDigest}
	var cell, lo, hi []plan.Affine
	for k, e := range extent {
		unit, minus := make([]int, n), make([]int, n)
		unit[k], minus[k] = 1, -1
		nest.Skew = append(nest.Skew, unit)
		nest.Space = append(nest.Space, plan.Affine{Iters: unit}, plan.Affine{Const: e - 1, Iters: minus})
		cell = append(cell, plan.Affine{Iters: unit})
		lo, hi = append(lo, plan.Affine{}), append(hi, plan.Affine{Const: e - 1})
	}
	for v := range values {
		name := fmt.Sprintf("A%d", v+1)
		nest.Arrays = append(nest.Arrays, plan.Array{Name: name, Elem: "float32", Size: floatBytes, Lo: lo, Hi: hi})
		nest.Values = append(nest.Values, plan.Value{Name: name, Array: v, Flow: distances, Cell: cell})
	}
	return nest
}

// axes returns the distances d_k along the axes.
func axes(d ...int) [][]int {
	var out [][]int
	for k, length := range d {
		v := make([]int, len(d))
		v[k] = length
		out = append(out, v)
	}
	return out
}

// each calls f with 0 to n-1, in parallel on all CPUs, and returns the error with the
// lowest number.
func each(n int, f func(i int) error) error {
	errs := make([]error, n)
	var wait sync.WaitGroup
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		turn <- struct{}{}
		wait.Go(func() {
			errs[i] = f(i)
			<-turn
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
