package transform_test

import "testing"

// TestInPlace has nests whose levels are kept whole, or not, in place or not: in place
// only if the longest distances lead to the same cell, and no statement reads what one
// above it has replaced.
func TestInPlace(t *testing.T) {
	const head = "param T, N = 9, 20\narray u[0..N, 0..N] float64 inout\narray w[0..N, 0..N] float64 inout\n"
	for _, c := range []struct {
		what, src      string
		whole, inPlace bool
	}{
		{"two fields in turn", head + `for t = 1..T, i = 1..N, j = 1..N {
	u[i,j] = u[i,j] - 0.5*(w[i,j] - w[i-1,j])
	w[i-1,j-1] = w[i-1,j-1] - 0.5*(u[i,j-1] - u[i-1,j-1])
}`, true, true},
		{"the second statement reads what the first will replace further on", head + `for t = 1..T, i = 1..N, j = 1..N-1 {
	u[i,j] = 0.5*w[i,j] + 0.5*u[i,j]
	w[i,j] = 0.5*w[i,j] + 0.25*u[i,j+1]
}`, true, false},
		{"the first does", head + `for t = 1..T, i = 1..N, j = 1..N-1 {
	u[i,j] = 0.5*w[i,j] + 0.5*u[i,j+1]
	w[i,j] = 0.5*w[i,j] + 0.25*u[i,j]
}`, true, true},
		{"an iteration needs the one before it in its row", head + `for t = 1..T, i = 1..N, j = 1..N {
	u[i,j] = 0.5*w[i,j] + 0.5*u[i,j-1]
	w[i,j] = 0.5*w[i,j] + 0.25*u[i,j]
}`, false, false},
		{"it needs a statement further down of the one before it", head + `for t = 1..T, i = 1..N, j = 1..N {
	u[i,j] = 0.5*w[i,j-1] + 0.5*u[i,j]
	w[i,j] = 0.5*w[i,j] + 0.25*u[i,j]
}`, false, false},
		{"it needs one far before it", head + `for t = 1..T, i = 1..N, j = 5..N {
	u[i,j] = 0.5*u[i,j]
	w[i,j] = 0.5*w[i,j] + 0.25*u[i,j-4]
}`, false, false},
		{"two levels, each with cells of its own", `param T, N = 9, 20
array u[0..T, 0..N+1] float64 out
init u[t, i] = t + i
for t = 1..T, i = 1..N { u[t,i] = u[t-1,i-1] + u[t-1,i+1] }`, true, false},
		{"three levels, the newest in the place of the oldest", `param T, N = 9, 20
array u[-1..T, 0..N+1] float64 out
init u[t, i] = t + i
for t = 1..T, i = 1..N { u[t,i] = u[t-1,i-1] + u[t-1,i+1] - u[t-2,i] }`, true, true},
		{"three levels, the oldest read by its neighbor", `param T, N = 9, 20
array u[-1..T, 0..N+1] float64 out
init u[t, i] = t + i
for t = 1..T, i = 1..N { u[t,i] = u[t-1,i-1] + u[t-1,i+1] - u[t-2,i-1] }`, true, false},
	} {
		if _, p := lower(t, c.src); p.Whole != c.whole || p.InPlace != c.inPlace {
			t.Errorf("%s: whole %t, in place %t", c.what, p.Whole, p.InPlace)
		}
	}
}
