package figure

import (
	"fmt"
	"math"

	"loopc/transform/plan"
)

// percent returns the text of the absolute value of a fraction in percent.
func percent(x float64) string { return fmt.Sprintf("%.0f %%", math.Abs(x)*100) }

// both returns the theory series and the simulated series with the given name.
func both(p *Panel, name string) (theory, simulated *Series) {
	return p.series(name, Theory), p.series(name, Simulated)
}

// ahead returns the largest relative amount by which a simulated value is below theory's,
// and its X.
func ahead(theory, simulated *Series) (most float64, at float64) {
	for i, p := range theory.Points {
		if d := 1 - simulated.Points[i].Y/p.Y; d > most {
			most, at = d, p.X
		}
	}
	return most, at
}

// within returns the least X from which on theory and simulated values differ by no more
// than the given fraction.
func within(theory, simulated *Series, part float64) float64 {
	x := math.Inf(1)
	for i := len(theory.Points) - 1; i >= 0; i-- {
		if math.Abs(simulated.Points[i].Y/theory.Points[i].Y-1) > part {
			break
		}
		x = theory.Points[i].X
	}
	return x
}

// overtakes returns the least X from which on a is above b, or +Inf.
func overtakes(a, b *Series) float64 {
	x := math.Inf(1)
	for i := len(a.Points) - 1; i >= 0 && a.Points[i].Y > b.Points[i].Y; i-- {
		x = a.Points[i].X
	}
	return x
}

func remarks13(f *Figure) string {
	p := &f.Panels[0]
	var best []Point
	var most []float64
	for _, s := range schemes {
		theory, simulated := both(p, s.String())
		best = append(best, simulated.least())
		m, _ := ahead(theory, simulated)
		most = append(most, m)
	}
	return fmt.Sprintf("As in the paper, hyperplane groups with overlap have the least time, %.2f s at z = %.0f, followed by vertical groups with overlap, %.2f s, and with blocking, %.2f s. Hyperplane groups stay within %s of eq. (1) at all heights; the paper's measurements are \"very close\" to this equation. "+
		"Vertical groups are up to %s (blocking) and %s (overlapping) faster than their closed forms, most at small heights: one CPU sends while the other computes, and the wavefront of sub-tiles continues into the next tile. "+
		"In the scanned paper, only the space and the ticks of the time axis, from 1.4 to 2.4 s, are legible. The bandwidth, which determines the time with blocking, is assumed.",
		best[2].Y, best[2].X, best[1].Y, best[0].Y, percent(most[2]), percent(most[0]), percent(most[1]))
}

func remarks14(f *Figure) string {
	p := &f.Panels[0]
	_, blocking := both(p, schemes[0].String())
	_, vertical := both(p, schemes[1].String())
	theory, hyperplane := both(p, schemes[2].String())
	m, at := ahead(theory, hyperplane)
	return fmt.Sprintf("The scans do not show the space of this figure. The space chosen here has the iterations of figure 13 in tiles twice as wide, which send half as much. "+
		"The order is the same: the least times are %.2f s for hyperplane groups with overlap, %.2f s for vertical groups with overlap, and %.2f s with blocking. "+
		"Hyperplane groups are at most %s faster than eq. (1), at z = %.0f: with only %d tiles along the mapping dimension, the faster filling of the pipeline matters.",
		hyperplane.least().Y, vertical.least().Y, blocking.least().Y, percent(m), at, (1<<18)/int(at))
}

// overlapped and blocked are the panels of [P2].
func overlapped(f *Figure) *Panel { return &f.Panels[0] }
func blocked(f *Figure) *Panel    { return &f.Panels[1] }

// slower returns the largest relative amount by which closed forms are slower than
// simulated runs, and its X. Efficiency is proportional to the reciprocal of time.
func slower(p *Panel, a plan.Assign) (most, at float64) {
	theory, simulated := both(p, a.String())
	return ahead(simulated, theory)
}

// passes returns from which u_1 on the cluster assignment is more efficient than the cyclic
// one without overlap.
func passes(f *Figure) (theory, simulated float64) {
	clusters, cluster := both(blocked(f), plan.Cluster.String())
	cyclics, cyclic := both(blocked(f), plan.Cyclic.String())
	return overtakes(clusters, cyclics), overtakes(cluster, cyclic)
}

func remarks6(f *Figure) string {
	mirror, at := slower(overlapped(f), plan.Mirror)
	theory, simulated := both(overlapped(f), plan.Mirror.String())
	inTheory, inRun := passes(f)
	return fmt.Sprintf("The text has one number: measurements are within 3 %% of theory. The space chosen here is 4 × 4 tiles wide, because then cluster is the same as retile with tiles 4 times as large, as the text says, and has 4 times as many idle steps as retile (the text's \"double\" is for two chunks). "+
		"The order agrees: with overlap, retile and cyclic have the same curve, and cluster and mirror fill the pipeline more slowly; without overlap, cluster is faster than cyclic (from u₁ = %.0f in theory, %.0f simulated). The communication volumes are 3 : 2 : 1 : 1, not 6 : 2 : 1 : 1 as in the paper's figure 7. "+
		"Mirror and cluster need up to %s less time than their closed forms, at u₁ = %.0f, and at most 3 %% less from u₁ = %.0f on. Cyclic with overlap is exactly on its curve: faces that wrap around to the next chunk wait for slots, and there are only as many slots as the steps need.",
		inTheory, inRun, percent(mirror), at, within(theory, simulated, 0.03))
}

