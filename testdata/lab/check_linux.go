package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"loopc/transform/plan"
)

// leastGain is by how much overlapping must win where communication takes as long
// as computation.
const leastGain = 1.6

// leastRuns and mostRuns are how often both are run, of which the fastest counts: more
// often only where a machine that is busy hides the gain.
const leastRuns, mostRuns = 3, 10

// check is the lab's test: a run on four nodes has the bits of the sequential loops,
// and in the balanced case overlapping wins.
func check(ctx context.Context) error {
	l, err := newLab()
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.scratch)
	if l.cluster, err = emulate(4, ofFour); err != nil {
		return err
	}
	real := p1Cell(128, plan.Overlap, plan.Hyperplane)
	real.params = []int{96, 48, 2048}
	_, said, err := l.ranks(ctx, &real, "--check")
	if err != nil {
		return err
	}
	if !strings.Contains(said, "result equals the sequential loops") {
		return fmt.Errorf("four nodes do not say that their result is right: %s", said)
	}
	fmt.Println("4 nodes of 2 CPUs: the result has the bits of the sequential loops")
	var fastest [2]float64
	gain := 0.0
	for run := 0; run < leastRuns || run < mostRuns && gain < leastGain; run++ {
		for k, c := range []cell{row(16384, 256, balancedPoint, plan.Blocking), row(16384, 256, balancedPoint, plan.Overlap)} {
			s, err := l.run(ctx, &c)
			if err != nil {
				return err
			}
			if fastest[k] == 0 || s.Seconds < fastest[k] {
				fastest[k] = s.Seconds
			}
		}
		gain = fastest[0] / fastest[1]
	}
	fmt.Printf("4 nodes, communication as long as computation: blocking %.3f s, overlapped %.3f s, %.2f times faster\n", fastest[0], fastest[1], gain)
	if gain < leastGain {
		return fmt.Errorf("overlapping is only %.2f times faster than blocking, at least %.1f is expected", gain, leastGain)
	}
	return nil
}
