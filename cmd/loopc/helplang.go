package main

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/runtime/boundary"
)

// languageHelp is the reference that loopc help language prints, in this order. Each
// example is a complete .loop file that compiles, in the layout of loopc fmt. A test checks
// this, and that every rule of the grammar occurs in some example.
var languageHelp = slices.Concat(declarationHelp, statementHelp, nestHelp)

// declarationHelp is about the declarations before the loops.
var declarationHelp = []helpSection{
	{
		Title: "file",
		Text: `A file holds declarations, and then nests of loops: most files have one
nest, with all statements in the innermost loop. A nest means what the
sequential loops mean: iterations in lexicographic order, statements from
top to bottom. Every run gives the bits of these loops, on any number of
ranks and CPUs. A statement ends with its line, unless a bracket or an
operator is open; no semicolon is needed. What follows // is a comment.
A comment //loopc:ignore slow, at the end of the line of a warning or on the
line before, silences it: the word is what the warning has in brackets.`,
		Example: `// Every cell becomes the mean of its neighbors, T times.
param T, N = 100, 500
array u[0..N+1, 0..N+1] float64 inout

for t = 1..T, i = 1..N, j = 1..N {
	u[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1])
}
`,
	},
	{
		Title: "param",
		Text: `A parameter is an integer that is given at launch, with -p N=500; one that
has a default need not be given. It may stand in bounds, subscripts and
expressions. With float64 it is a finite number, given with -p omega=1.5. It
may stand in expressions of floats, and is rounded once to their type, like
a constant.`,
		Example: `param M, N = 4, 500 // each name with a default
param K             // to be given at launch
param omega float64 = 1.9
param h, k float64 // to be given at launch, too
array a[0..M*2, 0..N+K] float32 out

for i = 0..M*2, j = 0..N+K {
	a[i,j] = omega*(h*i*K + k*j)
}
`,
	},
	{
		Title: "const",
		Text: `A constant is a number known when the file is compiled, kept exactly until
it meets a type.`,
		Example: `const w, half = 1.9, 1/2.0
const shift = 3
array omega[0..0] float64 in
array x[0..99] float64 inout

for i = shift..99 {
	x[i] = w*x[i] + half*omega[0]*x[i-shift]
}
`,
	},
	{
		Title: "constant arrays",
		Text: `A constant array has bounds that are constants, a type, and its values in
brackets, in the order of the subscripts. Each value is rounded once. Cells
convert as those of other arrays do. A cell with constant subscripts, as in
small loops (see for in for), counts as a number, and a cell of integers may
then stand in subscripts and bounds. Other subscripts are computed while the
nest runs, and checked.`,
		Example: `const w[-1..1] float64 = [0.25, 0.5, 0.25]
const corner[0..3, 0..1] int32 = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
array f[0..99, 0..99] float64 in
array x[0..99, 0..99] float64 inout

for i = 1..98, j = 1..98 {
	var s float64 = 0
	for m = -1..1 {
		s += w[m]*f[i+m,j]
	}
	for c = 0..3 {
		s += 0.1*x[i+corner[c,0],j+corner[c,1]]
	}
	x[i,j] = s*w[i%2]
}
`,
	},
	{
		Title: "array",
		Text: `An array has inclusive bounds, which may be negative and are affine in the
parameters, a type, and a role: in is given by the caller and only read,
inout is given, updated and given back, out is given back whole. An array
without a role is internal: only the cells that are still needed are stored.`,
		Example: `param N = 1000
array f[1..N] float32 in
array x[-1..N] float64 inout
array y[0..N] float32 out
array last[0..N] float64 // internal
init y[i] = 0
init last[i] = 0

for i = 1..N {
	last[i] = 0.5*last[i-1] + f[i]
	x[i] = x[i-1] - x[i-2] + last[i]
	y[i] = float32(x[i])
}
`,
	},
	{
		Title: "types",
		Text: ir.TypeNames() + `.
An assignment computes in the type of its array, to which each operand is
converted first. Where nothing is lost, this needs no words: uint8 to
anything but int8, int32 to int64 or float64, float32 to float64, and loop
variables, parameters and constants to anything. Write any other conversion
as a function, such as float32(x). A float is truncated to an integer;
beyond the range of the type it gives the nearest integer of the type, and
NaN gives 0. An integer beyond the range of an integer type wraps. Sums and
products of integers wrap, too.`,
		Example: `array pixel[0..99] uint8 in
array offset[0..99] int8 in
array depth[0..99] uint16 in
array gain[0..99] float32 in
array sound[0..99] int16 inout
array total[0..99] int64 out
array level[0..99] float64 out
init total[i] = 0
init level[i] = 0

for i = 1..99 {
	total[i] = total[i-1] + pixel[i] + int64(gain[i])
	level[i] = 0.5*level[i-1] + gain[i]*float64(int32(depth[i]) - 128)
	sound[i] = int16(0.9*gain[i]*sound[i-1]) + pixel[i] - offset[i]
}
`,
	},
	{
		Title: "init",
		Text: `init gives the value of every cell of an out or internal array before the
nest runs: initial states, and the boundary around what the loops write. It
names the subscripts; the value may use them, parameters, constants,
functions and in arrays. A cell that is read or given back needs a value:
from init, from the caller, or from the nest.`,
		Example: `param T, N = 100, 500
array start[0..N+1] float64 in
array u[0..T, 0..N+1] float64 out
init u[t, i] = select(i == 0, 1, select(i > N, 0, start[i]))

for t = 1..T, i = 1..N {
	u[t,i] = 0.5*u[t-1,i] + 0.25*(u[t-1,i-1] + u[t-1,i+1])
}
`,
	},
	{
		Title: "out",
		Text: `out gives back a slice of an internal array: * stands for a whole dimension,
an expression of parameters for one place, which is dropped from the shape
of the result. Each array may have a slice of its own.`,
		Example: `param T, N = 100, 500
array u[0..T, 0..N+1] float64
array flux[0..T, 1..N] float64
init u[t, i] = 0.01*i
init flux[t, i] = 0
out u[T, *]
out flux[*, N]

for t = 1..T, i = 1..N {
	u[t,i] = 0.5*u[t-1,i] + 0.25*(u[t-1,i-1] + u[t-1,i+1])
	flux[t,i] = u[t,i] - u[t-1,i-1]
}
`,
	},
	{
		Title: "boundary",
		Text: `boundary says what reads beyond the bounds of an array give. Of a dimension
with the cells a to f, and reads of up to three cells beyond either end:

` + boundaryDrawing() + `
* is for a dimension beyond which nothing is read, and lower..upper for two
kinds. A fixed boundary is cells of the array that the loops leave alone,
with a value from init. If the nest reads its own results across a periodic
end, they come from an iteration one extent away: the extent of that
dimension must then be a constant.`,
		Example: `param T, N = 100, 500
array speed[1..N] float64 in
array force[1..N] float64 in
array u[0..T, 1..N] float64 out
init u[t, i] = i
boundary speed[periodic]
boundary force[symmetric]
boundary u[*, reflecting..copied]

for t = 1..T, i = 1..N {
	u[t,i] = u[t-1,i] + speed[i-1]*(u[t-1,i-1] - 2*u[t-1,i] + u[t-1,i+1]) + force[i+1]
}
`,
	},
}

// boundaryDrawing draws the kinds of boundary, a line each.
func boundaryDrawing() string {
	var text strings.Builder
	const cells = "abcdef"
	for _, k := range boundary.All() {
		beyond := func(x int) byte { return cells[boundary.Ends{k, k}.Cell(x, 0, len(cells)-1)] }
		var below, above []byte
		for m := 3; m >= 1; m-- {
			below = append(below, beyond(-m))
			above = append(above, beyond(len(cells)+3-m))
		}
		fmt.Fprintf(&text, "  %-10s  %s|%s|%s  %s\n", k, below, cells, above, k.Gives())
	}
	return text.String()
}
