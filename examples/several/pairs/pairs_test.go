package pairs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/examples/exampletest"
)

// plain is the score of the best local alignment of two sequences, as one would write it in Go.
func plain(p, q []uint8, table []int32) (best int32) {
	row := make([]int32, len(q)+1)
	for _, a := range p {
		diagonal := int32(0)
		for j, b := range q {
			diagonal, row[j+1] = row[j+1], max(0, diagonal+table[int(a)*24+int(b)], row[j+1]-4, row[j]-4)
			best = max(best, row[j+1])
		}
	}
	return best
}

// TestPairs compares with the plain loops, for pairs of different lengths.
func TestPairs(t *testing.T) {
	const pairs, most = 12, 30
	l, rng := exampletest.New(t), rand.New(rand.NewPCG(1, 2))
	letters := func() []uint8 {
		all := make([]uint8, pairs*most)
		for k := range all {
			all[k] = uint8(rng.IntN(24))
		}
		return all
	}
	p, q, table := letters(), letters(), make([]int32, 24*24)
	for k := range table {
		table[k] = int32(rng.IntN(16) - 5)
	}
	length, size, want := make([]int32, pairs), make([]int32, pairs), make([]int32, pairs)
	for b := range pairs {
		m, n := 1+rng.IntN(most), 1+rng.IntN(most)
		length[b], size[b] = int32(m), int32(n)
		want[b] = plain(p[b*most:][:m], q[b*most:][:n], table)
	}
	exampletest.Write(l, "len.npy", []int{pairs}, length)
	exampletest.Write(l, "size.npy", []int{pairs}, size)
	exampletest.Write(l, "p.npy", []int{pairs, most}, p)
	exampletest.Write(l, "q.npy", []int{pairs, most}, q)
	exampletest.Write(l, "table.npy", []int{24, 24}, table)
	for _, flags := range append(exampletest.Plans()[:2], nil) {
		l.Run("several/pairs/pairs.loop", append(flags, "-p", fmt.Sprintf("B=%d,MM=%d,NN=%d", pairs, most, most), "--in", "len=len.npy,size=size.npy,p=p.npy,q=q.npy,table=table.npy", "--out", "score=score.npy")...)
		exampletest.SameBits(l, "score", []int{pairs}, exampletest.Read[int32](l, "score.npy", pairs), want)
	}
	l.Readme()
}
