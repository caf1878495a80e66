package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// fake returns a contender with the checksum, whose runs take the given times per iteration, in ns, one time after the other.
func fake(name, sum string, plain, strict bool, ns ...float64) *contender {
	turn := 0
	return &contender{name: name, plain: plain, strict: strict, run: func(_ context.Context, check bool) (sample, error) {
		s := sample{Seconds: ns[turn%len(ns)] * 1e-9 * 1000, Points: 1000}
		if check {
			s.Checksum = sum
		} else {
			turn++
		}
		return s, nil
	}}
}

// race runs a contest of fakes.
func race(t *testing.T, loopc *contender, pairs int, peers ...*contender) (Row, error) {
	t.Helper()
	c := &contest{loopc: loopc, reference: fake("reference", "aa", true, true, 1), peers: peers, pairs: pairs}
	row := Row{Nest: "nest", Params: "N=1"}
	if err := c.run(t.Context(), &row); err != nil {
		return row, err
	}
	return row, row.wrong(peers)
}

func near(x, y float64) bool { return x > y*(1-1e-9) && x < y*(1+1e-9) }

func TestContest(t *testing.T) {
	row, err := race(t, fake("loopc", "aa", false, true, 2), 9,
		fake("gcc plain", "bb", true, false, 8), // fused: other bits are as they should be
		fake("gcc plain, strict", "aa", true, true, 12),
		fake("gcc tiled", "bb", false, false, 6),
		fake("gcc tiled, strict", "aa", false, true, 7))
	if err != nil {
		t.Fatal(err)
	}
	if row.BestPeer != "gcc tiled" || !near(row.PeerNsPerPoint, 6) || !near(row.Ratio, 3) || !near(row.RatioLow, 3) || !near(row.RatioHigh, 3) {
		t.Errorf("the best peer is %+v", row)
	}
	if row.BestPlain != "gcc plain" || !near(row.PlainRatio, 4) || !near(row.NsPerPoint, 2) || !row.SameBits || row.Pairs != 9 {
		t.Errorf("the best plain loop is %+v", row)
	}
	paired := ""
	for _, p := range row.Peers {
		if p.Paired {
			paired += p.Name + ";"
		}
		if same := strings.HasSuffix(p.Name, "strict"); p.SameBits != same {
			t.Errorf("%s has the bits of the strict loops: %t", p.Name, p.SameBits)
		}
	}
	if want := "gcc plain;gcc plain, strict;gcc tiled;"; paired != want {
		t.Errorf("run in pairs: %s, want %s", paired, want)
	}
}

// TestContestPairs: ratios are taken within pairs, so a machine that is slow for a while must not
// widen the interval.
func TestContestPairs(t *testing.T) {
	loopc := fake("loopc", "aa", false, true, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2)
	row, err := race(t, loopc, 10, fake("gcc plain, strict", "aa", true, true, 3, 6, 3, 6, 3, 6, 3, 6, 3, 6))
	if err != nil {
		t.Fatal(err)
	}
	if !near(row.RatioLow, 3) || !near(row.RatioHigh, 3) {
		t.Errorf("the interval is %g to %g, want 3 to 3", row.RatioLow, row.RatioHigh)
	}
}

// TestContestWrongBits plants a wrong bit in each contender whose bits are checked.
func TestContestWrongBits(t *testing.T) {
	_, err := race(t, fake("loopc", "ab", false, true, 2), 6, fake("gcc plain, strict", "aa", true, true, 8))
	if err == nil || !strings.Contains(err.Error(), "loopc differs") {
		t.Errorf("a wrong bit of loopc is reported as %v", err)
	}
	row, err := race(t, fake("loopc", "aa", false, true, 2), 6,
		fake("gcc plain, strict", "aa", true, true, 8), fake("clang tiled, strict", "ab", false, true, 1))
	if err == nil || !strings.Contains(err.Error(), "clang tiled, strict differs") {
		t.Errorf("a wrong bit of a strict peer is reported as %v", err)
	}
	if row.BestPeer != "gcc plain, strict" {
		t.Errorf("the best peer is %s, whose bits are wrong", row.BestPeer)
	}
	if _, err = race(t, fake("loopc", "aa", false, true, 2), 6, fake("clang tiled, strict", "ab", false, true, 1)); err == nil {
		t.Error("a contest without a right peer has a result")
	}
}

// TestContestFails checks that a program that fails ends the contest.
func TestContestFails(t *testing.T) {
	bad := errors.New("no such variant")
	peer := &contender{name: "gcc plain, strict", strict: true, plain: true, run: func(context.Context, bool) (sample, error) { return sample{}, bad }}
	if _, err := race(t, fake("loopc", "aa", false, true, 2), 6, peer); !errors.Is(err, bad) {
		t.Errorf("the error is %v, want %v", err, bad)
	}
}
