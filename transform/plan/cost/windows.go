package cost

import "loopc/transform/plan"

// windows is the number of windows into which the run is cut. The last window counts as a fraction if it has fewer levels.
func windows(p *plan.Plan) float64 {
	if p.Windows == 1 {
		return 1
	}
	return float64(p.Levels) / float64(p.Hi[0]-p.Lo[0]+1)
}

// repeated turns the prediction of a single window into that of the run: a window begins when the window before it has ended.
func (out Prediction) repeated(p *plan.Plan) Prediction {
	if p.Windows == 1 {
		return out
	}
	times := windows(p)
	for _, x := range []*float64{
		&out.Seconds, &out.Fill, &out.Compute, &out.Pack, &out.Waiting, &out.Drain, &out.Work, &out.Core,
		&out.All.Fill, &out.All.Compute, &out.All.Pack, &out.All.Waiting, &out.All.Drain,
	} {
		*x *= times
	}
	out.Steps *= p.Windows
	for _, n := range []*int64{&out.Tiles, &out.Messages, &out.Bytes} {
		*n = whole64(float64(*n) * times)
	}
	return out
}
