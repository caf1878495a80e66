package vector

import (
	"go/constant"
	"math/rand/v2"
	"testing"

	"loopc/ir"
)

// TestChoices checks the choices of random constant arrays by their definition, at every position.
func TestChoices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	equals := 0
	for range 2000 {
		a := &ir.ConstArray{Lo: []int{0}, Hi: []int{rng.IntN(20)}}
		for range a.Hi[0] + 1 {
			a.Values = append(a.Values, constant.MakeInt64(rng.Int64N(1+rng.Int64N(4))))
		}
		otherwise, all, equal := choicesOf(a)
		if equal {
			equals++
		}
		for k, want := range a.Values {
			got := otherwise
			for _, c := range all {
				if equal && k == c.at || !equal && k >= c.at {
					got = c.value
				}
			}
			if got.ExactString() != want.ExactString() {
				t.Fatalf("value %d of %v is %v by %v else %v, equal %t", k, a.Values, got, all, otherwise, equal)
			}
		}
	}
	if equals < 200 || equals > 1800 {
		t.Errorf("%d of 2000 arrays compare with ==", equals)
	}
}
