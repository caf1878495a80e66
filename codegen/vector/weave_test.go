package vector

import (
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
)

// TestWeave weaves two steps: instructions in turn, what depends on flags and the label that
// is come back to with the instruction before, comments once.
func TestWeave(t *testing.T) {
	c := build.NewContext()
	c.Function("woven")
	c.SignatureExpr("func()")
	m := &machine{asm: c, isa: AVX512, lane: 8}
	c.ADDQ(operand.Imm(1), reg.RAX)
	var from []int
	for k, x := range []reg.VecPhysical{reg.Z0, reg.Z1} {
		from = append(from, m.node())
		apart, back := []string{"tiny", "tiny2"}[k], []string{"divided", "divided2"}[k]
		c.Comment("The source.")
		c.VMULPD(x, x, x)
		c.KORTESTW(reg.K1, reg.K1)
		c.JNE(operand.LabelRef(apart))
		c.Label(back)
		c.VADDPD(x, x, x)
		if k == 0 {
			c.VSUBPD(x, x, x)
		}
	}
	m.weave(from)
	var got []string
	for _, i := range m.written() {
		got = append(got, i.Opcode)
	}
	if want := "ADDQ VMULPD VMULPD KORTESTW JNE KORTESTW JNE VADDPD VADDPD VSUBPD"; strings.Join(got, " ") != want {
		t.Errorf("woven: %v, want %s", got, want)
	}
	file, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	text := string(assemblyText(t, file))
	first, second := strings.Index(text, "\ndivided:"), strings.Index(text, "\ndivided2:")
	if n := strings.Count(text, "The source."); n != 1 || first < strings.Index(text, "JNE") || second < first || second > strings.Index(text, "VADDPD") {
		t.Errorf("%d comments, or labels elsewhere:\n%s", n, text)
	}
}

// TestBlends requires that what a blend writes is not kept from the beginning of the function
// on: it would not fit beside 30 vectors that are.
func TestBlends(t *testing.T) {
	c := build.NewContext()
	c.Function("blends")
	c.SignatureExpr("func(frame *int)")
	frame := c.Load(c.Param("frame"), c.GP64()).(reg.GPVirtual)
	at := operand.Mem{Base: frame}
	mask := c.K()
	c.KXNORW(mask, mask, mask)
	var kept []reg.VecVirtual
	for range 30 {
		kept = append(kept, c.ZMM())
		c.VMOVUPD(at, kept[len(kept)-1])
	}
	c.Label("again")
	for k := range 4 {
		x := c.ZMM()
		c.VBLENDMPD(kept[k], kept[k+1], mask, x)
		c.VMOVUPD(x, at)
	}
	c.DECQ(at)
	c.JNE(operand.LabelRef("again"))
	for _, x := range kept {
		c.VMOVUPD(x, at)
	}
	c.RET()
	file, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := compile(file); err != nil {
		t.Error(err)
	}
}

// TestGainsOnOne requires that more chains are taken for what one kind of core gains, but not
// where the other one loses, and that lanes of 64 bytes have room for fewer that wait.
func TestGainsOnOne(t *testing.T) {
	one := Function{Blocks: 1, Cost: Cost{Lanes: 16, Ports: 7, Zen: 7, Latency: 8, ZenLatency: 12.5}}
	two := one
	two.Blocks = 2
	if !two.gains(&one) {
		t.Error("two chains are not taken, by which a Zen 4 gains and others do not lose")
	}
	two.Cost.Ports = 9
	if two.gains(&one) {
		t.Error("two chains are taken, by which Intel's cores lose")
	}
	two.Cost.Ports, two.Cost.ZenLatency, one.Cost.ZenLatency = 7, 8, 8
	if two.gains(&one) {
		t.Error("two chains are taken, by which nobody gains enough")
	}
	s := &Levels{Shape: &Shape{n: &ir.Nest{}, l: &ir.Lowered{}}, rows: [][]int{{}}}
	cost := &Cost{Shuffles: 2, Other: 12}
	if o := s.options(AVX512, 2, cost)[0]; o.unroll != 1 || o.woven != mostWoven {
		t.Errorf("long vectors: %+v, want woven steps", o)
	}
	if o := s.options(AVX2, 2, cost)[0]; o.unroll != 2 {
		t.Errorf("short vectors: %+v, want two steps at a time", o)
	}
}
