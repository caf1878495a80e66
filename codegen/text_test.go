package codegen

import (
	"go/constant"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"loopc/ir"
	"loopc/transform/plan"
)

func TestSum(t *testing.T) {
	for _, c := range []struct {
		terms []term
		want  string
	}{
		{nil, "0"},
		{[]term{{0, "i"}, {0, ""}}, "0"},
		{[]term{{1, "i"}, {0, "j"}, {-1, ""}}, "i - 1"},
		{[]term{{-1, "i"}, {2, "j"}, {3, ""}}, "-i + 2*j + 3"},
		{[]term{{1, "i"}, {1, "j"}, {1, "i"}}, "2*i + j"},
		{[]term{{1, "i"}, {-1, "i"}, {4, ""}, {-4, ""}}, "0"},
		{[]term{{7, ""}, {-3, "i"}}, "-3*i + 7"},
	} {
		if got := sum(c.terms...); got != c.want {
			t.Errorf("sum(%v) = %q, want %q", c.terms, got, c.want)
		}
	}
}

func TestTimesAndPlus(t *testing.T) {
	for _, c := range [][3]string{
		{"0", "x", "0"}, {"1", "x", "x"}, {"x", "1", "x"}, {"i - 1", "s", "(i - 1)*s"}, {"3", "x", "3*x"}, {"-2", "x", "(-2)*x"},
	} {
		if got := times(c[0], c[1]); got != c[2] {
			t.Errorf("times(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
	if got := plus("a", "0", "-b", ""); got != "a - b" {
		t.Errorf("plus = %q", got)
	}
	if got := plus("0"); got != "0" {
		t.Errorf("plus of zeros = %q", got)
	}
}

// TestNumber requires that a constant as printed rounds to the same float64 and
// float32 as the constant itself: decimals, fractions and large numbers. Integers of 64 bits are printed exactly.
func TestNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := []constant.Value{
		constant.MakeInt64(0), constant.MakeInt64(-7), constant.MakeFloat64(0.25),
		constant.MakeFromLiteral("0.1", token.FLOAT, 0),
		constant.BinaryOp(constant.MakeInt64(1), token.QUO, constant.MakeInt64(3)),
		constant.BinaryOp(constant.MakeInt64(-22), token.QUO, constant.MakeInt64(7)),
		constant.MakeFromLiteral("6.02214076e23", token.FLOAT, 0),
		constant.MakeFromLiteral("1e-300", token.FLOAT, 0),
		constant.Shift(constant.MakeInt64(1), token.SHL, 200),
		constant.MakeInt64(math.MinInt64), constant.MakeInt64(-1 << 60), constant.MakeUint64(math.MaxUint64),
		constant.MakeFromLiteral("3.14159265358979323846264338327950288419716939937510582097494459", token.FLOAT, 0),
	}
	for range 200 {
		values = append(values, constant.MakeFromLiteral(strconv.FormatFloat(rng.NormFloat64(), 'f', rng.IntN(25), 64), token.FLOAT, 0))
	}
	for _, v := range values {
		text := number(v, ir.Float64)
		printed := evaluate(t, text)
		a, _ := constant.Float64Val(v)
		b, _ := constant.Float64Val(printed)
		if v.Kind() == constant.Int && constant.BitLen(v) <= 64 && !constant.Compare(v, token.EQL, printed) {
			t.Errorf("%s prints as %s", v.ExactString(), text)
		}
		if math.Float64bits(a) != math.Float64bits(b) {
			t.Errorf("%s prints as %s, which is %v as float64, not %v", v.ExactString(), text, b, a)
		}
		text = number(v, ir.Float32)
		printed = evaluate(t, text)
		c, _ := constant.Float32Val(v)
		d, _ := constant.Float32Val(printed)
		if c != d {
			t.Errorf("%s prints as %s, which is %v as float32, not %v", v.ExactString(), text, d, c)
		}
	}
}

// evaluate computes "a" or "a / b".
func evaluate(t *testing.T, text string) constant.Value {
	t.Helper()
	literal := func(s string) constant.Value {
		sign := int64(1)
		if s[0] == '-' {
			sign, s = -1, s[1:]
		}
		kind := token.FLOAT
		if !strings.ContainsAny(s, ".e") {
			kind = token.INT
		}
		v := constant.MakeFromLiteral(s, kind, 0)
		if v.Kind() == constant.Unknown {
			t.Fatalf("%q is no Go literal", s)
		}
		return constant.BinaryOp(v, token.MUL, constant.MakeInt64(sign))
	}
	num, den, fraction := strings.Cut(text, " / ")
	if !fraction {
		return literal(text)
	}
	return constant.BinaryOp(constant.ToFloat(literal(num)), token.QUO, constant.ToFloat(literal(den)))
}

func TestNames(t *testing.T) {
	s := newScope("x")
	for _, c := range [][2]string{{"y", "y"}, {"y", "y_"}, {"x", "x_"}, {"len", "len_"}, {"for", "for_"}, {"kernel", "kernel_"}, {"lo", "lo_"}} {
		if got := s.name(c[0]); got != c[1] {
			t.Errorf("name(%q) = %q, want %q", c[0], got, c[1])
		}
	}
	for _, c := range [][2]string{{"u", "U"}, {"U0", "U0"}, {"_a", "X_a"}, {"éa", "Éa"}, {"語", "X語"}} {
		if got := exported(c[0]); got != c[1] || !token.IsExported(got) {
			t.Errorf("exported(%q) = %q, want %q", c[0], got, c[1])
		}
	}
	if got := offsetName("t", -2) + offsetName("i", 1); got != "Prev2TNextI" {
		t.Errorf("offset names %q", got)
	}
}

// TestCommentsCannotEnd quotes source text with line ends and control characters in comments of
// emitted code. A comment must not end there.
func TestCommentsCannotEnd(t *testing.T) {
	p := &printer{}
	p.linef("package x")
	p.comment("a\rvar bad int\x00\u2028*/\xff")
	src, err := p.source("x.go", func(map[string]bool) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(src), "\r\x00\u2028") {
		t.Errorf("control characters got through: %q", src)
	}
	p = &printer{}
	p.linef("package x")
	p.linef("func {")
	if _, err := p.source("x.go", func(map[string]bool) string { return "" }); err == nil || !strings.Contains(err.Error(), "func {") {
		t.Errorf("code that does not parse gives %v", err)
	}
}

// TestGoLiteral prints values of package plan that parse as Go.
func TestGoLiteral(t *testing.T) {
	n := plan.Nest{
		Name: "n", Params: []string{"N"}, Defaults: map[string]int{"N": 3, "A": 1}, Skew: [][]int{{1, 0}, {-2, 1}},
		Space:  []plan.Affine{{Const: -1, Iters: []int{1}}, {}},
		Arrays: []plan.Array{{Name: "a\"b", Role: plan.InOut, Slice: []*plan.Affine{nil, {Const: 4}}, Initial: plan.Given}},
	}
	text := goLiteral(n)
	if _, err := parser.ParseExpr(text); err != nil {
		t.Errorf("%v:\n%s", err, text)
	}
	for _, want := range []string{`map[string]int{"A": 1, "N": 3}`, "plan.InOut", "plan.Given", "[]*plan.Affine{nil, {Const: 4}}", `"a\"b"`, "{{1, 0}, {-2, 1}}"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
