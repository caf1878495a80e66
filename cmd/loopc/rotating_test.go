package main

import "testing"

// rotations are nests whose vector kernels compute on arrays of which a run stores only a few
// levels: forward and backward in time, with content that levels share or that each level has of
// its own, and with levels of equal or different sizes.
var rotations = []string{
	`param T, N = 70, 41
array s[0..N+1] float64 in
array u[0..T, 0..N+1] float64
init u[t, i] = s[i]
out u[T, *]
for t = 1..T, i = 1..N {
	u[t,i] = 0.5*u[t-1,i] + 0.25*(u[t-1,i-1] + u[t-1,i+1])
}`,
	`param T, N, K = 53, 38, 17
array s[0..N+1] float64 in
array u[-1..T+3, 0..N+1] float64
init u[t, i] = s[i] + 0.01*t
out u[K, *]
for t = 1..T, i = 1..N {
	u[t,i] = 1.8*u[t-1,i] - u[t-2,i] + 0.1*(u[t-1,i-1] + u[t-1,i+1])
}`,
	`param T, N = 61, 33
array s[0..N+1] float32 in
array u[0..T+1, 0..N+1] float32
init u[t, i] = s[i]
out u[1, *]
for t = T..1 step -1, i = 1..N {
	u[t,i] = 0.5*u[t+1,i] + 0.25*(u[t+1,i-1] + u[t+1,i+1])
}`,
	`param T, N = 44, 29
array s[0..N+1] float64 in
array u[0..T+2, 0..N+1] float64
init u[t, i] = s[i] - 0.5*t
out u[3, *]
for t = T..1 step -1, i = 1..N {
	u[t,i] = 0.5*u[t+2,i] + 0.25*(u[t+1,i-1] + u[t+1,i+1])
}`,
	`param T, M, N = 19, 9, 21
array s[0..M+1, 0..N+1] float64 in
array u[0..T, 0..M+1, 0..N+1] float64
init u[t, i, j] = s[i,j]
out u[T, *, *]
for t = 1..T, i = 1..M, j = 1..N {
	u[t,i,j] = 0.5*u[t-1,i,j] + 0.125*(u[t-1,i-1,j] + u[t-1,i+1,j] + u[t-1,i,j-1] + u[t-1,i,j+1])
}`,
	`param T, M, N = 18, 7, 20
array s[0..M+1, 0..N+1] int32 in
array u[0..T, 0..M+1, 0..N+1] int32
init u[t, i, j] = s[i,j] + t
out u[T, *, 3]
for t = 1..T, i = 1..M, j = 1..N {
	u[t,i,j] = u[t-1,i,j] + u[t-1,i-1,j] - u[t-1,i+1,j] + max(u[t-1,i,j-1], u[t-1,i,j+1])
}`,
	`param T, N = 45, 26
array s[0..N+1] float64 in
array e[0..T, 0..N+1] float64
array h[0..T, 0..N+1] float64
init e[t, i] = s[i]
init h[t, i] = 2*s[i]
out e[T, *]
out h[T-1, *]
reduce top = max(abs(h[t,i]))
for t = 1..T, i = 1..N {
	e[t,i] = e[t-1,i] + 0.3*(h[t-1,i] - h[t-1,i-1])
	h[t,i] = h[t-1,i] + 0.3*(e[t-1,i+1] - e[t-1,i])
}`,
	`param T, N = 30, 40
array s[0..N+1] float64 in
array u[0..T, 0..N+1] float64
init u[t, i] = s[i]
out u[T, *]
for t = 1..T, i = t..N {
	u[t,i] = 0.5*u[t-1,i] + 0.25*(u[t-1,i-1] + u[t-1,i+1])
}`,
	`param T, N = 37, 31
array s[0..N+1] float64 in
array f[1..T, 0..N+1] float64 in
array u[0..T, 0..N+1] float64
init u[t, i] = s[i]
out u[T, *]
for t = 1..T, i = 1..N {
	u[t,i] = 0.5*u[t-1,i] + 0.25*(u[t-1,i-1] + u[t-1,i+1]) + f[t,i]*s[i]
}`,
	`param T, N = 40, 31
array s[0..N+1] float64 in
array u[0..T, 0..N+1] float64
init u[t, i] = s[i]
out u[T, *]
for t = 1..T, i = 1..N {
	u[t,i] = 0.5*u[t-1,i] + 0.25*(u[t-1,i-1] + u[t-1,i+1]) + 0.001*t - 0.01*i
}`,
	`param T, L, M, N = 9, 4, 5, 12
array s[0..L+1, 0..M+1, 0..N+1] float32 in
array u[0..T, 0..L+1, 0..M+1, 0..N+1] float32
init u[t, i, j, k] = s[i,j,k]
out u[T, *, *, *]
for t = 1..T, i = 1..L, j = 1..M, k = 1..N {
	u[t,i,j,k] = 0.4*u[t-1,i,j,k] + 0.1*(u[t-1,i-1,j,k] + u[t-1,i+1,j,k] + u[t-1,i,j-1,k] + u[t-1,i,j+1,k] + u[t-1,i,j,k-1] + u[t-1,i,j,k+1])
}`,
}

func TestRotations(t *testing.T) { runNamed(t, "rotation", rotations) }
