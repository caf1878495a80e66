package main

// statementHelp is about loops and their statements.
var statementHelp = []helpSection{
	{
		Title: "for",
		Text: `A single for names all loops, the outermost first. Each loop runs from a
lower to an upper bound, and includes both. A bound is affine in parameters
and outer loop variables; the max of several is a lower bound, the min of
several an upper one: triangles, bands and trapezoids. The body has lets and
assignments.`,
		Example: `param N, w = 300, 20
array D[-1..N, -1..N] int32 out
init D[i, j] = 0

for i = 0..N, j = max(0, i-w)..min(N, i+w) {
	D[i,j] = max(D[i-1,j], D[i,j-1]) + 1
}
`,
	},
	{
		Title: "for in for",
		Text: `A for may stand in the body of another one, with statements before and
after it. loopc then divides the nest into several, which run one after
another (see nests). Statements that depend on one another in a circle stay
together. A let or a var that one nest sets and another one uses is kept in
an array, with a dimension for each loop around it that is no repeat; so is
an internal array without init that every iteration sets before it reads it.

A loop around nests that depend on one another in a circle, as two sweeps of
Jacobi do, becomes a repeat. Its variable is then the number of the repeat,
which may stand in any subscript, as in a[k,k]. Each number costs a run of
all nests in the repeat, also of those that only set or use a let. An
outermost loop whose variable is in no subscript of a written cell, such as
a loop of time, becomes a repeat, too, if arrays would otherwise need a
dimension for it: so they are as large as for one iteration. If a cell
collects over two loops or more, with other statements between the loops, as
over y and x in n[l] += a[l,y,x], all of these loops but the last become
repeats. Such a repeat is outside of the loops whose iterations do not
depend on one another. Reductions and schedules stand before a for that is
not divided.

A small loop beside other statements, with constant bounds and at most 32
iterations, is written out, with numbers in place of its variable. If it
writes cells of its own, which have its variable in a subscript, as z[s,c],
it is written out only if the for around it then has no loop and at most 256
statements, and if the nest is not refused. On these conditions, such a loop
that is alone in a for, or in its header, is written out in two cases: each
of its iterations reads what others write, as v[t-1,k] for v[t,s]; or its
variable selects a cell of a constant array that is in a subscript, as in
g[k,i-dx[k]]. In a header, it is moved inward first, if the loops behind it
are subscripts of all cells of its own.`,
		Example: `param T, N, K = 10, 100, 50
array a[0..N, 0..K] float64 in
array b[0..N] float64 out
array u[0..N] float64 inout
array v[0..N] float64 inout
array z[0..2, 0..N] float64 inout

for i = 0..N {
	b[i] = 0
	for k = 0..K {
		b[i] += a[i,k]*a[i,k]
	}
	b[i] = sqrt(b[i])
}
for t = 1..T {
	for i = 1..N-1 {
		v[i] = 0.5*(u[i-1] + u[i+1])
	}
	for i = 1..N-1 {
		u[i] = 0.5*(v[i-1] + v[i+1])
	}
}
for t = 1..T, i = 0..N {
	var x float64 = b[i]
	for s = 0..2 {
		z[s,i] = 0.5*z[s,i] + x
		x = z[s,i]
	}
}
`,
	},
	{
		Title: "step",
		Text: `A loop with step -1 runs backward, from an upper bound, or the min of
several, down to a lower one: back substitution, the second half of a
symmetric sweep, time reversed. Step 1 need not be written. With step 2,
-3 or another integer, every second or third iteration does something, as
if it stood under an if: the others take time, too, and bounds are checked
for all. For red and black cells, a loop with step 2 or more may begin at
1+(i+j)%2, if i and j are not negative. A sum over such loops counts only
the iterations that do something; a max over them is not possible.`,
		Example: `param N, M = 300, 200
array c[1..N, 1..M] float64 in
array d[1..N, 1..M] float64 in
array x[1..N+1, 1..M] float64 out
init x[i, j] = 0

for i = N..1 step -1, j = 1..M {
	x[i,j] = d[i,j] - c[i,j]*x[i+1,j]
}
repeat color = 0..1 {
	for i = 1..N, j = 1+(i+color)%2..M-1 step 2 {
		x[i,j] = 0.5*(x[i,j] + x[i,j+1])
	}
}
`,
	},
	{
		Title: "assignment",
		Text: `An array that is written has subscripts index + constant, of distinct loop
variables, or expressions of parameters. If it lacks a loop variable, as u
lacks t, it is updated in place: a read means the last value written before
it, as in the sequential loops. Subscripts of in arrays are any affine
expressions, or computed (see lookup). Dependences must be uniform: the
distance from a write to the reads of its value is the same everywhere. If
several statements write one cell, the last one wins.`,
		Example: `param T, N = 100, 500
array c[0..2*N, 0..T] float64 in
array u[0..N+1] float64 inout
array v[0..N+1] float64 inout

for t = 1..T, i = 1..N {
	u[i] = c[2*i-1,T-t]*(u[i-1] + u[i+1])
	v[i] = v[i-1] - u[i]
	v[i] = 0.5*v[i]
}
`,
	},
	{
		Title: "lookup",
		Text: `An array that the nest only reads (an in array, or one that an earlier nest
has written) may have subscripts that are computed: any expressions of
integers, with cells, lets, loops, / and %. They are int64s; a float is
converted by int64(x). A subscript beyond the bounds ends the run with an
error that tells its place, iteration and value; max and min keep it within
the bounds. Every rank has the entire array. A cell that is looked up may be
a subscript in turn: a[b[i]].`,
		Example: `param M, N = 500, 500
const gap = 8
array a[1..M] uint8 in // amino acids, numbers from 0 to 19
array b[1..N] uint8 in
array score[0..19, 0..19] int32 in
array H[0..M, 0..N] int32
init H[i, j] = 0
reduce best = max(H[i,j])

for i = 1..M, j = 1..N {
	H[i,j] = max(0, H[i-1,j-1] + score[a[i],b[j]], H[i-1,j] - gap, H[i,j-1] - gap)
}
`,
	},
	{
		Title: "updates",
		Text: `u[i] += x means u[i] = u[i] + (x), and so for -=, *= and /=: the cell is
read as it is before the statement, and x is computed as if it stood in
brackets. Cells and variables (see var) can be updated so, but not a let,
which has one value. For a sum over all iterations, see reduce.`,
		Example: `array a[0..99] float64 in
array u[0..99] float64 inout
array n[0..99] int32 inout

for i = 1..99 {
	u[i] *= a[i] + 0.5
	u[i] += 0.25*u[i-1] - a[i-1]
	n[i] -= n[i-1]
	n[i] /= 3
}
`,
	},
	{
		Title: "let",
		Text: `A let names a value of the iteration. Unless its type is written, it is the
widest type of its operands. A let of loop variables, parameters and integer
constants alone is int64, whatever uses it, and converts to the type of each
use, as a loop variable does: i/2*2 is an even number also
where floats are computed. (Before version 2 of the language such a let had
the type of its first use, and in floats kept the fraction.) A constant with
a fraction makes it a float, of the type of its first use.
A let is evaluated in every iteration, even if nothing uses it, or only one
side of a select does: an integer division by zero in it ends the run. To
divide only where that is possible, write the quotient into the select:
select(k[i] != 0, a[i]/k[i], 0).`,
		Example: `array a[0..99] int32 in
array s[0..99] float64 out
init s[i] = 0

for i = 1..99 {
	let rise = a[i] - a[i-1]
	let slope float64 = rise
	let odd = i - i/2*2 // the remainder, 0 or 1
	s[i] = 0.9*s[i-1] + slope*slope + 0.5*odd
}
`,
	},
	{
		Title: "var",
		Text: `var s float64 = 0 declares a variable of the iteration, of the type that is
written. Each iteration begins with the value that is written, and later
statements may assign to the variable and update it. For a sum over all
iterations, use a reduction. To hand a value to the next iteration of a
loop, use a cell of an array, or a var outside of that loop.`,
		Example: `param N, K = 200, 100
array a[0..N, 0..K] float64 in
array mean[0..N] float64 out

for i = 0..N {
	var sum1 float64 = 0
	for k = 0..K {
		var x float64 = a[i,k]
		x *= x
		sum1 += x + 1/x
	}
	mean[i] = sum1/(K + 1)
}
`,
	},
	{
		Title: "operators",
		Text: `+ - * / and the unary - and +, with Go's precedence. Integer division
truncates; by zero it stops the run, with the line and the iteration. Where
floats are computed, loop variables and parameters are floats before they
are divided, and i/2 keeps its fraction: i/2.0 says so, and float64(i/2)
truncates. A quotient of constants, as 1/2, truncates, too. loopc warns of
both. Nothing is reassociated, and a product is not fused into a sum. There
is no power, and no ++.`,
		Example: `array x[0..99] float64 inout
array n[0..99] int64 inout

for i = 1..99 {
	x[i] = -x[i-1]*(x[i] + 1)/2 - +0.5
	n[i] = n[i] - n[i]/10
}
`,
	},
	{
		Title: "bits",
		Text: `% & | ^ << >> are operators of integers, with Go's meaning and Go's
precedence: * / % & << >> bind alike, and tighter than + - | ^. In C and
Python & | ^ << >> bind less tightly than + and comparisons: brackets make
both agree. x%y has the sign of x; by zero it stops the run, as / does. A
shift is by a constant from 0 to the number of bits less one: int32 from 0
to 31; x>>k rounds down. A mask, like any number, takes the type of
the cell: int32 or int64. Each operator has its update: n[i] ^= x. In an
expression of floats, put these operators into int64(...), or into a let of
integers.`,
		Example: `array key[0..99] uint8 in
array hash[0..99] int32 inout
array even[0..99] float64 inout

for i = 1..99 {
	hash[i] = (hash[i-1]<<5 ^ hash[i-1]>>27&31) + key[i]
	hash[i] ^= (key[i] | 64)&0x7f
	hash[i] %= 1009
	hash[i] &= 511
	hash[i] |= 2
	hash[i] <<= 1
	hash[i] >>= 2
	even[i] += select(i%2 == 0, even[i-1], 0.5)
}
`,
	},
	{
		Title: "conditions",
		Text: `select(condition, a, b) is a if the condition holds, else b, and only that
is evaluated; the same goes for && and ||. A cell must be within the bounds
where it is read: comparisons of loops, parameters and integers that decide
this, joined by &&, || and !, count as its guard; comparisons of cells, and
remainders, do not. Conditions are no numbers.`,
		Example: `param N = 500
array s[0..N] float64 inout

for i = 1..N {
	let edge = select(i == 1 || i >= N - 1 && !(i > N), 1, 0)
	s[i] = select(s[i-1] < s[i] && edge != 1, s[i-1], select(s[i] <= 0, 0.5*s[i], s[i]))
	s[i] += select(i >= 5, s[i-5], 0) + select(i < N && s[i] > 1, 0.25*s[i+1], 0)
}
`,
	},
	{
		Title: "if",
		Text: `if and else choose statements. They mean what they say, and are lowered to
selects: an assignment that is not taken gives the cell its own value, so
the cell is read, and needs a value before, unless the else gives it one
too. The condition is computed once, before the block; what stands in the
block is evaluated only where it is taken, and the condition guards the
cells that are read there, as in select. A block may have loops, and a let
or var of its own.`,
		Example: `param N = 500
array s[0..N] float64 inout
array t[0..N] float64 inout

for i = 1..N {
	if s[i] > s[i-1] {
		s[i] = s[i-1]
		t[i] += 1
	} else if i == N {
		t[i] = 0
	} else {
		let x = 0.5*t[i-1]
		t[i] -= x + t[i+1]
	}
}
`,
	},
	{
		Title: "functions",
		Text: `min and max take two or more arguments, and are Go's: NaN wins, -0 is less
than 0. abs takes any type; sqrt exp log sin cos tan tanh pow floor ceil
round trunc take floats. Their results have the same bits on every
processor. Those of exp sin cos tan tanh and pow may differ from the results
of Go's math and of C, and those of log from the results of C: an extern
function can call Go's. Every NaN is as good as another. round takes halves
away from 0. pow(x, 2) is x*x; other powers are 30 times slower than a
product: for small exponents write x*x*x.`,
		Example: `param N = 500
array x[0..N] float64 inout

for i = 1..N {
	let r = sqrt(abs(x[i-1])) + exp(-x[i]*x[i]) + log(1 + abs(x[i]))
	x[i] = max(-1, min(1, r, 2*sin(r) + cos(r) - floor(r)) + tanh(x[i])*tan(0.1*r))
	x[i] += 0.001*(round(x[i]) - ceil(r) + trunc(9*x[i])) - 0.1*pow(r, -1.7)
}
`,
	},
	{
		Title: "extern",
		Text: `extern func declares a function written in Go, which must be pure: equal
arguments, equal result, and nothing else. With an import path, the function
is in that package, of the library or of your own module. Without one, it is
in the package into which the nest is compiled, in a file beside the emitted
one; loopc run and verify are given this file as --extern FILE.go.
Arguments convert like operands of an assignment. A nest that calls one has
no vector kernel.`,
		Example: `extern func hypot(x, y float64) float64 = "math".Hypot
array u[0..99] float64 inout

for i = 1..99 {
	u[i] = 0.5*hypot(u[i-1], u[i]) - 0.1*i
}
`,
	},
}
