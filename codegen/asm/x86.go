package asm

import (
	"fmt"
	"strings"
)

// x86Target describes amd64 with an ISA.
type x86Target struct{ set ISA }

// x86Units lists the instructions by their units. A mark says what an instruction does to its
// last operand: with "+" it also reads it, with "?" it only reads it. "~" marks instructions
// whose result does not depend on the first two operands if these are the same register.
var x86Units = map[unit]string{
	scalar: "MOVQ MOVL MOVB MOVBLZX LEAQ ADDQ+ SUBQ+~ ANDQ+ XORQ+~ IMULQ+ IMUL3Q INCQ+ DECQ+ SHLQ+ SHRQ+ CMOVQGE+ CMOVQGT+ " +
		"CMPQ?~ TESTQ? JMP? JE? JEQ? JNE? JGE? JGT? JLE? JLT? RET? SFENCE? PREFETCHT0? " +
		"MOVWLZX MOVW KMOVW KMOVQ KSHIFTLW KNOTW KNOTD KNOTQ KANDW KANDD KANDQ KORW KORD KORQ KXORW KXNORW",
	memory: "VMOVUPS VMOVUPD VMOVUPS.Z VMOVUPD.Z VMOVSS VMOVSD VMOVHPD VMOVNTPS VMASKMOVPS VMASKMOVPD VMOVDQU8.Z VMOVDQU16.Z " +
		"VBROADCASTSS VBROADCASTSD VBROADCASTF128 VBROADCASTF32X4 VZEROUPPER?",
	shuffle: "VUNPCKLPS VUNPCKHPS VUNPCKLPD VUNPCKHPD VPERMPS VPERMPD VPERMI2D+ VPERMI2Q+ VPERMT2D+ VPERMT2Q+ VALIGND VALIGNQ " +
		"VPBROADCASTB VPBROADCASTW VPBROADCASTD VPBROADCASTQ VPTESTNMD VPTESTNMQ " +
		"VPMOVZXBW VPMOVZXBD VPMOVZXBQ VPMOVZXWD VPMOVZXWQ VPMOVZXDQ VPMOVSXBW VPMOVSXBD VPMOVSXBQ VPMOVSXWD VPMOVSXWQ VPMOVSXDQ " +
		"VPSHUFB VPALIGNR VPERMQ VPERM2I128 VSHUFI64X2 VPUNPCKLDQ VPUNPCKLWD",
	gather:      "VPGATHERDD+ VPGATHERDQ+",
	sum:         "VADDSS VADDSD VSUBSS VSUBSD VADDPS VADDPD VSUBPS VSUBPD VMINPS VMINPD VMAXPS VMAXPD VRANGEPS VRANGEPD VCMPPS VCMPPD",
	product:     "VMULSS VMULSD VMULPS VMULPD VPMULLD VPMULLW VPMULHUW VPMULHW VPMULDQ VPMULUDQ VPMULLQ VCVTQQ2PD VCVTDQ2PS VCVTDQ2PD VCVTPS2PD VCVTTPS2DQ VCVTPD2PS VCVTPD2PSY VCVTTPD2DQ VCVTTPD2DQY VROUNDPS VROUNDPD VRNDSCALEPS VRNDSCALEPD VFMADD231PS+ VFMADD231PD+ VFMSUB213PS+ VFMSUB213PD+ VFNMADD231PS+ VFNMADD231PD+",
	shuffleTest: "VPTEST? VPTESTMD VPTESTMQ VPMOVWB VPMOVDB VPMOVDW VPMOVQB VPMOVQW VPMOVQD",
	quotient4:   "VDIVPS",
	quotient8:   "VDIVPD",
	root4:       "VSQRTPS",
	root8:       "VSQRTPD",
	other: "KORTESTW? VMOVAPS VMOVD VMOVQ VMOVDQU8 VMOVDQU16 VINSERTF128 VINSERTF32X4 VINSERTF64X4 VEXTRACTF64X4 VEXTRACTF128 VEXTRACTI128 VEXTRACTPS VPSLLDQ VPMOVB2M VPMOVW2M VPMOVD2M VPMOVQ2M " +
		"VPADDB VPADDW VPADDD VPADDQ VPSUBB~ VPSUBW~ VPSUBD~ VPSUBQ~ VPABSB VPABSW VPABSD " +
		"VPSRLW VPSRLD VPSRLQ VPSRAW VPSRAD VPSRAQ VPSLLW VPSLLD VPSLLQ VPSLLVD VPAND VPOR VPXOR~ VPANDN~ VPANDD VPORD VPXORD VXORPS~ " +
		"VPMINSB VPMINSW VPMINSD VPMAXSB VPMAXSW VPMAXSD VPMINUB VPMINUW VPMINUD VPMAXUB VPMAXUW VPMAXUD " +
		"VBLENDPS VBLENDPD VBLENDVPS VBLENDVPD VBLENDMPS VBLENDMPD VPBLENDVB VPBLENDMB VPBLENDMW " +
		"VPCMPEQB~ VPCMPEQW~ VPCMPEQD~ VPCMPEQQ~ VPCMPGTB~ VPCMPGTW~ VPCMPGTD~ VPCMPGTQ~ " +
		"VPCMPB VPCMPW VPCMPD VPCMPQ VPCMPUB VPCMPUW VPCMPUD VPCMPUQ",
}

