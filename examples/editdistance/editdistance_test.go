package editdistance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"loopc/examples/exampletest"
)

// plain is the nest as one would write it in Go: the distances of a from all
// beginnings of b.
func plain(a, b []byte) []int32 {
	row := make([]int32, len(b)+1)
	for j := range row {
		row[j] = int32(j)
	}
	for i := range a {
		diagonal := row[0]
		row[0] = int32(i + 1)
		for j := range b {
			change := int32(1)
			if a[i] == b[j] {
				change = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+change)
		}
	}
	return row
}

// furthest is the distance of a from b by another road [ukkonen85]: reach[k] is
// how much of a can be turned, with e edits, into as much of b and k letters
// more. It grows with e, and free steps along equal letters are taken at once.
//
// References:
//
//	[ukkonen85]  Esko Ukkonen. Algorithms for approximate string matching.
//	             Information and Control, 1985.
func furthest(a, b []byte) int {
	reach := map[int]int{}
	for e := 0; ; e++ {
		next := map[int]int{}
		for k := -e; k <= e; k++ {
			x := 0
			if e > 0 {
				x = -1
			}
			if r, ok := reach[k]; ok {
				x = max(x, r+1) // change a letter
			}
			if r, ok := reach[k+1]; ok {
				x = max(x, r+1) // drop a letter of a
			}
			if r, ok := reach[k-1]; ok {
				x = max(x, r) // insert a letter of b
			}
			x = min(x, len(a), len(b)-k)
			if x < 0 || x+k < 0 {
				continue
			}
			for x < len(a) && x+k < len(b) && a[x] == b[x+k] {
				x++
			}
			next[k] = x
		}
		if x, ok := next[len(b)-len(a)]; ok && x == len(a) {
			return e
		}
		reach = next
	}
}

// distances runs the example on two texts.
func distances(l *exampletest.Loopc, a, b []byte, flags []string) []int32 {
	exampletest.Write(l, "a.npy", []int{len(a)}, a)
	exampletest.Write(l, "b.npy", []int{len(b)}, b)
	l.Run("editdistance/editdistance.loop", append(flags, "-p", fmt.Sprintf("M=%d,N=%d", len(a), len(b)), "--in", "a=a.npy,b=b.npy", "--out", "D=D.npy")...)
	return exampletest.Read[int32](l, "D.npy", len(b)+1)
}

// read returns the bytes of a file.
func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestEditDistance compares with the plain loops and with another algorithm, on
// two copies of the Gettysburg Address and on words whose distance is known.
func TestEditDistance(t *testing.T) {
	l := exampletest.New(t)
	bliss, hay := read(t, "bliss.txt"), read(t, "hay.txt")
	want := plain(bliss, hay)
	for _, flags := range exampletest.Plans() {
		got := distances(l, bliss, hay, flags)
		exampletest.SameBits(l, "D", []int{len(hay) + 1}, got, want)
		if d := got[len(hay)]; int(d) != furthest(bliss, hay) {
			t.Errorf("the distance of the texts is %d, want %d", d, furthest(bliss, hay))
		}
	}
	back := distances(l, hay, bliss, exampletest.Plans()[0])
	if back[len(bliss)] != want[len(hay)] {
		t.Errorf("the distance is %d one way, %d the other", want[len(hay)], back[len(bliss)])
	}
	for _, c := range []struct {
		a, b     string
		distance int32
	}{
		{"kitten", "sitting", 3}, {"intention", "execution", 5}, {"saturday", "sunday", 3},
		{"gumbo", "gambol", 2}, {"same", "same", 0}, {"abc", "xyz", 3}, {"a", "banana", 5},
	} {
		got := distances(l, []byte(c.a), []byte(c.b), exampletest.Plans()[1])
		if d := got[len(c.b)]; d != c.distance {
			t.Errorf("the distance of %s and %s is %d, want %d", c.a, c.b, d, c.distance)
		}
	}
	l.Readme()
}

// TestFurthest checks the two references against one another.
func TestFurthest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	word := func() []byte {
		w := make([]byte, rng.IntN(12))
		for k := range w {
			w[k] = "abc"[rng.IntN(3)]
		}
		return w
	}
	for range 2000 {
		a, b := word(), word()
		if p, f := plain(a, b)[len(b)], furthest(a, b); int(p) != f {
			t.Fatalf("the distance of %q and %q is %d or %d", a, b, p, f)
		}
	}
}
