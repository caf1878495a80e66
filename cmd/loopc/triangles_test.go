package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/ir/irtest"
)

// triangles are nests whose rows have different columns, with lanes across rows of entire arrays.
var triangles = []string{
	`param N = 61
array s[0..N] uint8 in
array L[0..N+1, 0..N+1] int32 inout
for i = N..1 step -1, j = i..N {
	L[i,j] = select(i == j, 1, select(s[i] == s[j], L[i+1,j-1] + 2, max(L[i+1,j], L[i,j-1])))
}`,
	`param N, w = 70, 19
array a[0..N] float32 in
array Q[0..N+1, 0..N+1] float32 inout
for i = 1..N, j = max(1, i-w)..min(N, i+w) {
	Q[i,j] = abs(a[i] - a[j]) + min(Q[i-1,j-1], Q[i-1,j], Q[i,j-1])
}`,
	`param T, N = 4, 50
array u[0..N+1, 0..2*N+1] float64 inout
reduce most = max(u[i,j])
for t = 1..T, i = 1..N, j = 2*i..1 step -1 {
	u[i,j] = 0.25*(u[i-1,j] + u[i,j+1] + u[i+1,j] + u[i,j-1])
}`,
	`param K, M, N = 3, 40, 45
array c[0..M+N] int32 in
array H[0..K, 0..M, 0..N] int32 inout
for k = 1..K, i = 1..M, j = max(k, M-i)..N {
	H[k,i,j] = max(H[k,i-1,j] - i, H[k,i,j-1] - c[i+j], H[k,i-1,j-1] + k, H[k-1,i,j])
}`,
	// Rows read a result, or an old value, further on.
	`param N = 60
array H[0..N, 0..N+1] int32 inout
for i = 1..N, j = i..N {
	H[i,j] = max(H[i-1,j+1] - 3, H[i,j-1] - 2, H[i-1,j])
}`,
	`param N = 60
array H[0..N+1, 0..N+1] int32 inout
for i = 1..N, j = 1..N+1-i {
	H[i,j] = max(H[i+1,j-1] - 3, H[i,j-1] - 2, H[i-1,j])
}`,
}

func TestTriangles(t *testing.T) {
	rng, all := rand.New(rand.NewPCG(irtest.Seed(), 30)), slices.Clone(triangles)
	for range 10 {
		all = append(all, irtest.RandomBand(rng))
	}
	runNamed(t, "triangle", all)
}
