package codegen_test

import (
	"go/constant"

	"loopc/ir"
)

// constTables are nests with cells of constant arrays at computed subscripts, of which some are beyond the bounds, and some only where
// a condition keeps lanes from them.
var constTables = []string{
	`param M, N = 50, 60
const W[0..3, -1..2] int32 = [[5, -4, -1, -4], [-4, 5, -4, -1], [-1, -4, 5, -4], [-4, -1, -4, 5]]
array a[1..M] uint8 in
array b[1..N] uint8 in
array H[0..M, 0..N] int32 out
init H[i, j] = i
for i = 1..M, j = 1..N {
	H[i,j] = max(H[i-1,j-1] + W[a[i]%4,b[j]%4 - 1], H[i-1,j], H[i,j-1]) - W[a[i]/50,0]
}`,
	`param M, N = 50, 60
const up[-1..6] int32 = [1, 1, 1, 4, 4, 4, -900, -900]
array b[1..N] int32 in
array H[0..M, 0..N] int32 out
init H[i, j] = i
for i = 1..M, j = 1..N {
	H[i,j] = max(H[i-1,j-1] + up[abs(b[j]%8) - 1], H[i-1,j] - 3*up[max(-1, min(b[j], 6))], up[b[j]])
}`,
	`param M, N = 50, 60
const w[-2..3] float64 = [0.5, 0.25, -1.5, 0.25, 2, 0.125]
array c[1..N] int32 in
array x[0..M, 0..N] float64 out
init x[i, j] = i
for i = 1..M, j = 1..N {
	x[i,j] = 0.5*x[i-1,j] + w[c[j]%4]*x[i,j-1] + select(c[j]%3 != 0, w[c[j]%3], 1)
}`,
	`param M, N = 50, 60
const few[0..12] uint8 = [7, 7, 9, 7, 7, 7, 7, 3, 7, 7, 7, 7, 9]
const level[0..7] float32 = [0.5, 0.5, 0.5, 0.25, 0.25, 0.25, -2, -2]
array c[1..N] uint8 in
array x[0..M, 0..N] float32 out
array k[0..M, 0..N] uint8 out
init x[i, j] = i
init k[i, j] = j
for i = 1..M, j = 1..N {
	k[i,j] = few[c[j]/25] + k[i-1,j]*few[k[i,j-1]%13]
	x[i,j] = level[c[j]&7]*x[i-1,j] + select(c[j] > 7, 0.5, level[c[j]])*x[i,j-1]
}`,
}

// collectsWrong returns a function that adds the bits of a lane of chain c with a wrong subscript to those of the kernel, if the lane
// counts.
func (m *levelModel) collectsWrong(c, at int, counts bool) func(bits uint64) {
	return func(bits uint64) {
		if m.y.Size == 4 {
			bits = uint64(uint32(bits))
		}
		if counts {
			m.regions[m.reduced[c]][at] |= bits
		}
	}
}

// constCell is a cell of a constant array. Beyond the bounds, all bits of the lane tell so, and the value is that at the
// position of all subscripts. Where there is none, it is the most frequent value if fewer values than changes differ from it;
// else the first or the last one.
func (e *laneEval) constCell(x *ir.ConstCell) laneValue {
	value := func(v constant.Value) laneValue { return e.eval(&ir.Lit{T: x.T, Value: v}) }
	at, beyond := 0, false
	for d, sub := range x.Subs {
		v := e.eval(sub)
		k := int(v.i)
		if sub.Type().Float() {
			k = int(v.f)
		}
		beyond = beyond || k < x.Of.Lo[d] || k > x.Of.Hi[d]
		at = at*(x.Of.Hi[d]-x.Of.Lo[d]+1) + k - x.Of.Lo[d]
	}
	if beyond {
		e.wrong(1<<64 - 1)
	}
	times := map[string]int{}
	most, changes := x.Of.Values[0], 0
	for k, v := range x.Of.Values {
		if times[v.ExactString()]++; times[v.ExactString()] > times[most.ExactString()] {
			most = v
		}
		if k > 0 && v.ExactString() != x.Of.Values[k-1].ExactString() {
			changes++
		}
	}
	switch last := len(x.Of.Values) - 1; {
	case at >= 0 && at <= last:
		return value(x.Of.Values[at])
	case len(x.Of.Values)-times[most.ExactString()] < changes:
		return value(most)
	default:
		return value(x.Of.Values[min(max(at, 0), last)])
	}
}
