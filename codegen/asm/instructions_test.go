package asm

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestInstructions writes all instructions, for both sets and both widths of lanes: avo accepts
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

// TestUpperRegisters assembles all instructions for AVX-512 with other vector registers: with each of the lower sixteen replaced by
// one of the upper sixteen, which instructions of older sets do not have, and the other way around.
func TestUpperRegisters(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the assembler")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	register := regexp.MustCompile(`\b([XYZ])(\d+)\b`)
	for _, lane := range []int{1, 2, 4, 8} {
		f := &File{}
		widths(NewMachine(f, NewPool(f, "widths"), AVX512, lane, "widths"))
		if lane >= 4 {
			all(NewMachine(f, NewPool(f, "all"), AVX512, lane, "all"))
		}
		if err := f.Allocate(); err != nil {
			t.Fatal(err)
		}
		text := register.ReplaceAllFunc(f.Print("test"), func(r []byte) []byte {
			n, _ := strconv.Atoi(string(r[1:]))
			return fmt.Appendf(nil, "%c%d", r[0], (n+16)%32)
		})
		file := filepath.Join(t.TempDir(), "upper_amd64.s")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		assemble := exec.Command("go", "tool", "asm", "-p", "upper", "-I", filepath.Join(strings.TrimSpace(string(root)), "pkg", "include"), "-o", file+".o", file) // a failure removes it
		assemble.Env = append(os.Environ(), "GOARCH=amd64", "GOOS=linux")
		if out, err := assemble.CombinedOutput(); err != nil {
			t.Errorf("lanes of %d bytes: %v\n%s", lane, err, out)
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
	for size := 1; size <= base.LaneSize(); size *= 2 {
		for _, unsigned := range []bool{false, true} {
			m := base.In(size, unsigned)
			x, y := m.Broadcast(mem), m.Load(mem)
			store := func(r Reg) { m.Move(r, mem) }
			constant := m.Splat(3)
			for test := Eq; test <= Ge && size < 8; test++ {
				c := m.Compare(test, false, x, constant)
				if m.MovesLanes() {
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
				store(m.RotateParts(y))
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
			for from := 1; from <= base.LaneSize(); from *= 2 {
				if from < size {
					store(m.Widen(base.In(from, false).Load(mem), from, unsigned))
				}
				if from > size {
					store(m.Narrow(base.In(from, false).Load(mem), from))
				}
			}
			if size == 4 {
				if base.LaneSize() == 8 {
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
	m.Enter(1, func(int) int { return 3 }, func(int) int { return m.LaneSize() })
	mem, g, h := m.Local(at), m.General(), m.General()
	m.Copy(m.Word(1), g)
	m.Clear(h)
	m.Address(mem, h)
	for _, f := range []func(x, y Operand){m.AddTo, m.SubFrom, m.AndTo, m.MulTo} {
		f(g, h)
	}
	for _, size := range []int{1, 4, 8} {
		m.CopyCell(mem, mem.Offset(8), g, size)
	}
	m.Scaled(-3, g, h)
	lowest := m.Load(mem)
	for _, op := range []Op{Add, Sub, Mul} {
		m.Lowest(op, lowest, mem)
	}
	m.StoreLane(lowest, 0, mem)
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
	m.BroadcastInt(g, m.LaneSize(), x)
	m.AddIndex(m.Each(4, func(l int) int { return -l }), index)
	m.MoveIndex(index, mem)
	m.HoldConstant(m.Splat(7))
	for _, op := range []Op{Add, Sub, Mul, Div, Min, Max} {
		store(m.Binary(op, true, m.HeldOrMemory(m.Splat(7)), y))
	}
	store(m.Least(Max, true, x, mem))
	store(m.Least(Min, true, x, y))
	store(m.Extreme(Min, x, mem))
	if m.MovesLanes() {
		c := m.Numbers(m.Numbers(0, x, mem), x, y)
		store(m.LeastNumberWithin(c, Max, m.LeastNumber(Min, x, y), mem))
	}
	store(m.Join(m.Upper(x), m.Upper(y)))
	store(m.ShiftLanesDown(1, y))
	store(m.FloorHalved(3, y))
	if m.LaneSize() == 4 {
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
		store(m.FromLongs(mem))
		m.MoveIndex(m.Whole(mem), mem)
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
	c = m.Logic(Or, c, m.Logic(And, m.Inside(g, h, g), m.Below(h)))
	c = m.Logic(And, c, m.Within(m.CountFrom(g), x, y))
	for test := Eq; test <= Ge; test++ {
		c = m.Logic(Or, c, m.Compare(test, true, x, mem))
	}
	m.JumpIfHolds(c, c, end)
	m.StoreMasked(m.LoadMasked(mem, c), m.Negative(x), mem)
	c = m.BitMask(g, m.Each(m.LaneSize(), func(l int) int { return 1 << l }))
	store(m.Choose(c, x, mem))
	store(m.Raise(x, mem))
	store(m.Gather(g, m.Index()))
	m.Copy(m.FirstOfRun(m.Index(), 1, end), g)
	m.Copy(m.FirstLane(m.Index()), g)
	if m.LaneSize() == 4 {
		store(m.GatherNarrow(g, m.Index(), mem, 1, true))
		store(m.GatherNarrow(g, m.Index(), x, 2, false))
	}
	store(m.Pick(g, h, m.frame))
	store(m.Deinterleave(g, 3))
	store(m.Deinterleave(g, -2))
	store(m.Reverse(mem))
	for l := range m.Lanes() {
		m.StoreLane(y, l, mem)
	}
	if m.MovesLanes() {
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
	m.Quarter(func(int) Mem { return mem }, nil, func(_ int, v Reg) { store(v) })
	m.Dec(mem)
	m.JumpAfter(Lt, end)
	m.Leave()
	m.Jump(end)
	m.Label(end)
	m.Dec(mem)
	m.CountDown(g, end)
	m.End()
}

// TestInstructionsComplete requires that this file calls each instruction.
func TestInstructionsComplete(t *testing.T) {
	called, found := map[string]bool{}, 0
	inspect(t, "instructions_test.go", func(n ast.Node) {
		if s, ok := n.(*ast.SelectorExpr); ok {
			called[s.Sel.Name] = true
		}
	})
	files, _ := filepath.Glob("x86_*.go")
	for _, file := range files {
		inspect(t, file, func(n ast.Node) {
			f, ok := n.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				return
			}
			if found++; !called[f.Name.Name] {
				t.Errorf("TestInstructions does not write %s", f.Name)
			}
		})
	}
	if found < 50 {
		t.Errorf("only %d instructions were found", found)
	}
}

// inspect calls f with each node of a Go file.
func inspect(t *testing.T, file string, f func(n ast.Node)) {
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for n := range ast.Preorder(syntax) {
		f(n)
	}
}
