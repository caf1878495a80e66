package triangle

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"loopc/examples/exampletest"
)

// brute is the length of the longest palindromic subsequence of text by its
// definition: it tries all subsequences.
func brute(text []byte) int {
	most := 0
	for chosen := range uint64(1) << len(text) {
		if bits.OnesCount64(chosen) <= most {
			continue
		}
		var sub []byte
		for k, c := range text {
			if chosen>>k&1 == 1 {
				sub = append(sub, c)
			}
		}
		palindrome := true
		for k := range len(sub) / 2 {
			palindrome = palindrome && sub[k] == sub[len(sub)-1-k]
		}
		if palindrome {
			most = len(sub)
		}
	}
	return most
}

// common returns the length of the longest palindromic subsequence of text, found in another way. The
// longest common subsequence of the text and its reverse is as long, and takes a square, not a triangle.
func common(text []byte) int {
	n := len(text)
	row := make([]int, n+1)
	for i := range n {
		diagonal := 0
		for j := range n {
			above := row[j+1]
			if text[i] == text[n-1-j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[n]
}

// longest runs the example on a text of two letters at least and returns the
// cell of the last row that is computed.
func longest(t *testing.T, l *exampletest.Loopc, text []byte, flags []string) int {
	t.Helper()
	n := len(text)
	exampletest.Write(l, "text.npy", []int{n}, text)
	l.Run("triangle/triangle.loop", append(flags, "-p", fmt.Sprintf("N=%d", n), "--in", "text=text.npy", "--out", "L=L.npy")...)
	last := exampletest.Read[int32](l, "L.npy", n+2)
	for i, x := range last {
		if i != 1 && x != int32(n) {
			t.Errorf("L[%d, %d] is %d, but nothing writes it after init", n, i, x)
		}
	}
	return int(last[1])
}

// TestTriangle compares with all subsequences of short texts, with another
// algorithm for a long one, and with texts whose answer is known.
func TestTriangle(t *testing.T) {
	l := exampletest.New(t)
	rng := rand.New(rand.NewPCG(9, 10))
	for n := range 6 {
		text := make([]byte, 2+2*n+rng.IntN(2))
		for k := range text {
			text[k] = "abcd"[rng.IntN(4)]
		}
		got := longest(t, l, text, exampletest.Plans()[n%2])
		if want := brute(text); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
	for _, c := range []struct {
		text   string
		length int
	}{
		{"sator arepo tenet opera rotas", 29}, {"character", 5}, {"bbbab", 4}, {"agbdba", 5}, {"abcdefgh", 1},
	} {
		if got := longest(t, l, []byte(c.text), exampletest.Plans()[0]); got != c.length {
			t.Errorf("%s: got %d, want %d", c.text, got, c.length)
		}
	}
	text, err := os.ReadFile("../editdistance/bliss.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range exampletest.Plans() {
		if got, want := longest(t, l, text, flags), common(text); got != want {
			t.Errorf("the long text: got %d, want %d", got, want)
		}
	}
	l.Readme()
}

// TestCommon checks the two references against one another.
func TestCommon(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		text := make([]byte, rng.IntN(11))
		for k := range text {
			text[k] = "abc"[rng.IntN(3)]
		}
		if b, c := brute(text), common(text); b != c {
			t.Fatalf("%q: %d or %d", text, b, c)
		}
	}
}
