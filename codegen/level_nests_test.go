package codegen_test

import (
	"fmt"
	"strings"
)

// quotients divides cells of the sweep before, and of a given array, by constants. Cells of the
// current sweep are only compared: if they were divided, all results would soon be NaN.
const quotients = `param T, N = 20, 50
array g[0..N+1] ELEM in
array u[0..N+1, 0..N+1] ELEM inout
for t = 1..T, i = 1..N, j = 1..N {
	u[i,j] = select(u[i-1,j] < u[i,j-1], u[i,j]/9, select(u[i,j+1] < 1, g[j]/-6, u[i+1,j]/10))
}`

// reductions are nests with reductions of each kind that lanes have: of what the body
// computes, of what it reads, and with more chains than one.
var reductions = []string{
	`param M, N = 50, 60
array a[1..M] uint8 in
array b[1..N] uint8 in
array H[0..M, 0..N] int32
array E[0..M, 0..N] int32
init H[i, j] = 0
init E[i, j] = -1000000
reduce best = max(H[i,j])
reduce least = min(E[i,j] - H[i-1,j])
reduce all = sum(H[i,j] - E[i,j])
for i = 1..M, j = 1..N {
	E[i,j] = max(E[i,j-1] - 1, H[i,j-1] - 11)
	H[i,j] = max(H[i-1,j-1] + select(a[i] == b[j], 5, -4), E[i,j])
}`,
	`param T, N = 20, 50
array u[0..N+1, 0..N+1] float64 inout
reduce change = max(abs(u[i,j] - u[i-1,j]))
reduce least = min(u[i,j])
for t = 1..T, i = 1..N, j = 1..N {
	u[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1])
}`,
	`param T, N = 20, 50
array u[0..T, 0..N+1] float32 out
init u[t, i] = i
reduce most = max(u[t,i])
reduce least = min(u[t,i])
for t = 1..T, i = 1..N {
	u[t,i] = 0.5*u[t-1,i-1] + 0.5*u[t-1,i+1] - 0.25*u[t,i-1]
}`,
}

// backwardRows are nests whose rows run backward. Each lane reads the cell of a given array before
// the cell of the lane below. The cells have the lanes' type, a narrower type, or are bytes that
// stay bytes.
var backwardRows = []string{
	`param T, N = 50, 60
array a[1..T] uint8 in
array b[1..N] uint8 in
array c[0..N+1] int16 in
array h[0..T, 1..N+1] int32 out
init h[i, j] = -i
for i = 1..T, j = N..1 step -1 {
	h[i,j] = max(h[i-1,j+1] + select(a[i] == b[j], 5, -4), max(h[i-1,j], h[i,j+1]) - int32(c[j-1]))
}`,
	`param T, N = 20, 50
array q[0..N, 1..N] float64 in
array s[1..N, 1..N] float64 in
array p[0..T, 0..N, 1..N+1] float64 out
init p[t, i, j] = i
for t = 1..T, i = 1..N, j = N..1 step -1 {
	p[t,i,j] = q[i-1,j] + 0.5*p[t,i-1,j]*s[i,j] + 0.25*p[t,i,j+1] - 0.125*p[t-1,i,j]
}`,
}

// narrowResults are nests with results that are narrower than lanes.
var narrowResults = []string{
	`param T, N = 50, 60 // of each type, all of which wrap, and a backward loop
array a[0..T+1, 0..N+1] uint8 inout
array b[0..T+1, 0..N+1] int8 inout
array c[0..T+1, 0..N+1] uint16 inout
array d[0..T+1, 0..N+2] int16 inout
reduce highest = max(d[t,i])
reduce lowest = min(b[t,i] + int8(c[t,i]))
reduce total = sum(c[t,i])
for t = 1..T, i = N..1 step -1 {
	a[t,i] = a[t-1,i] * a[t,i+1] + uint8(b[t-1,i])
	b[t,i] = b[t-1,i] - 3*b[t,i+1] + int8(d[t-1,i+1]) ^ 5
	c[t,i] = c[t-1,i]*c[t,i+1] - uint16(a[t,i])/3 | 1
	d[t,i] = -d[t,i+1] + abs(d[t-1,i]) + max(int16(c[t-1,i]), int16(b[t,i]), d[t,i+2] & 77)
}`,
	`param T, N = 50, 60 // beside an error in float32
array p[1..T, 1..N] uint8 in
array e[0..T, 0..N+1] float32
array q[1..T, 1..N] uint8 out
array r[0..T, 0..N] int16 out
init e[t, i] = 0
init r[t, i] = t - i
for t = 1..T, i = 1..N {
	let v = float32(p[t,i]) + 0.4375*e[t,i-1] + 0.3125*e[t-1,i] + 0.1875*e[t-1,i+1] + 0.0625*e[t-1,i-1]
	let w = uint8(v)
	e[t,i] = v - float32(w)
	q[t,i] = w
	r[t,i] = r[t,i-1] + r[t-1,i]*int16(w) + int16(v)
}`,
	`param T, N = 50, 60 // counts of 4 bytes beside float64
array u[0..T, 0..N+1] float64 out
array k[0..T, 0..N] int32 out
array s[0..T, 0..N] uint8 out
init u[t, i] = t - i
init k[t, i] = t
init s[t, i] = 7
for t = 1..T, i = 1..N {
	u[t,i] = 0.5*u[t-1,i+1] + 0.4*u[t,i-1]
	k[t,i] = select(u[t,i] > u[t-1,i], min(k[t,i-1], 1000) + 1, 0)
	s[t,i] = select(k[t-1,i] > 3, s[t,i-1], max(s[t-1,i], 100) - 100)
}`,
}

