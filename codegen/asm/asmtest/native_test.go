package asmtest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"loopc/testdata/lacking"
)

// natives are instructions as AVX2 has them, with each order of operands that kernels use. A and B
// are vectors, M memory as long, and D is the result, whose content before counts; a number behind a
// letter is the size of the register or of the memory. R is an integer register.
var natives = strings.Split(strings.TrimSpace(`
VADDPS M, A, D; VADDPD B, A, D; VSUBPS M, A, D; VSUBPD B, A, D; VMULPS M, A, D; VMULPD B, A, D; VDIVPS M, A, D; VDIVPD B, A, D
VADDSS M4, A16, D16; VADDSD M8, A16, D16; VSUBSS M4, A16, D16; VSUBSD M8, A16, D16; VMULSS M4, A16, D16; VMULSD M8, A16, D16
VMINPS M, A, D; VMINPD B, A, D; VMAXPS B, A, D; VMAXPD M, A, D; VSQRTPS A, D; VSQRTPD M, D; VROUNDPS $9, A, D; VROUNDPD $9, M, D; VROUNDPS $10, M, D; VROUNDPD $11, A, D; VROUNDPD $10, A, D
VCMPPS $0, M, A, D; VCMPPS $3, B, A, D; VCMPPS $4, B, A, D; VCMPPS $0x11, B, A, D; VCMPPS $0x12, B, A, D; VCMPPS $0x1d, B, A, D; VCMPPS $0x1e, B, A, D
VCMPPD $0, M, A, D; VCMPPD $3, B, A, D; VCMPPD $4, B, A, D; VCMPPD $0x11, B, A, D; VCMPPD $0x12, B, A, D; VCMPPD $0x1d, B, A, D; VCMPPD $0x1e, B, A, D
VFMADD231PS M, A, D; VFMADD231PD B, A, D; VFNMADD231PS B, A, D; VFNMADD231PD M, A, D; VFMSUB213PS B, A, D; VFMSUB213PD M, A, D
VPADDB M, A, D; VPADDW B, A, D; VPADDD B, A, D; VPADDQ B, A, D; VPSUBB M, A, D; VPSUBW B, A, D; VPSUBD B, A, D; VPSUBQ B, A, D
VPMULLW M, A, D; VPMULLD B, A, D; VPMULHUW B, A, D; VPMULHW B, A, D; VPMULDQ B, A, D; VPMULUDQ B, A, D; VPABSB A, D; VPABSW A, D; VPABSD M, D
VPMINSB B, A, D; VPMINSW B, A, D; VPMINSD M, A, D; VPMAXSB B, A, D; VPMAXSW B, A, D; VPMAXSD B, A, D
VPMINUB B, A, D; VPMINUW B, A, D; VPMINUD M, A, D; VPMAXUB B, A, D; VPMAXUW B, A, D; VPMAXUD B, A, D
VPSLLW $8, A, D; VPSLLW $3, A, D; VPSLLD $5, A, D; VPSLLQ $33, A, D; VPSLLVD M, A, D; VPSLLVD B, A, D; VPSRLW $8, A, D; VPSRLD $31, A, D; VPSRLQ $32, A, D; VPSRAW $15, A, D; VPSRAD $3, A, D
VPAND M, A, D; VPOR B, A, D; VPXOR B, A, D; VPANDN M, A, D; VXORPS B, A, D
VPCMPEQB M, A, D; VPCMPEQW B, A, D; VPCMPEQD B, A, D; VPCMPEQQ B, A, D; VPCMPGTB M, A, D; VPCMPGTW B, A, D; VPCMPGTD B, A, D; VPCMPGTQ B, A, D
VBLENDPS $0x5a, M, A, D; VBLENDPD $0x06, B, A, D; VBLENDVPS D, B, A, D; VBLENDVPD D, M, A, D; VPBLENDVB D, B, A, D
VPERMPS M, A, D; VPERMPD $0x93, A, D; VPERMQ $0x4e, M, D; VPERM2I128 $0x21, B, A, D; VPERM2I128 $0x03, M, A, D
VUNPCKLPS B, A, D; VUNPCKHPS M, A, D; VUNPCKLPD B, A, D; VUNPCKHPD B, A, D; VPUNPCKLDQ B, A, D; VPUNPCKLWD B16, A16, D16
VPSHUFB M, A, D; VPALIGNR $13, B, A, D; VPALIGNR $20, B, A, D; VPSLLDQ $3, A, D; VPSLLDQ $12, A16, D16
VCVTDQ2PS M, D; VCVTDQ2PD A16, D; VCVTPS2PD M16, D; VCVTTPS2DQ A, D; VCVTPD2PSY A, D16; VCVTPD2PSY M, D16; VCVTTPD2DQY A, D16; VCVTTPD2DQY M, D16
VPMOVZXBW A16, D; VPMOVZXBD M8, D; VPMOVZXBQ M4, D; VPMOVZXWD A16, D; VPMOVZXWQ M8, D; VPMOVZXDQ A16, D
VPMOVSXBW A16, D; VPMOVSXBD M8, D; VPMOVSXBQ M4, D; VPMOVSXWD A16, D; VPMOVSXWQ M8, D; VPMOVSXDQ A16, D
VBROADCASTSS M4, D; VBROADCASTSD M8, D; VBROADCASTF128 M16, D; VPBROADCASTB M1, D; VPBROADCASTW A16, D; VPBROADCASTD A16, D; VPBROADCASTQ M8, D
VINSERTF128 $1, M16, A, D; VINSERTF128 $0, B16, A, D; VEXTRACTF128 $1, A, D16; VEXTRACTI128 $1, A, D16; VEXTRACTF128 $1, A, M16; VEXTRACTPS $2, A16, M4; VMOVHPD A16, M8
VMOVUPS A, D; VMOVUPS M, D; VMOVUPD A, M; VMOVAPS M, D; VMOVAPS A, M; VMOVNTPS A, M; VMOVSS M4, D16; VMOVSD M8, D16; VMOVSS A16, M4; VMOVSD A16, M8
VMOVD M4, D16; VMOVQ M8, D16; VMOVD A16, M4; VMOVQ A16, M8; VMASKMOVPS M, A, D; VMASKMOVPD M, A, D; VMASKMOVPS B, A, M; VMASKMOVPD B, A, M
MOVQ M8, R | VMOVQ R, D16; MOVL M4, R | VMOVD R, D16; MOVBLZX M1, R | VMOVQ R, D16; MOVWLZX M4, R | VMOVQ R, D16; VPTEST B, A; CMOV
`), "\n")

