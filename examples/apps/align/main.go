// Align finds the best local alignment of two DNA sequences, by Smith and Waterman's
// algorithm with affine gaps, and prints its score and where it ends:
//
//	align [-match 5] [-miss -4] [-open 14] [-extend 6] [-ranks N] A.fasta B.fasta
//	align -make SEED [-length N] A.fasta B.fasta
//
// The second form makes two related sequences, as evolution would.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
)

//go:generate loopc compile align.loop

func main() {
	log.SetFlags(0)
	log.SetPrefix("align: ")
	p := DefaultAlignParams()
	flag.IntVar(&p.Match, "match", p.Match, "score of two equal letters")
	flag.IntVar(&p.Miss, "miss", p.Miss, "score of two different letters")
	flag.IntVar(&p.Open, "open", p.Open, "cost of the first letter of a gap")
	flag.IntVar(&p.Extend, "extend", p.Extend, "cost of every further letter of a gap")
	ranks := flag.Int("ranks", 1, "ranks that share the work")
	seed := flag.Uint64("make", 0, "make two sequences, from this seed")
	length := flag.Int("length", 1500, "letters of what is made")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: align [flags] A.fasta B.fasta")
	}
	var err error
	if *seed != 0 {
		err = makeFiles(*seed, *length, flag.Arg(0), flag.Arg(1))
	} else {
		err = run(flag.Arg(0), flag.Arg(1), p, *ranks)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run aligns the first sequences of two files.
func run(first, second string, p AlignParams, ranks int) error {
	a, err := readFASTA(first)
	if err != nil {
		return err
	}
	b, err := readFASTA(second)
	if err != nil {
		return err
	}
	end, err := align(context.Background(), a.letters, b.letters, p, ranks)
	if err != nil {
		return err
	}
	if end.score == 0 {
		fmt.Println("score 0: nothing in common")
		return nil
	}
	fmt.Printf("score %d, ends at %s:%d and %s:%d\n", end.score, a.name, end.i, b.name, end.j)
	return nil
}

// An ending is the end of an alignment.
type ending struct {
	score int
	i, j  int // of its last letters, counted from 1
}

// align returns the end of the best alignment of a and b; of several, the first one by i and
// then j. It sets p.M and p.N.
func align(ctx context.Context, a, b []byte, p AlignParams, ranks int) (ending, error) {
	if len(a) == 0 || len(b) == 0 {
		return ending{}, nil
	}
	p.M, p.N = len(a), len(b)
	var o AlignOptions
	o.Ranks = ranks
	arrays := &AlignArrays{A: a, B: b}
	if _, err := RunAlign(ctx, p, arrays, o); err != nil {
		return ending{}, err
	}
	// Best is score·(M+1)·(N+1) - place, with place < (M+1)·(N+1).
	cells := int64(p.M+1) * int64(p.N+1)
	score := (arrays.Best + cells - 1) / cells
	place := score*cells - arrays.Best
	return ending{int(score), int(place / int64(p.N+1)), int(place % int64(p.N+1))}, nil
}

// A sequence is one record of a FASTA file.
type sequence struct {
	name    string
	letters []byte // in upper case
}

// readFASTA returns the first record of a file.
func readFASTA(name string) (sequence, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return sequence{}, err
	}
	var s sequence
	for n, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || line[0] == ';':
		case line[0] == '>' && s.name != "":
			return s, nil
		case line[0] == '>':
			s.name = string(append(bytes.Fields(line[1:]), []byte("nameless"))[0])
		case s.name == "":
			return sequence{}, fmt.Errorf("%s:%d: a FASTA file begins with >", name, n+1)
		default:
			s.letters = append(s.letters, bytes.ToUpper(line)...)
		}
	}
	if s.name == "" {
		return sequence{}, fmt.Errorf("%s: no sequence", name)
	}
	return s, nil
}
