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
				if m.Wide() {
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

// TestInstructions writes all of Instructions, for both sets and both widths of lanes: avo accepts
// the operands, and makes the same text of them.
func TestInstructions(t *testing.T) {
	for _, set := range ISAs() {
		for _, lane := range []int{1, 2, 4, 8} {
			f := &File{}
			widths(NewMachine(f, NewPool(f, "widths"), set, lane, "widths"))
			if lane < 4 {
				sameAsAvo(t, f)
				continue
			}
			all(NewMachine(f, NewPool(f, "all"), set, lane, "all"))
			leaf := NewLeaf(f, set, lane, "leaf", "()")
			leaf.Fence()
			leaf.Return()
			sameAsAvo(t, f)
		}
	}
}

// sameAsAvo allocates and prints a file, and compares the text with avo's.
func sameAsAvo(t *testing.T, f *File) {
	t.Helper()
	want, err := avoText(t, f, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Allocate(); err != nil {
		t.Fatal(err)
	}
	if got := string(f.Print("test")); got != want {
		t.Errorf("the text:\n%s\navo:\n%s", got, want)
	}
}

// widths writes the instructions on integers of all sizes that a machine has lanes for, and
// conversions between them.
func widths(base *Machine) {
	at := base.Reserve(256)
	base.Enter(0, nil, nil)
	mem := base.Local(at)
	for size := 1; size <= base.Lane(); size *= 2 {
		for _, unsigned := range []bool{false, true} {
			m := base.In(size, unsigned)
			x, y := m.Broadcast(mem), m.Load(mem)
			store := func(r Reg) { m.Move(r, mem) }
			constant := m.Splat(3)
			for test := Eq; test <= Ge && size < 8; test++ {
				c := m.Compare(test, false, x, constant)
				if m.Wide() {
					c = m.CompareWithin(c, test, false, y, mem)
				}
				store(m.Choose(m.Logic(Or, m.Not(c), c), x, constant))
			}
			ops := []Op{Add, Sub, Mul, Min, Max}
			if size == 8 {
				ops = ops[:2]
			} else {
				store(m.Abs(y))
			}
			for _, op := range ops {
				store(m.Binary(op, false, x, constant))
			}
			store(m.ShiftLanes(3, x))
			store(m.Bits(And, x, constant))
			store(m.Up(x, y, 1))
			store(m.Up(x, y, m.Lanes()-1))
			if m.Bytes() >= 16 {
				store(m.Reverse(mem))
			} else {
				store(m.Reverse(y))
			}
			if m.Masks(size) && size < 8 {
				c := m.Compare(Eq, false, x, y)
				m.StoreMasked(m.LoadMasked(mem, c), c, mem)
			}
			for _, by := range []int{1, 2, 8, 7, 100} {
				if size == 1 || size == 4 && !unsigned {
					store(m.Quotient(x, by))
				}
				if size == 1 && !unsigned {
					store(m.Quotient(x, -by))
				}
			}
			for from := 1; from <= base.Lane(); from *= 2 {
				if from < size {
					store(m.Widen(base.In(from, false).Load(mem), from, unsigned))
				}
				if from > size {
					store(m.Narrow(base.In(from, false).Load(mem), from))
				}
			}
			if size == 4 {
				if base.Lane() == 8 {
					store(m.Round(base.Load(mem)))
					store(base.Truncate(base.Load(mem)))
				}
				store(m.FromIndex(x))
			}
		}
	}
	base.End()
}

// all writes every instruction that a machine has.
func all(m *Machine) {
	at := m.Reserve(256)
	m.Enter(1, func(int) int { return 3 }, func(int) int { return m.Lane() })
	mem, g, h := m.Local(at), m.General(), m.General()
	m.Copy(m.Word(1), g)
	m.Clear(h)
	for _, f := range []func(x, y Operand){m.AddTo, m.SubFrom, m.AndTo, m.MulTo} {
		f(g, h)
	}
	for _, size := range []int{1, 4, 8} {
		m.CopyCell(mem, mem.Offset(8), g, size)
	}
	m.Scaled(-3, g, h)
	m.ShiftLeft(3, g)
	m.ShiftRight(2, h)
	m.Inc(mem)
	m.CopyIf(g, Gt, h, g, h)
	m.CopyIf(g, Ge, mem, g, h)
	end := m.NewLabel("end")
	for test := Eq; test <= Eq1; test++ {
		m.JumpIf(g, test, Int(1), end)
	}
	m.JumpIfClear(63, g, end)
	m.JumpIfZero(g, end)
	m.Prefetch(mem)
	m.Comment("Vectors of %d bytes.", m.Bytes())
	x, y := m.Load(mem), m.Broadcast(mem)
	store := func(r Reg) { m.Move(r, mem) }
	m.MoveAligned(x, mem)
	m.Stream(x, mem)
	index := m.Index()
	m.Zero(index, false)
	m.BroadcastIndex(mem, index)
	m.BroadcastLane(mem, x)
	m.AddIndex(m.Each(4, func(l int) int { return -l }), index)
	m.MoveIndex(index, mem)
	m.Hold(m.Splat(7))
	for _, op := range []Op{Add, Sub, Mul, Div, Min, Max} {
		store(m.Binary(op, true, m.Kept(m.Splat(7)), y))
	}
	store(m.Least(Max, true, x, mem))
	store(m.Least(Min, true, x, y))
	if m.Lane() == 4 {
		for _, op := range []Op{Add, Sub, Mul, Min, Max} {
			m.Into(op, false, x, mem, y)
		}
		for test := Eq; test <= Ge; test++ {
			store(m.Choose(m.Compare(test, false, x, y), x, mem))
		}
		store(m.Truncate(x))
		store(m.Abs(mem))
		for _, by := range []int{1, -1, 7, -7, 1 << 20} {
			store(m.Quotient(x, by))
			store(m.QuotientUpTo(x, by, 2000))
		}
	} else {
		store(m.FromFloats(mem))
	}
	for _, r := range []Reg{m.Bits(And, mem, x), m.Bits(Or, x, y), m.Bits(Xor, x, y), m.Sqrt(x), m.Floor(mem), m.Ceil(x), m.Trunc(x), m.FromIndex(index)} {
		store(r)
	}
	m.Zero(y, true)
	m.AddLanes(mem, x, y)
	m.AddProduct(mem, x, y)
	m.SubProduct(x, x, y)
	m.ProductMinus(x, x, y)
	m.DivideTiny(x, y, 3, 5)
	c := m.Logic(And, m.Greater(x, y), m.Not(m.Between(x, mem, mem.Offset(64))))
	c = m.Logic(Or, c, m.Inside(g, h, g))
	for test := Eq; test <= Ge; test++ {
		c = m.Logic(Or, c, m.Compare(test, true, x, mem))
	}
	m.StoreMasked(m.LoadMasked(mem, c), m.Negative(x), mem)
	c = m.BitMask(g, m.Each(m.Lane(), func(l int) int { return 1 << l }))
	store(m.Choose(c, x, mem))
	store(m.Raise(x, mem))
	store(m.Gather(g, m.Index()))
	store(m.Reverse(mem))
	for l := range m.Lanes() {
		m.StoreLane(y, l, mem)
	}
	if m.Wide() {
		store(m.Align(x, mem, 2))
		m.PermutePair(mem, x, y)
		m.Permute(mem, x, y)
		bytes := m.LoadBytes(mem)
		m.StoreMasked(y, m.CompareBytes(Eq, bytes, mem), mem)
		m.StoreMasked(y, m.LaneMask(mem, 2), mem)
	} else {
		store(m.Blend(3, m.Rotate(x, 1), y))
		m.JumpIfAny(m.Splat(1), x, end)
	}
	m.Transpose(func(i, offset int) Mem { return Strided(g, h, m.frame, i%4, offset) }, func(_ int, v Reg) { store(v) })
	m.Label(end)
	m.Dec(mem)
	m.CountDown(g, end)
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