// The layout of the memory of a case: A, B, the result before and the memory operand; then the
// result register and the flags.
const (
	caseBytes = 7 * 64
	resultAt  = 4 * 64
	flagsAt   = 5 * 64
)

// TestNative executes instructions on the processor and in the evaluator, on random bytes, floats
// and special values. Results, memory and flags must be the same, except for the bits of NaNs.
func TestNative(t *testing.T) {
	text, names := nativeText()
	rng := rand.New(rand.NewPCG(3, 30))
	const rounds = 400
	var in []byte
	for range rounds * len(names) {
		in = append(in, nativeCase(rng)...)
	}
	want, code := runNative(t, text, names, in), Parse(text)
	differing := 0
	for k := range rounds * len(names) {
		at, name := k*caseBytes, names[k%len(names)]
		got := alignedBytes(in[at : at+caseBytes])
		frame := [1]uintptr{uintptr(unsafe.Pointer(&got[0]))}
		code.Call(name, unsafe.Pointer(&frame))
		if w := want[at : at+caseBytes]; !sameBits(got, w) && differing < 10 {
			differing++
			t.Errorf("%s\n%s\nof    %x\ngives %x\nnot   %x", name, body(text, name), in[at:at+caseBytes], got, w)
		}
	}
	t.Logf("%d instructions, %d times each", len(names), rounds)
}

// nativeText returns functions with an instruction each.
func nativeText() (text string, names []string) {
	var b strings.Builder
	b.WriteString("#include \"textflag.h\"\n")
	for _, line := range strings.Split(strings.ReplaceAll(strings.Join(natives, ";"), "; ", ";"), ";") {
		for _, bytes := range []int{32, 16} {
			all := strings.Contains(line, "128") || strings.Contains(line, "VPERM") || strings.Contains(line, "SD M8, D") || strings.Contains(line, "Y ")
			if bytes == 16 && (all || strings.ContainsAny(line, "0123456789") && strings.Contains(line, "16")) {
				continue
			}
			name := fmt.Sprintf("case%d", len(names))
			names = append(names, name)
			fmt.Fprintf(&b, "\nTEXT ·%s(SB), NOSPLIT, $0-8\n\tMOVQ frame+0(FP), AX\n\tMOVQ (AX), AX\n", name)
			fmt.Fprintf(&b, "\tVMOVUPS (AX), Y0\n\tVMOVUPS 64(AX), Y1\n\tVMOVUPS 128(AX), Y2\n\tXORQ CX, CX\n\tXORQ DX, DX\n")
			for part := range strings.SplitSeq(line, " | ") {
				writeNative(&b, part, bytes)
			}
			fmt.Fprintf(&b, "\tVMOVUPS Y2, %d(AX)\n\tMOVQ DX, %d(AX)\n\tVZEROUPPER\n\tRET\n", resultAt, flagsAt)
		}
	}
	return b.String(), names
}

