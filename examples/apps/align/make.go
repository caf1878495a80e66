package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// makeFiles writes two sequences with a common stretch between unrelated ends. In the second
// one, one letter in ten of the stretch is changed, and sometimes a few letters are lost or
// inserted.
func makeFiles(seed uint64, length int, first, second string) error {
	a, b := related(rand.New(rand.NewPCG(seed, 1)), length)
	if err := writeFASTA(first, "ancestor", a); err != nil {
		return err
	}
	return writeFASTA(second, "descendant", b)
}

// letters returns n random bases.
func letters(rng *rand.Rand, n int) []byte {
	s := make([]byte, n)
	for k := range s {
		s[k] = "ACGT"[rng.IntN(4)]
	}
	return s
}

// related returns a sequence and a descendant of its middle half.
func related(rng *rand.Rand, length int) (a, b []byte) {
	a = letters(rng, length)
	b = letters(rng, length/5)
	for _, x := range a[length/4 : length*3/4] {
		switch n := rng.IntN(200); {
		case n < 20:
			x = "ACGT"[rng.IntN(4)]
		case n == 20: // inserted
			b = append(b, letters(rng, 1+rng.IntN(6))...)
		case n == 21: // lost, together with up to five before it
			b = b[:max(0, len(b)-rng.IntN(6))]
			continue
		}
		b = append(b, x)
	}
	return a, append(b, letters(rng, length/5)...)
}

// writeFASTA writes one record, 70 letters a line.
func writeFASTA(name, title string, s []byte) error {
	var text strings.Builder
	fmt.Fprintf(&text, ">%s %d bases, made up\n", title, len(s))
	for len(s) > 0 {
		n := min(70, len(s))
		fmt.Fprintf(&text, "%s\n", s[:n])
		s = s[n:]
	}
	return os.WriteFile(name, []byte(text.String()), 0o666)
}
