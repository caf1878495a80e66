package vector

// mostHeld is how many constants of the body stay in registers and, with AVX-512, how many parameters do. Each other constant costs
// every vector a load, and processors do two loads a cycle.
const mostHeld = 6

// holdLiterals loads at most the given number of constants of the body into registers. The last candidate is the NaN with all bits set,
// which min and max return with AVX-512.
func (f *function) holdLiterals(most int) {
	all := f.s.constants()
	if f.MovesLanes() && f.s.testsNumbers() {
		all = append(all, f.AllOnes())
	}
	for _, c := range all {
		if at := f.Splat(c); f.HeldConstants() < most {
			f.HoldConstant(at)
		}
	}
}

// holdParams loads at most the given number of parameters of the body into registers.
func (f *function) holdParams(most int) {
	for k, use := range f.s.Params {
		if use.Part == "" && most > 0 {
			f.params[k] = f.In(f.s.paramSize(k), false).Load(f.params[k])
			most--
		}
	}
}
