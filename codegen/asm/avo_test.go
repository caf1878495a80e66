package asm

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// A translation writes a function of this package with avo, which has its own table of
// instructions, operands and required features.
type translation struct {
	t         *testing.T
	ctx       *build.Context
	registers map[Reg]reg.Register // whole ones
}

// avoText returns the text that avo makes of a file before it is allocated, or its error.
func avoText(t *testing.T, f *File, by string) (string, error) {
	x := &translation{t: t, ctx: build.NewContext(), registers: map[Reg]reg.Register{}}
	for _, s := range f.sections {
		switch s := s.(type) {
		case *table:
			x.ctx.StaticGlobal(s.name)
			x.ctx.DataAttributes(attr.RODATA | attr.NOPTR)
			for k, lane := range s.lanes {
				x.ctx.AddDatum(s.size*k, map[int]operand.Constant{4: operand.U32(lane), 8: operand.U64(lane)}[s.size])
			}
		case *Function:
			x.function(s)
		}
	}
	file, err := x.ctx.Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range file.Functions() {
		for _, i := range f.Instructions() {
			if strings.HasPrefix(i.Opcode, "VBLENDM") || strings.HasPrefix(i.Opcode, "VPBLENDM") {
				i.Inputs = i.Inputs[:3] // to avo, blends read what they write: see TestBlends
			}
		}
	}
	if err := pass.Compile.Execute(file); err != nil {
		return "", err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: by, Pkg: "main"}).Print(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), nil
}

// function writes a function. Registers are made in the same order.
func (x *translation) function(f *Function) {
	x.ctx.Function(f.name)
	x.ctx.SignatureExpr("func" + f.signature)
	if f.noSplit {
		x.ctx.Attributes(attr.NOSPLIT)
	}
	if f.stack > 0 {
		x.ctx.AllocLocal(f.stack)
	}
	var all []Reg
	for _, n := range f.instructions() {
		for _, r := range n.registers() {
			all = append(all, r.whole())
		}
	}
	slices.SortFunc(all, func(a, b Reg) int { return a.number() - b.number() })
	for _, r := range slices.Compact(all) {
		x.registers[r] = map[Kind]func() reg.Register{
			General: func() reg.Register { return x.ctx.GP64() },
			Vector:  func() reg.Register { return x.ctx.ZMM() },
			Mask:    func() reg.Register { return x.ctx.K() },
		}[r.Kind()]()
	}
	for _, n := range f.nodes {
		switch {
		case n.label != "":
			x.ctx.Label(n.label)
		case n.comment != "":
			x.ctx.Comment(n.comment)
		default:
			x.instruction(n)
		}
	}
}

// instruction calls the method of avo's context that has the name of the instruction.
func (x *translation) instruction(n *node) {
	method := reflect.ValueOf(x.ctx).MethodByName(strings.Replace(n.op, ".", "_", 1))
	if !method.IsValid() {
		x.t.Fatalf("avo has no %s", n.op)
	}
	var operands []reflect.Value
	for _, o := range n.operands {
		operands = append(operands, reflect.ValueOf(x.operand(o)))
	}
	method.Call(operands)
	if _, err := x.ctx.Result(); err != nil {
		x.t.Fatalf("avo does not take %s of %v", n.op, n.operands)
	}
}

func (x *translation) operand(o Operand) operand.Op {
	switch o := o.(type) {
	case Reg:
		return x.register(o)
	case Int:
		return operand.I32(o)
	case Hex:
		return map[int]operand.Op{1: operand.U8(o.Value), 2: operand.U16(o.Value), 4: operand.U32(o.Value), 8: operand.U64(o.Value)}[o.Bytes]
	case Label:
		return operand.LabelRef(o)
	}
	m := o.(Mem)
	at := operand.Mem{Disp: m.Disp, Base: x.register(m.Base), Index: x.register(m.Index), Scale: uint8(m.Scale)}
	if name, static := strings.CutSuffix(m.Symbol, "<>"); m.Symbol != "" {
		at.Symbol = operand.Symbol{Name: name, Static: static}
	}
	return at
}

func (x *translation) register(r Reg) reg.Register {
	switch r {
	case 0:
		return nil
	case arguments:
		return reg.FramePointer
	case constants:
		return reg.StaticBase
	case stack:
		return reg.StackPointer
	}
	whole := x.registers[r.whole()]
	switch v := whole.(type) {
	case reg.GPVirtual:
		return map[int]func() reg.Register{1: v.As8, 4: v.As32, 8: v.As64}[r.Bytes()]()
	case reg.VecVirtual:
		return map[int]func() reg.Register{16: v.AsX, 32: v.AsY, 64: v.AsZ}[r.Bytes()]()
	}
	return whole
}
