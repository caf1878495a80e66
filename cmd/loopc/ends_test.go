package main

import "testing"

// rowEnds are nests whose rows are longer than vectors, and at whose ends reads go up to four cells beyond a boundary. The
// boundaries are of every kind, and cells of every size. Rows run with the order of the array and against it. The nests read
// given arrays, results of other rows, and arrays updated in place.
var rowEnds = []string{
	`param N = 47
array a[0..N-1, 0..N-1] uint8 in
array b[0..N-1, 0..N-1] uint8 out
boundary a[periodic, periodic]
for i = 0..N-1, j = 0..N-1 {
	let n = a[i-1,j-1] + a[i-1,j] + a[i-1,j+1] + a[i,j-1] + a[i,j+1] + a[i+1,j-1] + a[i+1,j] + a[i+1,j+1]
	b[i,j] = select(n == 3 || n == 2 && a[i,j] == 1, 1, n)
}`,
	`param M, N = 23, 61
array e[0..M-1, 0..N-1] float32 in
array c[0..M-1, 0..N-1] float32 out
init c[i, j] = e[i,j]
boundary c[*, copied..reflecting]
boundary e[reflecting, symmetric]
for i = M-2..0 step -1, j = 0..N-1 {
	c[i,j] = e[i-2,j+3] + min(c[i+1,j-2], c[i+1,j], c[i+1,j+1])
}`,
	`param M, N = 21, 67
array a[0..M-1, 0..N-1] float64 in
array b[0..M-1, 0..N-1] float64 out
boundary a[symmetric..copied, reflecting..copied]
reduce top = max(b[i,j])
for i = 0..M-1, j = N-1..0 step -1 {
	b[i,j] = a[i-1,j-4] + 2*a[i+1,j+3] - a[i,j-1]*a[i,j+4]
}`,
	`param L, N = 7, 37
array u[0..L-1, 0..L-1, 0..N-1] float32 inout
array v[0..L-1, 0..L-1, 0..N-1] float32 in
boundary v[periodic, copied, periodic]
for i = 0..L-1, j = 0..L-1, k = 0..N-1 {
	u[i,j,k] = 2*v[i,j,k] - u[i,j,k] + 0.1*(v[i-1,j,k] + v[i+1,j,k] + v[i,j-1,k] + v[i,j+1,k] + v[i,j,k-1] + v[i,j,k+2] - 6*v[i,j,k])
}`,
	`param M, N = 19, 150
array e[0..M-1, 0..N-1] int32 in
array c[0..M-1, 0..N-1] int32 out
init c[i, j] = 3
boundary c[*, symmetric]
boundary e[*, periodic]
for i = 1..M-1, j = 0..N-1 {
	c[i,j] = e[i,j-3] - e[i,j+4] + max(c[i-1,j-3], c[i-1,j+2]) + 7
}`,
}

func TestRowEnds(t *testing.T) { runNamed(t, "ends", rowEnds) }
