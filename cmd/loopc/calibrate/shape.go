package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"loopc/transform/plan/cost"
)

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

// fitShapes fits Kernel.Near, which corrects errors of m that similar tiles have in common:
// the mean of a Gaussian process given the logarithms of measured over predicted times. The
// times are those in tiles, or of the whole run if messages go over a link. Earlier corrections
// for the link are replaced; the link "" stands for all links.
func fitShapes(m *cost.Machine, key string, link string, samples []*Sample) {
	if len(samples) == 0 {
		return
	}
	k := m.Kernels[key]
	k.Near = slices.DeleteFunc(slices.Clone(k.Near), func(t cost.NearTile) bool { return link == "" || t.Link == link })
	m.Kernels[key] = k
	tiles := make([]cost.NearTile, len(samples))
	p := newProcess(len(samples))
	for i, s := range samples {
		tiles[i] = cost.NearTile{Side: s.Plan.Side}
		time := inTiles
		if link != "" {
			time = inRun
			tiles[i].Link, tiles[i].Map = link, s.Plan.Map
		}
		p.rest.SetVec(i, math.Log(s.measured()[time]/s.predict(m)[time]))
		p.noise[i] = math.Pow(leastNoise+s.Spread()/s.Typical()/2, 2)
		for k := range i + 1 {
			p.likeness.SetSym(i, k, tiles[k].Likeness(s.Plan))
		}
	}
	for i, w := range p.weights() {
		tiles[i].Weight = w
		k.Near = append(k.Near, tiles[i])
	}
	m.Kernels[key] = k
}

// A process is a Gaussian process with one observation for each sample.
type process struct {
	rest     *mat.VecDense // the observations: logarithms of measured over predicted times
	noise    []float64     // variances of the observations
	likeness *mat.SymDense // correlations of the process
}

func newProcess(n int) *process {
	return &process{rest: mat.NewVecDense(n, nil), noise: make([]float64, n), likeness: mat.NewSymDense(n, nil)}
}

// deviations are the standard deviations that are tried for the process.
var deviations = []float64{0.02, 0.05, 0.1, 0.2, 0.4}

// weights returns the weights of the observations in the mean of the process, with the deviation
// that predicts each sample best from all others (leave-one-out). It returns nil if even this one
// is hardly better than no correction.
func (p *process) weights() (best []float64) {
	least := 0.0
	for i, noise := range p.noise {
		least += loss(p.rest.AtVec(i), noise)
	}
	least *= leastGain
	for _, deviation := range deviations {
		if weights, sum := p.given(deviation); weights != nil && sum < least {
			best, least = weights, sum
		}
	}
	return best
}

// given returns the weights for one deviation, and the losses of predicting each sample from all
// others: Rasmussen and Williams, Gaussian Processes for Machine Learning, eq. (5.12). The weights
// are nil if the covariances are numerically singular.
func (p *process) given(deviation float64) (weights []float64, losses float64) {
	n := len(p.noise)
	covariance := mat.NewSymDense(n, nil)
	for i := range n {
		for k := range i + 1 {
			c := deviation * deviation * p.likeness.At(i, k)
			if i == k {
				c += p.noise[i]
			}
			covariance.SetSym(i, k, c)
		}
	}
	var cholesky mat.Cholesky
	var w mat.VecDense
	var inverse mat.SymDense
	if !cholesky.Factorize(covariance) || cholesky.SolveVecTo(&w, p.rest) != nil || cholesky.InverseTo(&inverse) != nil {
		return nil, 0
	}
	weights = make([]float64, n)
	for i := range weights {
		weights[i] = deviation * deviation * w.AtVec(i)
		losses += loss(w.AtVec(i)/inverse.At(i, i), p.noise[i])
	}
	return weights, losses
}

// loss is what a residual counts: its absolute value, up to mostLoss, relative to the noise.
// The residual is a logarithm, and noise is a variance.
func loss(rest, noise float64) float64 {
	r := math.Abs(rest)
	return math.Min(r, mostLoss) / math.Sqrt(noise+sharedNoise*sharedNoise)
}
