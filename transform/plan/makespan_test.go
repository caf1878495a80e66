package plan

import (
	"math/rand/v2"
	"testing"
)

// stepsWalked is Steps, column by column.
func stepsWalked(p *Plan) int {
	n := len(p.Tiles)
	col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
	least, most := unbounded, -1
	for c := range p.Columns() {
		p.ColumnAt(c, col)
		if first, last := p.Active(col, lo, hi); first <= last {
			least, most = min(least, p.StepOf(col, first)), max(most, p.StepOf(col, last))
		}
	}
	return max(0, most-least+1)
}

// volumeWalked is Volume, tile by tile.
func volumeWalked(p *Plan) (messages, bytes int64) {
	for _, e := range p.Edges() {
		s, ok := p.Stream(&e)
		if !ok || !e.Remote() {
			continue
		}
		for k := s.first; k <= s.last; k++ {
			f := s.Face(k)
			bytes += int64(f.Bytes)
			messages += int64(b2i(f.Ends))
		}
	}
	return messages, bytes
}

// TestStepsAndVolume compares both with those that are found column by column and tile by
// tile, for random plans.
func TestStepsAndVolume(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 4))
	boxes, oblique := 0, 0
	for plans := 0; plans < 20000; {
		s := randomNest(rng)
		p, err := New(s.nest, s.params, randomOptions(rng, s.nest))
		if err != nil || p.Empty {
			continue
		}
		plans++
		if got, want := p.Steps(), stepsWalked(p); got != want {
			t.Fatalf("%d steps, want %d\n%s", got, want, p)
		}
		wantMessages, wantBytes := volumeWalked(p)
		messages, bytes, exact := p.Volume()
		if !exact || messages != wantMessages || bytes != wantBytes {
			t.Fatalf("%d messages and %d bytes (exact: %v), want %d and %d\n%s", messages, bytes, exact, wantMessages, wantBytes, p)
		}
		if bytes > 0 && p.Space.BoxInside(p.Lo, p.Hi) {
			boxes++
		} else if bytes > 0 {
			oblique++
		}
	}
	if boxes < 500 || oblique < 500 {
		t.Errorf("%d boxes and %d other spaces have messages: too few to tell anything", boxes, oblique)
	}
}
