package vector

import (
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
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
