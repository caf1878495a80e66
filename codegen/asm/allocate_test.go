package asm

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// high matches vector registers that take AVX-512.
var high = regexp.MustCompile(`\b[XY](1[6-9]|2[0-9]|3[01])\b`)

// TestLikeAvo writes random functions here and with avo: the same text, or both say that there
// are not enough registers.
func TestLikeAvo(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 7))
	enough, lacking := map[ISA]int{}, map[ISA]int{}
	for round := range 300 {
		f, set := &File{}, ISA(round%2)
		randomFunction(rng, f, set)
		want, theirs := avoText(t, f, "test")
		ours := f.Allocate()
		if theirs == nil && set == AVX2 && high.MatchString(want) {
			theirs = ErrRegisters
		}
		if (ours == nil) != (theirs == nil) {
			t.Fatalf("round %d: %v, but avo says %v", round, ours, theirs)
		}
		if ours != nil {
			lacking[set]++
			continue
		}
		enough[set]++
		if got := string(f.Print("test")); got != want {
			t.Fatalf("round %d:\n%s\navo:\n%s", round, got, want)
		}
	}
	for _, set := range ISAs() {
		if enough[set] < 50 || lacking[set] < 15 {
			t.Errorf("%s: registers sufficed in %d rounds and lacked in %d: that shows nothing", set, enough[set], lacking[set])
		}
	}
}

// randomFunction writes a function with jumps forward and back, and registers of all kinds, some of
// which are written in part.
func randomFunction(rng *rand.Rand, f *File, set ISA) {
	m := NewMachine(f, NewPool(f, "random"), set, 4<<rng.IntN(2), "random")
	m.Reserve(rng.IntN(2) * 8)
	m.Enter(0, nil, nil)
	var general, vectors, masks []Reg
	for range 3 + rng.IntN(14) {
		r := m.General()
		m.Copy(m.Word(1), r)
		general = append(general, r)
	}
	for range 3 + rng.IntN(17*m.Bytes()/32) {
		r := m.Vec()
		m.Move(Mem{Base: general[0], Index: general[1], Scale: 8}, r)
		vectors = append(vectors, r)
	}
	for range 1 + rng.IntN(4) {
		k := m.Make(Mask, 8)
		m.Emit("KXORW", k, k, k)
		masks = append(masks, k)
	}
	one := func(of []Reg) Reg { return of[rng.IntN(len(of))] }
	g, v, k := func() Reg { return one(general) }, func() Reg { return one(vectors) }, func() Reg { return one(masks) }
	renew := func(of []Reg, r Reg) { of[rng.IntN(len(of))] = r }
	labels := 3
	for l := range labels {
		m.Label(Label(fmt.Sprintf("part%d", l)))
		for range 4 + rng.IntN(20) {
			switch rng.IntN(12) {
			case 0:
				m.AddTo(g(), g())
			case 1:
				m.Emit("MOVL", g().As(4), g().As(4))
				m.Inc(g()) // avo leaves the second of two moves to where something is
			case 2:
				m.Emit("MOVB", g().As(1), g().As(1))
				m.Inc(g())
			case 3:
				r := m.General()
				m.Address(Mem{Base: g(), Index: g(), Scale: 4, Disp: rng.IntN(3) - 1}, r)
				renew(general, r)
			case 4:
				m.ShiftLeft(rng.IntN(64), g())
			case 5:
				renew(vectors, m.Binary(Add, true, v(), v()))
			case 6:
				if m.MovesLanes() {
					m.Emit("VADDPD", v(), v(), k(), v()) // the other lanes stay
				} else {
					m.Clear(g())
				}
			case 7:
				m.Emit("VMOVUPS", v().As(32), m.Word(8))
			case 8:
				r := v().As(16)
				m.Emit("VXORPS", r, r, r)
			case 9:
				m.Emit("KMOVW", g().As(4), k())
			case 10:
				m.Emit("VMOVQ", g(), v().As(16))
			case 11:
				renew(vectors, m.Load(m.Splat(rng.Uint64N(4))))
			}
		}
		m.JumpIf(g(), Lt, g(), Label(fmt.Sprintf("part%d", rng.IntN(labels))))
	}
	m.Copy(g(), m.Word(0))
	m.End()
}

// TestUnknown requires that only instructions of the table are written.
func TestUnknown(t *testing.T) {
	defer func() {
		if r, _ := recover().(string); !strings.Contains(r, "VADDPQ") {
			t.Errorf("an unknown instruction led to %q", r)
		}
	}()
	f := &File{}
	NewMachine(f, NewPool(f, "x"), AVX2, 8, "x").Emit("VADDPQ")
}

// TestInterleave interleaves two parts: instructions in turn, what depends on flags and the label
// that is come back to with the instruction before, comments once.
func TestInterleave(t *testing.T) {
	f := &File{}
	m := NewMachine(f, NewPool(f, "x"), AVX512, 8, "x")
	m.AddTo(Imm(1), m.General())
	var from []int
	for k := range 2 {
		from = append(from, m.Mark())
		x := m.Vec()
		apart, back := m.NewLabel("tiny"), m.NewLabel("divided")
		m.Comment("The source.")
		m.Into(Mul, true, x, x, x)
		m.JumpIfAny(x, x, apart)
		m.Label(back)
		m.Into(Add, true, x, x, x)
		if k == 0 {
			m.Into(Sub, true, x, x, x)
		}
	}
	m.Interleave(from)
	var got []string
	for _, n := range m.nodes {
		got = append(got, n.op+n.label+n.comment)
	}
	if want := "ADDQ The source. VMULPD VMULPD VPTEST JNE divided VPTEST JNE divided2 VADDPD VADDPD VSUBPD"; strings.Join(got, " ") != want {
		t.Errorf("interleaved: %v, want %s", got, want)
	}
}

// TestBlends: the register that a blend writes must not be live from the beginning of the function,
// since there is no room for it beside 30 vectors that are.
func TestBlends(t *testing.T) {
	f := &File{}
	m := NewMachine(f, NewPool(f, "x"), AVX512, 8, "x")
	m.Enter(0, nil, nil)
	at := m.Word(0)
	mask := m.LaneMask(at, 0)
	var kept []Reg
	for range 30 {
		r := m.Vec()
		kept = append(kept, r)
		m.Move(at, r)
	}
	m.Label("again")
	for k := range 4 {
		m.Move(m.Choose(mask, kept[k], kept[k+1]), at)
	}
	m.CountDown(at, "again")
	for _, r := range kept {
		m.Move(r, at)
	}
	m.End()
	if err := f.Allocate(); err != nil {
		t.Error(err)
	}
}

// TestClean requires that nothing in a comment ends it.
func TestClean(t *testing.T) {
	if got := Clean("a\nb\\\x7fé/"); got != "a?b???/" {
		t.Errorf("%q", got)
	}
}
