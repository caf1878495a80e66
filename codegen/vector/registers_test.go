package vector

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mmcloughlin/avo/build"
	avo "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// TestRegisters compiles random functions here and with avo: the same text, or
// both say that there are not enough registers.
func TestRegisters(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 7))
	enough, lacking := 0, 0
	for round := range 300 {
		seed := rng.Uint64()
		ours, theirs := randomFunction(t, seed), randomFunction(t, seed)
		err, want := compile(ours), pass.Compile.Execute(theirs)
		if (err == nil) != (want == nil) {
			t.Fatalf("round %d: %v, but avo says %v", round, err, want)
		}
		if err != nil {
			lacking++
			continue
		}
		enough++
		if a, b := assemblyText(t, ours), assemblyText(t, theirs); !bytes.Equal(a, b) {
			t.Fatalf("round %d:\n%s\navo:\n%s", round, a, b)
		}
	}
	if enough < 100 || lacking < 30 {
		t.Errorf("registers sufficed in %d rounds and lacked in %d: that shows nothing", enough, lacking)
	}
}

// assemblyText prints a file.
func assemblyText(t *testing.T, file *avo.File) []byte {
	text, err := printer.NewGoAsm(printer.Config{Name: "test", Pkg: "main"}).Print(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// randomFunction writes a function with jumps to and fro, registers of all kinds,
// of which parts are written, and fixed ones.
func randomFunction(t *testing.T, seed uint64) *avo.File {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := build.NewContext()
	c.Function("random")
	c.SignatureExpr("func(frame *int)")
	frame := c.Load(c.Param("frame"), c.GP64()).(reg.GPVirtual)
	var general []reg.GPVirtual
	var vectors []reg.VecVirtual
	var masks []reg.OpmaskVirtual
	for range 3 + rng.IntN(14) {
		r := c.GP64()
		c.MOVQ(operand.Mem{Base: frame, Disp: 8}, r)
		general = append(general, r)
	}
	for range 3 + rng.IntN(34) {
		r := c.ZMM()
		c.VMOVUPD(operand.Mem{Base: frame, Index: general[0], Scale: 8}, r)
		vectors = append(vectors, r)
	}
	for range 1 + rng.IntN(4) {
		k := c.K()
		c.KXORW(k, k, k)
		masks = append(masks, k)
	}
	g := func() reg.GPVirtual { return general[rng.IntN(len(general))] }
	v := func() reg.VecVirtual { return vectors[rng.IntN(len(vectors))] }
	k := func() reg.OpmaskVirtual { return masks[rng.IntN(len(masks))] }
	labels := 3
	for l := range labels {
		c.Label(fmt.Sprintf("part%d", l))
		for range 4 + rng.IntN(20) {
			switch rng.IntN(11) {
			case 0:
				c.ADDQ(g(), g())
			case 1:
				c.MOVL(g().As32(), g().As32())
			case 2:
				c.MOVB(g().As8(), g().As8())
			case 3:
				r := c.GP64()
				c.LEAQ(operand.Mem{Base: g(), Index: g(), Scale: 4}, r)
				general[rng.IntN(len(general))] = r
			case 4:
				c.MOVQ(g(), reg.RCX)
				c.SHLQ(reg.CL, g())
			case 5:
				r := c.ZMM()
				c.VADDPD(v(), v(), r)
				vectors[rng.IntN(len(vectors))] = r
			case 6:
				c.VADDPD(v(), v(), k(), v())
			case 7:
				c.VMOVUPS(v().AsY(), operand.Mem{Base: frame, Disp: 64})
			case 8:
				r := v()
				c.VXORPS(r.AsX(), r.AsX(), r.AsX())
			case 9:
				c.KMOVW(g().As32(), k())
			case 10:
				c.MOVQ(g(), v().AsX())
			}
		}
		c.CMPQ(g(), g())
		c.JLT(operand.LabelRef(fmt.Sprintf("part%d", rng.IntN(labels))))
	}
	c.MOVQ(g(), operand.Mem{Base: frame})
	c.RET()
	file, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	return file
}