// An x86Form is the entry of an instruction in x86Units.
type x86Form struct {
	unit    unit
	effect  effect
	forgets bool
}

var x86Forms = func() map[string]x86Form {
	all := map[string]x86Form{}
	for u, names := range x86Units {
		for name := range strings.FieldsSeq(names) {
			form := x86Form{unit: u, forgets: strings.Contains(name, "~")}
			switch {
			case strings.Contains(name, "+"):
				form.effect = updates
			case strings.Contains(name, "?"):
				form.effect = reads
			}
			all[strings.TrimRight(name, "+?~")] = form
		}
	}
	return all
}()

func (x86Target) has(op string) bool {
	_, ok := x86Forms[op]
	return ok
}

func (x86Target) unit(op string) unit { return x86Forms[op].unit }

// effect: lanes outside a mask keep their content, except in blends and with .Z, which clears them.
func (x86Target) effect(n *node) effect {
	form := x86Forms[n.op]
	if k := len(n.operands) - 2; k > 0 && form.effect == writes && !n.begins("VBLENDM", "VPBLENDM") && !strings.HasSuffix(n.op, ".Z") {
		r, _ := n.operands[k+1].(Reg)
		if mask, _ := n.operands[k].(Reg); mask.Kind() == Mask && r.Kind() == Vector {
			return updates
		}
	}
	return form.effect
}

func (x86Target) forgets(n *node) bool {
	if !x86Forms[n.op].forgets {
		return false
	}
	a, register := n.operands[0].(Reg)
	b, _ := n.operands[1].(Reg)
	return register && a == b
}

func (x86Target) jump(n *node) (to Label, conditional bool) {
	if n.op[0] == 'J' {
		return n.operands[0].(Label), n.op != "JMP"
	}
	return "", false
}

func (x86Target) ends(n *node) bool { return n.op == "RET" }

func (x86Target) moves(n *node) (integers, vectors bool) {
	switch n.op {
	case "MOVQ", "MOVL", "MOVB":
		return true, false
	case "VMOVUPS", "VMOVUPD":
		return false, len(n.operands) == 2
	}
	return false, false
}

func (x86Target) spill(k Kind) string {
	return [...]string{General: "MOVQ", Vector: "VMOVUPS", Mask: "KMOVQ"}[k]
}

// The names of integer registers, by number. SP is not allocated; BP (x86Saved) is allocated last,
// because a function that uses it must save it.
var x86Names = strings.Fields("AX CX DX BX SP BP SI DI R8 R9 R10 R11 R12 R13 R14 R15")

const x86Saved = 5

// x86Registers are the numbers of the registers of each kind that virtual ones may get: mask register 0 means no mask.
var x86Registers = func() (all [kinds][]int) {
	for n := range 32 {
		all[Vector] = append(all[Vector], n)
	}
	all[General] = []int{0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, x86Saved}
	all[Mask] = all[Vector][1:8]
	return all
}()