// writeNative writes an instruction for vectors of some size, and what its flags lead to.
func writeNative(b *strings.Builder, line string, bytes int) {
	if line == "CMOV" { // every jump after a comparison
		for k, op := range strings.Fields("JE JNE JLT JLE JGT JGE") {
			fmt.Fprintf(b, "\tMOVQ (AX), R8\n\tCMPQ R8, 64(AX)\n\t%s label%d\n\tADDQ $+%d, DX\nlabel%d:\n", op, k, 1<<k, k)
		}
		b.WriteString("\tINCQ 128(AX)\n\tCMOVQGE R8, CX\n\tDECQ 136(AX)\n\tCMOVQGT R8, CX\n\tSUBQ R8, CX\n\tSHLQ $0x08, CX\n\tADDQ CX, DX\n")
		return
	}
	op, operands, _ := strings.Cut(line, " ")
	var all []string
	for o := range strings.SplitSeq(operands, ", ") {
		size := bytes
		fmt.Sscanf(o[1:], "%d", &size)
		switch o[0] {
		case 'M':
			o = "192(AX)"
		case 'R':
			o = "R8"
		case 'A', 'B', 'D':
			o = fmt.Sprintf("%c%d", map[int]rune{16: 'X', 32: 'Y'}[size], strings.IndexByte("ABD", o[0]))
		}
		all = append(all, o)
	}
	fmt.Fprintf(b, "\t%s %s\n", op, strings.Join(all, ", "))
	if op == "VPTEST" {
		b.WriteString("\tJEQ none\n\tINCQ DX\nnone:\n")
	}
}

// nativeCase returns the memory of a case.
func nativeCase(rng *rand.Rand) []byte {
	m := make([]byte, caseBytes)
	kind := rng.IntN(5)
	for k := 0; k < 4*64; k += 8 {
		x := rng.Uint64()
		switch special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -1e-310, 1e-45, -1e-39, math.MaxFloat32, math.MaxFloat64, 1, -2.5, math.MaxInt32 + 0.5, -2147483649}; kind {
		case 1:
			x = math.Float64bits(special[rng.IntN(len(special))])
		case 2:
			a, b := float32(special[rng.IntN(len(special))]), float32(special[rng.IntN(len(special))])
			x = uint64(math.Float32bits(a)) | uint64(math.Float32bits(b))<<32
		case 3: // numbers about 1, for which sums are rounded
			x = math.Float64bits(rng.NormFloat64() * math.Exp2(float64(rng.IntN(60)-30)))
			if rng.IntN(2) == 0 {
				x = uint64(math.Float32bits(float32(rng.NormFloat64()))) | uint64(math.Float32bits(float32(1e-7*rng.NormFloat64())))<<32
			}
		case 4: // bytes that are often the same, and the least and the greatest
			x = []uint64{0, ^uint64(0), 0x8000000080000000, 0x7f80ff01017f80ff, 0x8080808080808080}[rng.IntN(5)]
		}
		put(m[k:], 8, 0, x)
	}
	return m
}

// alignedBytes returns a copy at a multiple of 64.
func alignedBytes(of []byte) []byte {
	room := make([]byte, len(of)+64)
	first := -int(uintptr(unsafe.Pointer(&room[0]))) & 63
	return append(room[first:first], of...)
}

// sameBits compares the memory of a case; lanes of 8 or of 4 bytes may be NaNs of other bits.
func sameBits(a, b []byte) bool {
	nan := func(size int) bool {
		for l := range len(a) / size {
			x, y := get(a, size, l), get(b, size, l)
			if p, q := float(size, x), float(size, y); x != y && (p == p || q == q) {
				return false
			}
		}
		return true
	}
	return bytes.Equal(a, b) || nan(4) || nan(8)
}

// body is the text of a function.
func body(text, name string) string {
	_, from, _ := strings.Cut(text, "·"+name+"(SB)")
	from, _, _ = strings.Cut(from, "RET")
	return from
}

// runNative executes all functions in turn on the processor.
func runNative(t *testing.T, text string, names []string, in []byte) []byte {
	flags, _ := os.ReadFile("/proc/cpuinfo")
	if !slices.Contains(strings.Fields(string(flags)), "avx2") || !slices.Contains(strings.Fields(string(flags)), "fma") {
		if runtime.GOARCH != "amd64" {
			t.Skip("this processor has no AVX2")
		}
		lacking.Skip(t, "this processor has no AVX2")
	}
	dir := t.TempDir()
	var program strings.Builder
	fmt.Fprintf(&program, "package main\n\nimport (\n\t\"io\"\n\t\"os\"\n\t\"unsafe\"\n)\n\n")
	for _, name := range names {
		fmt.Fprintf(&program, "//go:noescape\nfunc %s(frame unsafe.Pointer)\n\n", name)
	}
	fmt.Fprintf(&program, "func main() {\n\tin, err := io.ReadAll(os.Stdin)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tall := []func(unsafe.Pointer){%s}\n", strings.Join(names, ", "))
	fmt.Fprintf(&program, "\troom := make([]byte, len(in)+64)\n\tm := room[-int(uintptr(unsafe.Pointer(&room[0])))&63:][:len(in)]\n\tcopy(m, in)\n\tfor k := range len(m) / %d {\n\t\tp := &m[%d*k]\n\t\tall[k%%len(all)](unsafe.Pointer(&p))\n\t}\n\tos.Stdout.Write(m)\n}\n", caseBytes, caseBytes)
	for name, data := range map[string]string{"go.mod": "module natives\n\ngo 1.26\n", "main.go": program.String(), "cases_amd64.s": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "natives")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(filepath.Join(dir, "natives"))
	run.Stdin, run.Stderr = bytes.NewReader(in), os.Stderr
	out, err := run.Output()
	if err != nil || len(out) != len(in) {
		t.Fatal(len(out), err)
	}
	return out
}