// crowdedNest has 24 numbers in the registers of a step at once, twice as many as AVX2 has, and
// more rows than there are registers for.
func crowdedNest() string {
	var b, lets strings.Builder
	b.WriteString("param T, N = 20, 50\narray u[-2..N+1, -2..N+1] float64 inout\n")
	sum, product := "u[i-1,j]", "1"
	for k := range 24 {
		fmt.Fprintf(&b, "array c%d[0..N, 0..N] float64 in\n", k)
		fmt.Fprintf(&lets, "\tlet x%d = c%d[i,j]*u[i-%d,j-%d]\n", k, k, k%3, 1+k%2)
		sum += fmt.Sprintf(" + 0.03*x%d", k)
		product = fmt.Sprintf("0.5*(%s + x%d)", product, 23-k)
	}
	fmt.Fprintf(&b, "for t = 1..T, i = 1..N, j = 1..N {\n%s\tu[i,j] = %s + 0.1*%s\n}\n", lets.String(), sum, product)
	return b.String()
}

// added are nests that add numbers to reads, with the number that the kernel adds once to each value
// (kernel.LaneValue.Plus; 0: none).
var added = []struct {
	src  string
	plus []int
}{
	{`param M, N = 50, 60 // the distance of two texts; the greatest number wraps
array a[1..M] uint8 in
array b[1..N] uint8 in
array D[0..M, 0..N] int32 out
init D[i, j] = i + j
for i = 1..M, j = 1..N {
	D[i,j] = min(2147483647 + D[i-1,j], D[i,j-1] + 2147483647, D[i-1,j-1] - select(a[i] == b[j], 0, select(a[i] < b[j], -1, -2147483647)))
}`, []int{2147483647}},
	{`param M, N = 50, 60 // what is added is used twice, so that it stays as it is
array a[1..M] int32 in
array b[1..N] int32 in
array H[0..M, 0..N] int32 out
init H[i, j] = i - j
for i = 1..M, j = 1..N {
	let s = select(a[i] < b[j], 5, -4)
	H[i,j] = max(H[i-1,j-1] + s, H[i-1,j] - 7, H[i,j-1] - 7, s)
}`, []int{0}},
	{`param M, N = 50, 60 // two numbers; three reads of one, and one of the other
array H[0..M, 0..N] int32 inout
for i = 2..M, j = 1..N {
	H[i,j] = max(H[i-1,j] - 7, H[i,j-1] - 7, H[i-1,j-1] - 7, H[i-2,j] - 8, 3 - H[i-2,j-1])
}`, []int{-7}},
	{`param M, N = 50, 60 // an operand on the right, a bare read, a condition, an earlier statement
array G[0..M, 0..N] int32 out
array H[0..M, 0..N] int32 out
init G[i, j] = i
init H[i, j] = j
for i = 1..M, j = 1..N {
	let s = select(H[i,j-1] + 9 > G[i-1,j], 1, 2)
	G[i,j] = max(H[i-1,j] + 9, G[i-1,j-1] - H[i-1,j-1], s)
	H[i,j] = min(G[i,j] + 9, H[i-1,j] + 9, H[i,j-1] + 9, abs(H[i-1,j-1]), G[i-1,j] + 9)
}`, []int{0, 9}},
	{`param M, N = 50, 60 // a read of what is no longer in registers
array H[0..M, -2..N] int32 out
init H[i, j] = i + j
for i = 1..M, j = 1..N {
	H[i,j] = min(H[i-1,j] + 9, H[i,j-1] + 9, H[i,j-3] + 1)
}`, []int{0}},
	{`param M, N = 50, 60 // letters of c are numbers, so that those of others are not held as bytes
array a[1..M] uint8 in
array b[1..N] uint8 in
array c[1..N] uint8 in
array H[0..M, 0..N] int32 out
init H[i, j] = i + j
for i = 1..M, j = 1..N {
	H[i,j] = min(H[i-1,j] + 9, H[i,j-1] + 9, select(a[i] >= b[j], 1, 2) + select(c[j] != a[i], int32(c[j]), 3))
}`, []int{9}},
	{`param M, N = 50, 60 // letters of one text that are compared with others of it
array a[1..M+N] uint8 in
array H[0..M, 0..N] int32 out
init H[i, j] = i + j
for i = 1..M, j = 1..N {
	H[i,j] = min(H[i-1,j] + 9, H[i,j-1] + 9, H[i-1,j-1] + select(a[i] > a[j] && a[i+1] <= a[j+1] || a[i+j] == a[j], 1, 2))
}`, []int{9}},
	{`param X, M, N = 20, 30, 40 // of three texts: a ring of rows has what others read
array H[0..X, 0..M, 0..N] int32 out
init H[h, i, j] = h + i + j
for h = 1..X, i = 1..M, j = 1..N {
	H[h,i,j] = min(H[h-1,i,j] + 3, H[h,i-1,j] + 3, H[h,i,j-1] + 3)
}`, []int{0}},
	{`param X, M, N = 20, 30, 40 // rows that no other row reads
array H[0..X, 0..M, 0..N] int32 out
init H[h, i, j] = h + i + j
for h = 1..X, i = 1..M, j = 1..N {
	H[h,i,j] = min(H[h-1,i,j] + 3, H[h,i,j-1] + 3, H[h-1,i,j-1] + 1)
}`, []int{3}},
}