// allocatable: vector registers 16 to 31 need AVX-512. The caller does not change the result.
func (t x86Target) allocatable(k Kind) []int {
	if k == Vector && t.set != AVX512 {
		return x86Registers[k][:16]
	}
	return x86Registers[k]
}

func (x86Target) saved(r Reg) bool { return r.Kind() == General && r.number() == x86Saved }

func (x86Target) name(r Reg) string {
	switch r.Kind() {
	case Special:
		return [...]string{"FP", "SB", "SP"}[r.number()]
	case General:
		if r.Bytes() == 1 && r.number() < 4 {
			return x86Names[r.number()][:1] + "L"
		}
		return x86Names[r.number()]
	case Mask:
		return fmt.Sprintf("K%d", r.number())
	}
	return fmt.Sprintf("%c%d", map[int]rune{16: 'X', 32: 'Y', 64: 'Z'}[r.Bytes()], r.number())
}

// x86Features are the features that instructions with these prefixes need, whatever their
// operands.
var x86Features = []struct {
	starts   []string
	features []string
}{
	{strings.Fields("SFENCE PREFETCH"), []string{"MMX+"}},
	{strings.Fields("CMOV"), []string{"CMOV"}},
	{strings.Fields("VPMOVD2M VPMOVQ2M VPMULLQ VCVTQQ2PD VRANGE"), []string{"AVX512DQ"}},
	{strings.Fields("VPMOVB2M VPMOVW2M KMOVQ KANDD KANDQ KORD KORQ KNOTD KNOTQ"), []string{"AVX512BW"}},
}

// Prefixes of instructions. x86Long: AVX2 lacks them for vectors of any length. x86Bytes: they work
// on bytes or words, but their names do not end with B or W. x86NoBytes: they work on neither, but
// their names may end with B or W.
var (
	x86Long    = strings.Fields("VPSRAQ VMOVDQU8 VMOVDQU16 VPMOVWB VPMOVD VPMOVQ VPANDD VPORD VPXORD VALIGN VPERMI2 VPERMT2")
	x86Bytes   = strings.Fields("VPALIGNR VMOVDQU VPBLENDVB VPSLLDQ")
	x86NoBytes = strings.Fields("VPMOVD VPMOVQ")
)

// begins reports whether an instruction begins with one of the given prefixes.
func (n *node) begins(words ...string) bool {
	for _, word := range words {
		if strings.HasPrefix(n.op, word) {
			return true
		}
	}
	return false
}

// widest is the size of the longest vector of an instruction. long reports whether AVX2 lacks the
// instruction, whatever the size of its vectors.
func (n *node) widest() (bytes int, long bool) {
	long = n.begins(x86Long...)
	for _, x := range n.operands {
		r, _ := x.(Reg)
		long = long || r.Kind() == Mask
		if r.Kind() == Vector {
			bytes = max(bytes, r.Bytes())
		}
	}
	return bytes, long
}

// longFeatures is what an instruction needs for vectors of 64 bytes.
func (n *node) longFeatures() []string {
	last := n.op[len(n.op)-1]
	if (last == 'B' || last == 'W' || n.begins(x86Bytes...)) && n.op[0] == 'V' && !n.begins(x86NoBytes...) {
		return []string{"AVX512BW"}
	}
	return []string{"AVX512F"}
}

// requires follows the manual of the architecture: instructions on vectors of integers need AVX2 if
// the vectors have 32 bytes; broadcasts of integers always need it.
func (x86Target) requires(n *node) []string {
	for _, x := range x86Features {
		if n.begins(x.starts...) {
			return x.features
		}
	}
	widest, long := n.widest()
	switch features := n.longFeatures(); {
	case long && widest > 0 && widest < 64:
		return append(features, "AVX512VL")
	case long || widest == 64:
		return features
	case n.begins("VFM", "VFNM"):
		return []string{"FMA3"}
	case n.begins("VPBROADCAST", "VPGATHER", "VEXTRACTI128") || n.begins("VP") && widest == 32 && n.op != "VPTEST":
		return []string{"AVX2"}
	case n.begins("V"):
		return []string{"AVX"}
	}
	return nil
}