func remarks8(f *Figure) string {
	cluster, at := slower(overlapped(f), plan.Cluster)
	inTheory, inRun := passes(f)
	theory, simulated := both(blocked(f), plan.Cyclic.String())
	last := theory.Points[len(theory.Points)-1].X
	return fmt.Sprintf("The paper's conclusions from its figure hold: retile is never slower than the others; with overlap, cyclic equals retile in theory; the curve of cluster is the curve of retile, shifted along the axis by W = 4 in u₁; cyclic is faster than cluster with overlap, and slower in long spaces without (from u₁ = %.0f in theory, %.0f simulated). "+
		"Simulated runs need less time than theory, cluster up to %s less at u₁ = %.0f. Without overlap they are faster even in long spaces (cyclic %.3f, in theory %.3f, at u₁ = %.0f), because a step of theory lasts until all four faces of a node have left, while a simulated CPU waits only for its own faces. "+
		"The ratio of communication to computation, %s of a step, is assumed, because the paper does not give it.",
		inTheory, inRun, percent(cluster), at, simulated.at(last), theory.at(last), last, percent(layout8.communicate()/layout8.tile()))
}

func remarks9(f *Figure) string {
	retile, cyclic := overlapped(f).series(plan.Retile.String(), Simulated), overlapped(f).series(plan.Cyclic.String(), Simulated)
	last := retile.Points[len(retile.Points)-1].X
	inTheory, inRun := passes(f)
	return fmt.Sprintf("22 is not a multiple of 8: except with retile, only 22² of 24² columns have tiles, so no curve can exceed %.2f, as in the paper. At u₁ = %.0f retile reaches %.3f and cyclic %.3f; without overlap, cluster is faster than cyclic (from u₁ = %.0f in theory, %.0f simulated). "+
		"Retiled tiles have integer sides, 17 × 88 × 88 instead of 16.9 × 88 × 88 as in (9). The other differences are the same as in figure 8. "+
		"In these spaces, as in figures 6 and 8, the correct offset between chunks is u₁, so [P2] (3) holds.",
		22.0*22/(24*24), last, retile.at(last), cyclic.at(last), inTheory, inRun)
}

// gains returns the text of the gains of the communication-aware grid, space by space.
func gains(s *Series) string {
	text := ""
	for i, p := range s.Points {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%.0f", 100*math.Abs(1-p.Y))
	}
	return text + " %"
}

func remarksGrid2(f *Figure) string {
	theory, simulated := both(&f.Panels[0], communicationAware)
	return "The communication-aware grid gains " + gains(simulated) + " simulated, where the paper measured 45, 19, 9, - and 2 %. " +
		"Theory has " + gains(theory) + ": (6) charges a face along X even on the grid 1 × 16, where there is no neighbor along X and no such face is sent. " +
		"In the last space both grids are 4 × 4, so that the 2 % measured cannot come from the grid."
}

func remarksGrid3(f *Figure) string {
	_, simulated := both(&f.Panels[0], communicationAware)
	return "Simulated gains are " + gains(simulated) + "; the paper reports 41 % down to 3 % and gives the space only for the first number. " +
		"For X = 128 the grids 2 × 6 and 3 × 4 tie in (6): the paper takes 2 × 6, and loopc takes 3 × 4, which has fewer steps. Their simulated times are within one percent of each other."
}

func remarksGrid4(f *Figure) string {
	least := ""
	for i := range f.Panels {
		if i > 0 {
			least += ", "
		}
		least += fmt.Sprintf("%.0f", f.Panels[i].series(communicationAware, Simulated).least().X)
	}
	return "As the paper says, the communication-aware grid is faster at every height; in the fourth space the two grids are the same. " +
		"The best heights are " + least + "; the scans have no curves for comparison. " +
		"Theory exceeds the simulation most on the grid 1 × 16, for the reason given at figure 2."
}

func remarksGrid5(f *Figure) string {
	_, simulated := both(&f.Panels[0], communicationAware)
	return "Simulated gains are " + gains(simulated) + "; the paper reports 60 % for X = 16 and 5 % for X = 128. The simulated and the reported gains are both larger than for ADI. " +
		"For X = 128 the grids 4 × 4 and 2 × 8 tie in (6), and their simulated times are within one percent of each other; loopc takes the grid with fewer steps. The measured 5 % must have a cause other than volume and steps, such as the cache."
}

func remarksGrid6(f *Figure) string {
	theory, simulated := both(&f.Panels[0], communicationAware)
	return "Gains are " + gains(theory) + " in theory and " + gains(simulated) + " simulated, with the sign and the trend that the paper describes; its text has no numbers. " +
		"They differ in the first two spaces because (6) charges a face that is not sent on the grid 16 × 1."
}

func remarksGrid7(f *Figure) string {
	theory, simulated := both(&f.Panels[0], communicationAware)
	return "Gains are " + gains(theory) + " in theory and " + gains(simulated) + " simulated; the paper's text has no numbers. " +
		"They are larger than in figure 6 on the same spaces, because here the dependences, not only the space, are longer along one side than along the other."
}
