package main

// wordsHelp is the output of loopc help words: the terms that a user meets in flags, plans
// and messages, each defined once. A title of several words defines all of them, and each
// word finds it.
var wordsHelp = []helpSection{
	{
		Title: "iteration, dependence",
		Text: `An iteration is one execution of the body: one value of every loop index.
All of them are the iteration space. A dependence is the distance from an
iteration that writes a value to a later one that reads the value (flow).
Other distances (anti, output) force nothing, for each result has a place of
its own. If loopc plan says that a dependence forces nothing more, then all
that it forces is already forced by others.`,
		Example: `     i        u[t,i] = u[t-1,i] + u[t-1,i+1]
     ^
     |  o  o  o        the iteration (t,i) = o on the right depends on
     |   \             those at the other ends of the lines:
     |  o--o           distances (1, 0) and (1, -1)
     +--------> t
`,
	},
	{
		Title: "skew",
		Text: `To skew is to replace a loop index by its sum with multiples of outer ones,
such as i + t, so that no distance has a negative entry. Then the space can
be cut into tiles that run one after another.`,
		Example: `     i               i+t
     o o o o               o o o o
     o o o o   skewed    o o o o
     o o o o           o o o o
            t                     t
`,
	},
	{
		Title: "tile, side",
		Text: `A tile is a block of iterations that runs as a unit: it waits for its input,
computes, and sends its results on. Its sides are its extent along every
loop (--tile). A tile at the end of the space may be smaller.`,
		Example: `     +------+------+---+
     | tile | tile |   |   side along i: 3
     +------+------+---+   side along j: 6, the last column 3
     | tile | tile |   |
     +------+------+---+--> j
`,
	},
	{
		Title: "level",
		Text: `A level is the iterations that share the value of the outermost (skewed)
loop, often a moment of time. A tile is computed level by level, and only
the live levels, those that later ones still read, are stored.`,
		Example: `     t = 3   . . . . . .
     t = 2   o o o o o o   being computed
     t = 1   x x x x x x   live: level 2 reads it
     t = 0                 not stored any more
`,
	},
	{
		Title: "epoch, window, state, checkpoint",
		Text: `An epoch is a part of the run: N successive levels (--epoch N). Between two
epochs only the state exists: those results of the last levels that the next
epoch reads. The part of the plan that an epoch runs is a window of levels.
A checkpoint is the state between two epochs, in files (--checkpoint,
--resume). A snapshot is the content of one array in a state (--snapshot).
A program of several nests also has a state before each run of a nest; then
--snapshot and --checkpoint-every count repetitions of outermost repeats.`,
		Example: `     --epoch 3     t = 1, 2, 3   state: level 3
                   t = 4, 5, 6   state: level 6
                   t = 7         results
`,
	},
	{
		Title: "column, map",
		Text: `The tiles along one loop, the mapping dimension (--map), form a column. They
run one after another on one CPU and keep their data there. Messages travel
only from column to column.`,
		Example: `     --map i           column 0   column 1   column 2
                        CPU 0      CPU 1      CPU 2
      i = 0..9         [ tile 0 ] [ tile 0 ] [ tile 0 ]
      i = 10..19       [ tile 1 ] [ tile 1 ] [ tile 1 ]    each after the
      i = 20..29       [ tile 2 ] [ tile 2 ] [ tile 2 ]    one above it
`,
	},
	{
		Title: "rank, CPU, worker, grid, mesh",
		Text: `A rank is a process, or a group of goroutines, with memory of its own (-n).
It has one or more CPUs (--cpus), each of which runs a worker: a thread that
computes tiles. The grid (--grid) says how many ranks there are along every
loop, and the mesh (--cpus 1x2) how many CPUs of a rank. Along the mapping
dimension both are 1.`,
		Example: `     --grid 1x2 --cpus 1x2

      rank 0             rank 1
     [ CPU 0 ][ CPU 1 ]  [ CPU 0 ][ CPU 1 ]  --> j
`,
	},
	{
		Title: "face, halo",
		Text: `A face is the cells that a tile of one column sends to a tile of another:
as many cells wide as the longest distance in that direction. The halo is
the place beside a column's own cells into which faces arrive; its cells are
ghost cells. To pack a face is to copy it into a message.`,
		Example: `     column 0            column 1
     . . . . . [F]  -->  [h] . . . . .    F  the face: last cells of 0
     . . . . . [F]  -->  [h] . . . . .    h  the halo of 1
`,
	},
	{
		Title: "step, hyperplane",
		Text: `The step of a tile is the earliest time at which it can run, if a tile takes
one unit of time. Tiles of one step are independent, and lie on a hyperplane
of the tile space. Tiles do not wait for steps, only for their data; steps
serve explanations. From the first to the last step a run fills, computes
and drains. Efficiency is the share of the CPUs' time in which they compute.`,
		Example: `     step of each tile, if messages between columns take a step
                  column 0   1   2
     tile 0              0   2   4      hyperplane of step 4:
     tile 1              1   3   5      tile 0 of column 2, tile 2
     tile 2              2   4   6      of column 1, ...
`,
	},
	{
		Title: "group, vertical, sub-tile",
		Text: `To group is to give the tiles of a step to the CPUs of one rank (--group).
hyperplane: each CPU is a step behind its neighbor. vertical: the CPUs run
tiles that lie side by side in the same step, each cut into sub-tiles
(--sub), and messages between ranks are those of whole tiles.`,
		Example: `     hyperplane             vertical, --sub 2
     CPU 0   CPU 1          CPU 0   CPU 1
     [ 0 ]                  [0a]
     [ 1 ]   [ 0 ]          [0b]    [0a]
     [ 2 ]   [ 1 ]          [1a]    [0b]
`,
	},
	{
		Title: "overlap, blocking, buffered",
		Text: `When messages travel (--comm). overlap: while the next tile is computed.
blocking: a worker receives, computes and sends, one after the other, and a
send ends when the face is in the neighbor's memory. buffered: a send ends
when the system has taken the face.`,
		Example: `     overlap    compute 0 | compute 1 | compute 2
                          | send 0    | send 1
     blocking   compute 0 | send 0 | compute 1 | send 1
`,
	},
	{
		Title: "assign, retile, cluster, cyclic, mirror, snake",
		Text: `How columns are given to ranks if there are more columns than CPUs
(--assign). retile: tiles get wider, until there is a CPU for each column.
cluster: each CPU has neighboring columns and runs a tile of each in turn.
cyclic: columns are dealt out rank by rank, and a CPU runs its columns one
after the other. mirror (a snake distribution): the same, with the order of
the ranks reversed every other time, so that fewer faces go between ranks.`,
		Example: `     8 columns, 2 ranks
     retile      0 0 0 0 1 1 1 1    two wide columns
     cluster     0 0 0 0 1 1 1 1    four columns of each
     cyclic      0 1 0 1 0 1 0 1
     mirror      0 1 1 0 0 1 1 0
`,
	},
	{
		Title: "plan, machine, shape",
		Text: `A plan is all decisions about one run: sides, map, grid, mesh, group, assign
and comm. It is made at launch, by predicted time, from the figures of a
machine: those that loopc calibrate measured (--machine), or built-in ones.
Flags decide what they name, and the planner the rest; --shape names the
criterion for the grid. loopc plan shows the plan and why it is so.`,
	},
	{
		Title: "space, box, T, H, P, D^S, H^G, P^G, Π^G, closed form",
		Text: `What loopc plan shows of the space and of its tiles, with the letters of the
papers. The box is the least one around the skewed loops: it is wider than
the loops, and the space fills a part of it. T skews: its rows are the
skewed indices. H divides them by the sides of a tile, so that the floor of
H times an iteration is its tile; P is the inverse of H. D^S are the
dependences between tiles. H^G and P^G group tiles in the same way, and
Π^G times a group is its step. A closed form is a paper's formula for the
number of steps; DIVERGENCE.md has the papers, [P2] and the others.`,
		Example: `     T = [1 0]   skewed: t and i+t     H = [1/4   0]   tiles of 4 x 8
         [1 1]                             [  0 1/8]
`,
	},
	{
		Title: "ports, latency, row stream, roof",
		Text: `What bounds the time of a kernel, as loopc plan says it. ports: the units
of the processor that execute the instructions of a point. latency: the
instructions that wait for one another, from a point to the next.
A row stream is one of several rows whose steps alternate, so that others
compute while one waits. The roof is the time that no plan can go below:
that of the operations, or of the memory that an iteration needs.`,
	},
	{
		Title: "alternative, height, width, fill, drain",
		Text: `An alternative is a plan that the planner compared with the one it chose,
and is named by what differs. height and width are sides of its tiles, along
the loop whose tiles share a CPU and along others. ~ stands before a time
that a formula gave; other times come from a simulation. fill: a CPU waits
for its first tile. drain: it has ended, and others have not.`,
	},
	{
		Title: "kernel, portable, lane",
		Text: `A kernel is the emitted code that computes a box of iterations. The portable
one is Go. Vector kernels (avx2, avx512) are assembly, and compute several
iterations at once, one in each lane of a vector: neighbors of a row, rows,
or levels. --kernel chooses one; all give the same bits. The loops of
several nests may then still run as they are written, without tiles.`,
	},
	{
		Title: "transport, message, slot",
		Text: `A transport carries faces between ranks (--transport):
` + transportList() + `.
A message is one face or several. It is packed into a slot. The slot is free
again when the neighbor has read the message.`,
	},
}
