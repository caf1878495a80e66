package walk

// Between CPUs of a rank, a tile reads a face while the neighbor still packs it: it follows the neighbor's tile as soon as the first cells
// are there. Package halo does this row by row. The cost model divides a tile into equal portions; the neighbor's tile begins when the
// first portion is done.

// A tile that has to wait waits for some more rows than it needs: otherwise it would wait again for every row, which costs both tiles time.
const (
	SlackInFace = 256 // of a face: 1/SlackInFace of its rows
	slackSlab   = 32  // of a slab: 1/slackSlab of the rows of a level,
	slackLeast  = 8   // but at least slackLeast rows
)

// SlackInSlab is how many more rows a tile waits for when it waits for rows of a slab whose levels have the given number of rows.
func SlackInSlab(rows int) int { return max(slackLeast, rows/slackSlab) }
