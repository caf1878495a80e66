package main

// nestHelp is about whole nests: schedules, reductions, and files with several nests.
var nestHelp = []helpSection{
	{
		Title: "schedule",
		Text: `A schedule sets what the planner would choose otherwise. Settings have the
names of flags, and flags override them: tile, map, grid, cpus, group, sub,
assign, comm, shape; see loopc run --help. Numbers are per loop, with an x
between them; 0 or - leaves one to the planner, and so does an entry that is
left out. Each of several nests has a schedule of its own, before its for.`,
		Example: `param N = 500
array A[0..N, 0..N] float32 out
init A[i, j] = i - j

schedule {
	tile 32x-
	map j
	grid 4x1
	comm blocking
}
for i = 1..N, j = 1..N {
	A[i,j] = 0.5*A[i-1,j] + 0.25*A[i,j-1]
}
schedule {
	cpus 2
	group vertical
	sub 4
	assign cluster
	shape model
}
for i = 1..N, j = 1..N {
	A[i,j] = 0.5*A[i-1,j-1] + 0.25*A[i,j-1]
}
schedule {
	cpus 2x1
	group hyperplane
	assign cyclic
	shape communication
}
for i = 1..N, j = 1..N {
	A[i,j] = 0.5*A[i-1,j] + 0.25*A[i-1,j-1]
}
schedule {
	assign mirror
	comm overlap
	shape scheduling
}
for i = 1..N, j = 1..N {
	A[i,j] = 0.5*A[i-1,j] - 0.25*A[i-1,j-1]
}
schedule {
	assign retile
	comm buffered
}
for i = 1..N, j = 1..N {
	A[i,j] = 0.25*A[i-1,j] - 0.25*A[i,j-1]
}
`,
	},
	{
		Title: "reduce",
		Text: `reduce, before the for, makes one number of all iterations: the max, min or
sum of an expression, which is evaluated at the end of each iteration. If
the file has several nests, the reduction belongs to the one that follows. A
sum of floats is the exact sum, rounded once, and so the same for every
plan; sums of integers wrap. Without any iteration a sum is 0, and max and
min are the lowest and highest value of their type. The number is printed,
and goes to a file with --out best=FILE.npy. All vector kernels can compute
a max or min of int32, float32 or float64 that is as wide as the results.
Kernels whose lanes are levels can also compute sums of int32, and the other
kernels sums of floats. With any other reduction, a nest has only the
portable kernel. A for may do nothing but reduce: its body then is empty, or
has lets.

reduce best, bi, bj = max(e) at (i, j) tells where the max or min is, too:
bi and bj are those of the first iteration, in the order of the loops, whose
value is best. They are int64, and 0 without any iteration. A NaN counts as
the max and as the min, and -0 is less than +0.`,
		Example: `param M, N = 300, 400
array a[1..M] uint8 in
array b[1..N] uint8 in
array H[0..M, 0..N] int32
init H[i, j] = 0
reduce best, bi, bj = max(H[i,j]) at (i, j)
reduce cells = sum(select(H[i,j] > 0, 1, 0))
reduce worst = min(s)

for i = 1..M, j = 1..N {
	let s = select(a[i] == b[j], 5, -4)
	H[i,j] = max(0, H[i-1,j-1] + s, H[i-1,j] - 7, H[i,j-1] - 7)
}
`,
	},
	{
		Title: "nests",
		Text: `A file may hold several nests, which run one after another on the same
arrays. Each nest has its own loops and lets, and the reductions declared
before it. The bodies of later nests read the result of a reduction as a
number: that of the last run of its nest or, if the nest has not run, that
of no iterations. An array that several nests use keeps its content between
them. Each cell stays on the rank that has computed it; the cells that the
next nest needs go straight from rank to rank, and nothing is gathered. The
array's init comes first; without init, each cell must be written before it
is read. Of an array that only one nest uses, only those cells are kept that
the nest still needs. Every nest is planned by itself: --tile and --grid are
for the nests that have as many loops as there are sides, --map is for nests
with a loop of that name, and a schedule block is for the nest behind it.`,
		Example: `param N = 400
array u[0..N, 0..N] float64 inout
array f[0..N, 0..N] float64

reduce most = max(abs(u[i,j]))
for i = 0..N, j = 0..N {
	f[i,j] = 0.5*u[i,j]
}
for i = 1..N, j = 0..N { // along columns
	u[i,j] = f[i,j] + 0.25*u[i-1,j]
}
for i = 0..N, j = 1..N { // along rows
	u[i,j] = f[i,j]/most + 0.25*u[i,j-1]
}
`,
	},
	{
		Title: "repeat",
		Text: `repeat runs the nests in its block for one number after another, downward
with step -1; bounds are affine in parameters and in the numbers of repeats
around it. In the nests, the number is a parameter that has another value in
each run: it may stand in their bodies, subscripts and bounds, and
subscripts must be within the bounds for every number. With until, the
repeat ends after the first repetition for which a comparison by <, <=, >
or >= holds. It compares expressions of constants, parameters, reductions
of the nests in the block and, beside these, of nests before the repeat.`,
		Example: `param T, N = 1000, 200
param eps float64 = 1e-4
array u[0..N+1, 0..N+1] float64 inout
array old[0..N+1, 0..N+1] float64
init old[i, j] = 0

repeat t = 1..T until change < eps*scale {
	for i = 0..N+1, j = 0..N+1 {
		old[i,j] = u[i,j]
	}
	reduce change = max(abs(u[i,j] - old[i,j]))
	reduce scale = max(abs(u[i,j]))
	for i = 1..N, j = 1..N {
		u[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1]) + 0.001/t
	}
}
repeat k = N..1 step -1 { // row k is added to those above it
	for i = 0..k-1, j = 0..N+1 {
		u[i,j] = u[i,j] + u[k,j]/k
	}
}
`,
	},
	{
		Title: "batch",
		Text: `batch is a repeat whose repetitions, the items, do not depend on one
another: each array that its nests write has the number of the batch as one
subscript, and they read it there, too. After the range come parameters of
an item, such as its length: the cell of a given array of integers whose
subscript is the number. At launch, each item's parameters are checked:
every subscript must be within its bounds. A loop from 1 to 0 has no
iterations. A loop over sweeps, whose variable is in no subscript, becomes a
repeat. CPUs and ranks share the items and run their loops as they are
written; ranks in several processes do so only if no nest behind the batch
reads its results. If only nests of the batch use an internal array, a CPU
stores the cells of one item.`,
		Example: `param B, MM, NN = 100, 150, 300 // pairs of sequences, and the greatest lengths
array len[1..B] int32 in
array size[1..B] int32 in
array p[1..B, 1..MM] uint8 in
array q[1..B, 1..NN] uint8 in
array H[1..B, 0..MM, 0..NN] int32
array score[1..B] int32 out
array sum[1..B, 0..MM] float64 inout
init H[b, i, j] = 0

batch b = 1..B, M = len[b], N = size[b] {
	reduce best = max(H[b,i,j])
	for i = 1..M, j = 1..N {
		let d = H[b,i-1,j-1] + select(p[b,i] == q[b,j], 2, -1)
		H[b,i,j] = max(0, d, H[b,i-1,j] - 1, H[b,i,j-1] - 1)
	}
	for k = 1..1 {
		score[b] = best
	}
}
batch b = 1..B, M = len[b] {
	for i = 1..M {
		sum[b,i] = sum[b,i] + sum[b,i-1]
	}
}
`,
	},
}
