package cli

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// verify runs prog with --verify and hooks, and returns its output.
func verify(t *testing.T, prog *sched.Program, h hooks, args ...string) (stdout string, err error) {
	t.Helper()
	s, err := parse(prog, append([]string{"--verify"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	c := &command{planned: planned{prog: prog}, settings: s, stdout: &out, stderr: &errs, hooks: h}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	err = c.run(ctx)
	return out.String(), err
}

// TestVerify verifies emitted programs, with fewer plans than .ci/run does, which runs loopc verify; but
// with all of them under the race detector.
func TestVerify(t *testing.T) {
	for name, params := range map[string]string{
		"adi": "", "diffusion": "", "seidel": "", "pipeline": "",
		"editdistance": "M=57,N=33", "triangle": "N=23",
	} {
		args := []string{"--seed", "5"}
		if !race {
			args = append(args, "--plans", "12")
		}
		if params != "" {
			args = append(args, "-p", params)
		}
		out, err := verify(t, programs[name], hooks{}, args...)
		if want := regexp.MustCompile(`^` + name + `: verified [0-9]+ plans( and the loops as they are written \([0-9]+ runs\))? in .* s: every result equals the sequential loops\n$`); err != nil || !want.MatchString(out) {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}

// TestVerifyFinds plants a fault at a time and requires that verify names the
// first cell that differs, its tile, and flags that can be typed.
func TestVerifyFinds(t *testing.T) {
	flags := regexp.MustCompile(`(?m)^    pipeline (-n \d+ .* --check)$`)
	last := hooks{results: func(plans []*plan.Plan, fields kernel.Fields) {
		if plans[0].Ranks == 3 {
			fields.Result[0].Data[len(fields.Result[0].Data)-1] ^= 1 // a bit of one cell
		}
	}}
	_, err := verify(t, programs["pipeline"], last, "-p", "X=6,Y=7,Z=40")
	if err == nil {
		t.Fatal("a changed bit went unnoticed")
	}
	text := err.Error()
	if !strings.Contains(text, "A[6, 7, 40] is") || !regexp.MustCompile(`; tile \(\d+, \d+, \d+\) of rank \d, CPU \d, writes it`).MatchString(text) {
		t.Errorf("the failure does not say where:\n%s", text)
	}
	typed := flags.FindStringSubmatch(text)
	if typed == nil {
		t.Fatalf("the failure has no flags:\n%s", text)
	}
	if !strings.Contains(typed[1], "-n 3 ") {
		t.Errorf("flags %q, want 3 ranks", typed[1])
	}
	// The flags do the same run.
	run(t, "pipeline", t.TempDir(), strings.Fields(typed[1])...).expect(t, 0, "equals the sequential loops")
	portable := regexp.MustCompile(` --kernel \S+`).ReplaceAllString(typed[1], "") // that is the only one of this program
	run(t, "wrong", t.TempDir(), strings.Fields(portable)...).expect(t, 1, `A\[2, 1, 3\] is`)
}

// TestVerifyFindsShortFaces loses the last cell of every face on its way.
func TestVerifyFindsShortFaces(t *testing.T) {
	short := hooks{mesh: func(all []transport.Transport) []transport.Transport {
		for k := range all {
			all[k] = shortTransport{all[k]}
		}
		return all
	}}
	_, err := verify(t, programs["pipeline"], short, "-p", "X=6,Y=7,Z=40", "--plans", "12")
	if err == nil || !strings.Contains(err.Error(), "but the sequential loops give") {
		t.Errorf("faces that are a cell short give %v", err)
	}
}

type shortTransport struct{ transport.Transport }

func (s shortTransport) OpenSend(e transport.Edge) (transport.SendEdge, error) {
	edge, err := s.Transport.OpenSend(e)
	return &shortEdge{SendEdge: edge}, err
}

type shortEdge struct {
	transport.SendEdge
	slot []byte
}

func (s *shortEdge) Acquire(ctx context.Context) ([]byte, error) {
	slot, err := s.SendEdge.Acquire(ctx)
	s.slot = slot
	return slot, err
}

func (s *shortEdge) Post(n int) error {
	if n >= 4 {
		clear(s.slot[n-4 : n])
	}
	return s.SendEdge.Post(n)
}

// TestVerifyFindsExtraCredits gives back every slot twice, and opens edges with a
// slot more on one side.
func TestVerifyFindsExtraCredits(t *testing.T) {
	for _, c := range []struct {
		name string
		mesh greedyTransport
		want string
	}{
		{"released twice", greedyTransport{releases: 2}, "released a face that has not arrived"},
		{"a slot more", greedyTransport{releases: 1, slots: 1}, "another capacity or number of slots"},
	} {
		extra := hooks{mesh: func(all []transport.Transport) []transport.Transport {
			for k := range all {
				g := c.mesh
				g.Transport = all[k]
				all[k] = g
			}
			return all
		}}
		_, err := verify(t, programs["pipeline"], extra, "-p", "X=6,Y=7,Z=40", "--plans", "12")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: verify says %v, want %q", c.name, err, c.want)
		}
	}
}

// A greedyTransport takes more credits than there are.
type greedyTransport struct {
	transport.Transport
	releases int // per face
	slots    int // more than the receiver has
}

func (g greedyTransport) OpenSend(e transport.Edge) (transport.SendEdge, error) {
	e.Slots += g.slots
	return g.Transport.OpenSend(e)
}

func (g greedyTransport) OpenRecv(e transport.Edge) (transport.RecvEdge, error) {
	edge, err := g.Transport.OpenRecv(e)
	return &greedyEdge{RecvEdge: edge, releases: g.releases}, err
}

type greedyEdge struct {
	transport.RecvEdge
	releases int
}

func (g *greedyEdge) Release() error {
	for range g.releases {
		if err := g.RecvEdge.Release(); err != nil {
			return err
		}
	}
	return nil
}

// TestVerifyFindsDroppedDependences removes one flow distance at a time from a planned nest. verify
// must find the wrong results.
func TestVerifyFindsDroppedDependences(t *testing.T) {
	whole := programs["pipeline"]
	for k, d := range whole.Nest.Values[0].Flow {
		nest := *whole.Nest
		nest.Values = slices.Clone(nest.Values)
		val := &nest.Values[0]
		val.Flow = slices.Delete(slices.Clone(val.Flow), k, k+1)
		val.Need = slices.DeleteFunc(slices.Clone(val.Need), func(o []int) bool { return slices.Equal(o, d) })
		prog := &sched.Program{Nest: &nest, Kernel: whole.Kernel, Sequential: whole.Sequential}
		if _, err := verify(t, prog, hooks{}, "-p", "X=6,Y=7,Z=40", "--plans", "20"); err == nil {
			t.Errorf("nobody misses distance %v", d)
		}
	}
}

// TestVerifyDivides verifies a nest that divides by zero, as its sequential loops
// do: in every plan, which verifies nothing, or in every other one.
func TestVerifyDivides(t *testing.T) {
	whole := programs["pipeline"]
	zero := &arith.Error{What: "integer division by zero", At: "z.loop:4", Loops: "i", Iteration: []int{1}}
	for _, c := range []struct {
		period      int // of trials that divide by zero
		out, failed string
	}{
		{1, `^$`, `^the sequential loops fail with every plan tried: z.loop:4: integer division by zero at i = 1; the content of arrays is random: a run with --in and --check has yours$`},
		{2, `^pipeline: verified 12 plans.* in .* s: every result equals the sequential loops; 6 of them end in the same integer division by zero, as the sequential loops do\n$`, `^<nil>$`},
	} {
		trials := 0 // one after the other; each begins with the sequential loops
		prog := faulty(whole, func(int, int) {
			if trials%c.period == 0 {
				panic(zero)
			}
		})
		prog.Sequential = func(params []int, fields kernel.Fields) error {
			if trials++; trials%c.period == 0 {
				panic(zero)
			}
			return whole.Sequential(params, fields)
		}
		out, err := verify(t, prog, hooks{}, "-p", "X=6,Y=7,Z=40", "--plans", "12")
		if !regexp.MustCompile(c.out).MatchString(out) || !regexp.MustCompile(c.failed).MatchString(fmt.Sprint(err)) {
			t.Errorf("every trial of %d divides by zero: %q, %v", c.period, out, err)
		}
	}
}

// TestVerifyInterrupted ends a verification by its context.
func TestVerifyInterrupted(t *testing.T) {
	prog := programs["slow"]
	s, err := parse(prog, []string{"--verify"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(launch.ErrInterrupted) })
	c := &command{planned: planned{prog: prog}, settings: s, stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}
	began := time.Now()
	if err := c.run(ctx); err != launch.ErrInterrupted || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// TestMatrix checks which values of options, and which pairs of values, the trials of verify cover,
// that each trial can be planned, and that equal seeds give equal trials.
func TestMatrix(t *testing.T) {
	for _, name := range []string{"diffusion", "pipeline", "adi"} {
		nest := programs[name].Nest
		matrix := func(seed string) []trial {
			s, err := parse(&sched.Program{Nest: nest}, []string{"--verify", "--seed", seed})
			if err != nil {
				t.Fatal(err)
			}
			c := &command{planned: planned{prog: programs[name]}, settings: s}
			return c.matrix()
		}
		all := matrix("1")
		if len(all) > 60 || fmt.Sprint(all) != fmt.Sprint(matrix("1")) || fmt.Sprint(all) == fmt.Sprint(matrix("2")) {
			t.Errorf("%s: %d trials, or the seed does not decide", name, len(all))
		}
		seen, epochs := map[string]bool{}, [epochsValues]int{}
		for _, x := range all {
			epochs[x.epochs]++
			p, err := plan.New(nest, x.params, x.nests[0])
			if err != nil {
				t.Errorf("%s: %s: %v", name, x.flags(programs[name]), err)
				continue
			}
			if n, _ := p.Points(); n > verifyPoints {
				t.Errorf("%s: %d points", name, n)
			}
			for _, what := range []string{
				fmt.Sprint("ranks ", x.nests[0].Ranks), fmt.Sprint("cpus ", x.nests[0].CPUs), fmt.Sprint("transport ", x.carrier, x.security, x.nests[0].Comm), fmt.Sprint("tcp ", x.carrier != "", x.nests[0].Comm),
				fmt.Sprint("map ", p.Map), fmt.Sprint("grid ", x.nests[0].Grid != nil), fmt.Sprint("tile ", x.nests[0].Tile != nil),
				fmt.Sprint("params ", x.params), fmt.Sprint("special ", x.seed.Special),
				fmt.Sprint("schedule ", x.nests[0].Assign, x.nests[0].Group), fmt.Sprint("schedule ", x.nests[0].Assign, x.nests[0].Comm),
				fmt.Sprint("schedule ", x.nests[0].Group, x.nests[0].Comm),
				fmt.Sprint("fewer workers than columns, ", x.nests[0].Assign, p.Columns() > p.Ranks*p.CPUs && x.nests[0].Assign != plan.Retile),
			} {
				seen[what] = true
			}
			least := true
			for k := range p.Side {
				least = least && p.Side[k] == max(1, p.HaloWidth[k])
			}
			if least {
				seen["least"] = true
			}
		}
		// In the order of the sum below: 8 numbers of ranks and 4 of CPUs; TCP or not with either scheme (comm); each
		// transport with either scheme; 3 mapping dimensions; grid, tile and special values, given or not; the least
		// sides; 3 sets of parameters; pairs of assignment and grouping, of assignment and scheme, of grouping and
		// scheme; each assignment with fewer workers than columns and, except for retile, without.
		t.Logf("%s: %d trials; %d cut into epochs only, %d with snapshots, %d stop and continue", name, len(all), epochs[epochsCut], epochs[epochsShown], epochs[epochsContinued])
		if least := len(all) / 10; !nest.Levelled && slices.Min(epochs[1:]) < least {
			t.Errorf("%s: of %d trials %v are cut into epochs", name, len(all), epochs)
		}
		if len(seen) < 8+4+4+2*len(verifyTransports(&settings{}))+3+2+2+2+1+3+8+8+4+7 {
			t.Errorf("%s: only %d values seen: %v", name, len(seen), seen)
		}
	}
}

// TestCover requires that every pair of values occurs.
func TestCover(t *testing.T) {
	values := []int{8, 4, 2, 2, 6, 4, 3, 5, 2}
	rows := cover(values, 100, rand.New(rand.NewPCG(1, 1)))
	for f := range values {
		for g := range f {
			for a := range values[f] {
				for b := range values[g] {
					if !slices.ContainsFunc(rows, func(r []int) bool { return r[f] == a && r[g] == b }) {
						t.Errorf("value %d of factor %d never meets value %d of factor %d", a, f, b, g)
					}
				}
			}
		}
	}
	if len(rows) > 60 {
		t.Errorf("%d rows", len(rows))
	}
	if n := len(cover(values, 10, rand.New(rand.NewPCG(1, 1)))); n != 10 {
		t.Errorf("%d rows, want the 10 allowed", n)
	}
}

// TestDifference knows which bits count.
func TestDifference(t *testing.T) {
	view := func(bits ...uint32) array.View {
		v, err := array.Make("float32", []int{0}, []int{len(bits) - 1})
		if err != nil {
			t.Fatal(err)
		}
		for k, b := range bits {
			array.Cells[float32](v)[k] = math.Float32frombits(b)
		}
		return v
	}
	const nan, other, zero, minus = 0x7fc00000, 0xffc00001, 0, 0x80000000
	if k := difference(view(1, nan, zero), view(1, other, zero)); k != -1 {
		t.Errorf("two NaNs differ in cell %d", k)
	}
	if k := difference(view(1, nan, zero), view(1, other, minus)); k != 2 {
		t.Errorf("zeros of different signs: cell %d, want 2", k)
	}
	if k := difference(view(1, nan), view(1, 2)); k != 1 {
		t.Errorf("a NaN and a number: cell %d, want 1", k)
	}
}
