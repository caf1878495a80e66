package cost

import "loopc/transform/plan"

// windows is the number of windows into which the run is cut, where the last one counts as the
// part of a window that it is.
func windows(p *plan.Plan) float64 {
	if p.Windows == 1 {
		return 1
	}
	return float64(p.Levels) / float64(p.Epoch)
}

// repeated is the prediction of a run of which out is that of one window: a window begins when
// the one before has ended.
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
