package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"loopc/transform/plan/cost"
)

// fitShapes fits Kernel.Near, which corrects errors of m that similar tiles have in common:
// the mean of a Gaussian process given the logarithms of measured over predicted times. The
// times are those in tiles, or of the whole run if messages go over a link. The variance of
// the process is the one that predicts each sample best from all others (leave-one-out). If
// even this is hardly better than no correction, there is none. Earlier corrections for the
// link ("": for all links) are replaced.
func fitShapes(m *cost.Machine, key string, link string, samples []*Sample) {
	n := len(samples)
	if n == 0 {
		return
	}
	bare := m.Kernels[key]
	bare.Near = slices.DeleteFunc(slices.Clone(bare.Near), func(t cost.NearTile) bool { return link == "" || t.Link == link })
	m.Kernels[key] = bare
	rest := mat.NewVecDense(n, nil)
	noise := make([]float64, n)
	tiles := make([]cost.NearTile, n)
	likeness := mat.NewSymDense(n, nil)
	for i, s := range samples {
		seconds, work := s.predict(m)
		tiles[i] = cost.NearTile{Side: s.Plan.Side}
		if link == "" {
			rest.SetVec(i, math.Log(s.TypicalWork()/work))
		} else {
			rest.SetVec(i, math.Log(s.Typical()/seconds))
			tiles[i].Link, tiles[i].Map = link, s.Plan.Map
		}
		noise[i] = math.Pow(leastNoise+s.Spread()/s.Typical()/2, 2)
		for k := range i + 1 {
			likeness.SetSym(i, k, tiles[k].Likeness(s.Plan))
		}
	}
	best, without := 0.0, 0.0
	for i := range n {
		without += loss(rest.AtVec(i), noise[i])
	}
	best = without * leastGain
	var weights []float64
	for _, deviation := range []float64{0.02, 0.05, 0.1, 0.2, 0.4} {
		covariance := mat.NewSymDense(n, nil)
		for i := range n {
			for k := range i + 1 {
				c := deviation * deviation * likeness.At(i, k)
				if i == k {
					c += noise[i]
				}
				covariance.SetSym(i, k, c)
			}
		}
		var cholesky mat.Cholesky
		if !cholesky.Factorize(covariance) {
			continue
		}
		var w mat.VecDense
		var inverse mat.SymDense
		if cholesky.SolveVecTo(&w, rest) != nil || cholesky.InverseTo(&inverse) != nil {
			continue
		}
		// Rasmussen and Williams, Gaussian Processes for Machine Learning, eq. (5.12): the
		// prediction of each sample from all others.
		sum := 0.0
		for i := range n {
			sum += loss(w.AtVec(i)/inverse.At(i, i), noise[i])
		}
		if sum < best {
			best, weights = sum, make([]float64, n)
			for i := range weights {
				weights[i] = deviation * deviation * w.AtVec(i)
			}
		}
	}
	for i, w := range weights {
		tiles[i].Weight = w
		bare.Near = append(bare.Near, tiles[i])
	}
	m.Kernels[key] = bare
}

const (
	// leastNoise is a lower bound for the relative difference between equal runs.
	leastNoise = 0.02
	// leastGain is the factor by which a correction must reduce the errors.
	leastGain = 0.95
	// mostLoss bounds a residual, so that one disturbed run does not decide.
	mostLoss = 0.3
	// sharedNoise is added to the noise of every sample, so that samples of little noise do
	// not outweigh all others.
	sharedNoise = 0.05
)

// loss is what a residual counts: its absolute value, up to mostLoss, relative to the noise.
// The residual is a logarithm, and noise is a variance.
func loss(rest, noise float64) float64 {
	r := math.Abs(rest)
	return math.Min(r, mostLoss) / math.Sqrt(noise+sharedNoise*sharedNoise)
}
