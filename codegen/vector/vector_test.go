package vector_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"loopc/codegen/asm"
	"loopc/codegen/vector"
	"loopc/frontend"
	"loopc/transform"
)

// analyze compiles a nest over t, i, j with the given body.
func analyze(t *testing.T, declarations, body string) (*vector.Shape, vector.Refusal) {
	t.Helper()
	src := "param T, N = 5, 50\n" + declarations + "\nfor t = 1..T, i = 1..N, j = 1..N {\n" + body + "\n}\n"
	n, diags := frontend.Compile("test.loop", []byte(src))
	if n == nil {
		t.Fatalf("%v\n%s", diags, src)
	}
	l, p, diags := transform.Lower(n)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	live := make([]bool, len(n.Body))
	for k := range live {
		live[k] = true
	}
	return vector.Analyze(n, l, p, live)
}

// assembled returns what analyze does, and the kernels with their functions.
func assembled(t *testing.T, declarations, body string) (s *vector.Shape, text []byte, functions []vector.Function) {
	t.Helper()
	s, why := analyze(t, declarations, body)
	if s == nil {
		t.Fatalf("%s: %s", body, why.Why)
	}
	if text, functions, why = s.Assembly("kernel", "test.loop"); text == nil {
		t.Fatalf("%s: %s", body, why.Why)
	}
	return s, text, functions
}

const (
	float32s = "array u[0..T, 0..N+1, 0..N+1] float32 out\ninit u[t, i, j] = i"
	float64s = "array u[0..T, 0..N+1, 0..N+1] float64 out\ninit u[t, i, j] = i"
	int32s   = "array u[0..T, 0..N+1, 0..N+1] int32 out\ninit u[t, i, j] = i"
	int64s   = "array u[0..T, 0..N+1, 0..N+1] int64 out\ninit u[t, i, j] = i"
	pipeline = "u[t,i,j] = 0.3*u[t-1,i,j] + 0.3*u[t,i-1,j] + 0.4*u[t,i,j-1]"
)

// TestBugsAreNotRefusals: only refusals become the reason for a missing kernel. A bug, here a
// missing argument, must still panic.
func TestBugsAreNotRefusals(t *testing.T) {
	n, diags := frontend.Compile("test.loop", []byte("param N = 9\narray u[0..N] float64 inout\nfor t = 1..N, i = 1..N { u[i] = u[i-1] }\n"))
	if n == nil {
		t.Fatal(diags)
	}
	l, p, _ := transform.Lower(n)
	for what, analyze := range map[string]func(){
		"Analyze":       func() { vector.Analyze(n, l, p, nil) },
		"AnalyzeLevels": func() { vector.AnalyzeLevels(n, l, p, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s hides a fault", what)
				}
			}()
			analyze()
		}()
	}
}

// TestSchemes says which lanes nests have, with what skew, or why none.
func TestSchemes(t *testing.T) {
	for _, c := range []struct {
		what, declarations, body string
		scheme                   vector.Scheme
		skew                     int
		why                      string
	}{
		{"nothing within a level", float32s, "u[t,i,j] = 0.5*u[t-1,i,j] + 0.25*u[t-1,i,j-1]", vector.Contiguous, 0, ""},
		{"rows need the row above", float32s, "u[t,i,j] = 0.5*u[t-1,i,j] + 0.25*u[t,i-1,j]", vector.Contiguous, 0, ""},
		{"rows need themselves", float64s, "u[t,i,j] = 0.5*u[t-1,i,j] + 0.25*u[t,i,j-1]", vector.Wavefront, 0, ""},
		{"both", float32s, pipeline, vector.Wavefront, 1, ""},
		{"a diagonal needs no skew", float32s, "u[t,i,j] = 0.5*u[t,i,j-1] + 0.25*u[t,i-1,j-1]", vector.Wavefront, 0, ""},
		{"integers", int32s, "u[t,i,j] = max(u[t,i,j-1], u[t,i-1,j]) - 3*u[t-1,i,j]", vector.Wavefront, 1, ""},
		{"divided floats", float32s, "u[t,i,j] = u[t-1,i,j]/u[t-1,i,j-1]", vector.Contiguous, 0, ""},
		{"divided integers", int32s, "u[t,i,j] = u[t-1,i,j]/3", vector.Contiguous, 0, ""},
		{"integers divided by one another", int32s, "u[t,i,j] = u[t-1,i,j]/u[t-1,i-1,j]", 0, 0, "integers are divided"},
		{"many remainders inside one another", int32s, "u[t,i,j] = " + strings.Repeat("(", 8) + "u[t-1,i,j]" + strings.Repeat(" % 9)", 8), 0, 0, "integers are divided"},
		{"long integers", int64s, "u[t,i,j] = max(u[t-1,i,j] + 8*i, -u[t-1,i-1,j])", vector.Contiguous, 0, ""},
		{"products of long integers", int64s, "u[t,i,j] = u[t-1,i,j]*u[t-1,i-1,j]", vector.Contiguous, 0, ""},
		{"quotients of long integers", int64s, "u[t,i,j] = u[t-1,i,j]/3", vector.Contiguous, 0, ""},
		{"integers of two bytes that wrap", "array u[0..T, 0..N+1, 0..N+1] int16 out\ninit u[t, i, j] = 7", "u[t,i,j] = u[t-1,i,j]*u[t-1,i-1,j]/-3", vector.Contiguous, 0, ""},
		{"long integers from floats", int64s + "\narray g[0..N, 0..N] float64 in", "u[t,i,j] = u[t-1,i,j] + int64(g[i,j])", 0, 0, "float64 is converted to int64"},
		{"a great index", "array u[0..T, -9*N..9*N, 0..N+1] float64 out\ninit u[t, i, j] = i", "u[t,i,j] = u[t-1,i+300,j] + i", 0, 0, "more than 31 bits"},
		{"a function", float64s, "u[t,i,j] = sin(u[t-1,i,j])", 0, 0, "sin has no vector form"},
		{"a function of the outermost loop", float64s, "u[t,i,j] = u[t-1,i,j] + sin(0.1*t)", vector.Contiguous, 0, ""},
		{"a function of the outermost loop in lanes across rows", float64s, "u[t,i,j] = u[t,i,j-1] + cos(t)*tanh(N)", vector.Wavefront, 0, ""},
		{"a function of rows", float64s, "u[t,i,j] = u[t-1,i,j] + sin(i)", 0, 0, "sin has no vector form"},
		{"an exponential", float64s, "u[t,i,j] = exp(u[t-1,i,j])", vector.Contiguous, 0, ""},
		{"a logarithm of halves of lanes", float32s, "u[t,i,j] = log(u[t-1,i,j])", vector.Contiguous, 0, ""},
		{"other neighbors", float64s + "\narray g[0..N, 0..2*N] float64 in", "u[t,i,j] = u[t-1,i,j] + g[i,2*j]", vector.Contiguous, 0, ""},
		{"other neighbors of bytes", int32s + "\narray g[0..N, 0..2*N] uint8 in", "u[t,i,j] = u[t-1,i,j] + g[i,2*j]", vector.Contiguous, 0, ""},
		{"other neighbors in lanes across rows", float64s + "\narray g[0..N, 0..2*N] float64 in", "u[t,i,j] = u[t,i,j-1] + g[i,2*j]", 0, 0, "not neighbors"},
		{"columns", float64s + "\narray g[0..N, 0..N] float64 in", "u[t,i,j] = u[t-1,i,j] + g[j,i]", vector.Contiguous, 0, ""},
		{"rows and columns", float64s + "\narray g[0..N, 0..N] float64 in", "u[t,i,j] = u[t-1,i,j] + g[j,i]*g[i,j]", vector.Contiguous, 0, ""},
		{"nothing given back", "array u[0..T, 0..N+1, 0..N+1] float64", "u[t,i,j] = 0.5*i", 0, 0, "nothing that it computes is given back"},
		{"bytes compared", int32s + "\narray g[0..N] uint8 in", "u[t,i,j] = select(g[i] == g[j], 1, u[t-1,i,j])", vector.Contiguous, 0, ""},
		{"bytes computed with", int32s + "\narray g[0..N] uint8 in", "u[t,i,j] = select(g[i]+g[j] == 4, 1, u[t-1,i,j])", vector.Contiguous, 0, ""},
	} {
		s, why := analyze(t, c.declarations, c.body)
		switch {
		case c.why != "":
			if s != nil || !strings.Contains(why.Why, c.why) {
				t.Errorf("%s: shape %v, because %q, want %q", c.what, s, why.Why, c.why)
			}
		case s == nil:
			t.Errorf("%s: refused: %s", c.what, why.Why)
		case s.Scheme != c.scheme || s.Scheme == vector.Wavefront && s.Skew() != c.skew:
			t.Errorf("%s: %v with skew %d, want %v with %d", c.what, s.Scheme, s.Skew(), c.scheme, c.skew)
		}
	}
}

// TestRowValues: with AVX-512, what has one value for a row costs a step no arithmetic but its use.
func TestRowValues(t *testing.T) {
	arithmetic := func(body string) float64 {
		_, _, functions := assembled(t, float32s, body)
		return functions[len(functions)-1].Cost.Arithmetic
	}
	few, most := arithmetic("u[t,i,j] = u[t-1,i,j] + N"), arithmetic("let x = 0.5*t + i\nu[t,i,j] = u[t-1,i,j] + select(i == 5, x/3, x)")
	if few != most {
		t.Errorf("a step takes %v instructions of arithmetic, want %v", most, few)
	}
}

// TestRowPatterns: with AVX-512, a condition on a remainder that all vectors of a row share is computed before them.
func TestRowPatterns(t *testing.T) {
	for _, c := range []struct {
		condition string
		before    bool
	}{
		{"(i + j)%2 == 0", true}, {"s%4 == 3", true}, {"(3*j - (1 + (i+t)%2))%2 != 0", true}, {"s/8*8 == s", true},
		{"(i - j)&7 == 2", true}, {"(i - j)%2 == 0", true}, {"!(s%2 == 1) && (j - i)%16 == 0", true},
		{"s%3 == 0", false}, {"(i - j)%2 == 1", false}, {"s%32 == 0", false}, {"(i*j)%2 == 0", false},
	} {
		_, text, _ := assembled(t, float32s, "let s = i + j\nu[t,i,j] = select("+c.condition+", 0.5*u[t-1,i,j-1], u[t-1,i,j])")
		loop := text[bytes.LastIndex(text, []byte("\nvectors:")):]
		loop = loop[:bytes.Index(loop, []byte("\nfew:"))]
		if before := !regexp.MustCompile("VPCMP|VPTEST").Match(loop); before != c.before {
			t.Errorf("%s: computed before the row: %v, want %v", c.condition, before, c.before)
		}
	}
}

// TestStraightPart: the loop over the straight part of rows tests nothing and gathers nothing, where the clamps and the
// conditions around a lookup leave one; a vector of cells that usually follow one another is loaded at once elsewhere.
func TestStraightPart(t *testing.T) {
	const given = "\narray a[0..N, 0..N] float64 in\narray s[0..N] int32 in\n"
	for _, c := range []struct {
		value          string
		straight, runs bool
	}{
		{"a[i,max(j - s[i], 0)]", true, true}, {"select(j >= s[i], a[i,j - s[i]], 0)", true, true},
		{"select(!(j < 3*s[i]) && s[i]%4 > 1, a[i,j - s[i]], 0)", true, true}, {"a[i,min(j + s[i], N)] + a[i,max(j - s[i], 0)]", true, true},
		{"a[i,(j + 64)%32]", false, true}, {"a[i,N - max(j - s[i], 0)]", false, true},
		{"a[i,max(2*j - s[i], 0)]", false, false}, {"a[i,s[j]]", false, false}, {"a[max(j - s[i], 0),j]", false, false},
	} {
		_, text, _ := assembled(t, float64s+given, "u[t,i,j] = 0.5*u[t-1,i,j] + "+c.value)
		last := text[bytes.LastIndex(text, []byte("TEXT")):]
		begin, end := bytes.Index(last, []byte("\nstraight:")), bytes.Index(last, []byte("\nbeside:"))
		if straight := begin >= 0; straight != c.straight {
			t.Errorf("%s: a straight part: %v, want %v", c.value, straight, c.straight)
		} else if straight && regexp.MustCompile("GATHER|BLEND|KORTEST").Match(last[begin:end]) {
			t.Errorf("%s: the straight part tests or gathers:\n%s", c.value, last[begin:end])
		}
		if runs := bytes.Contains(last, []byte("\nfound:")); runs != c.runs {
			t.Errorf("%s: cells in runs: %v, want %v", c.value, runs, c.runs)
		}
	}
}

// TestCost compares the cost of the pipeline kernel with a count by hand. With eight lanes of AVX2:
// 16 shuffles in and 16 out for eight steps, and a permutation in each step; three products and two
// sums. From a result to the next one: a permutation, a blend, a product and two sums.
func TestCost(t *testing.T) {
	_, text, functions := assembled(t, float32s, pipeline)
	one := functions[0]
	if one.ISA != asm.AVX2 || one.Rows != 8 || one.Blocks != 1 {
		t.Fatalf("the first kernel is %+v", one)
	}
	c := one.Cost
	if c.Lanes != 8 || c.Shuffles != 5 || c.Arithmetic != 5 || c.Latency[asm.Whole] != 16 || c.Divider != 0 {
		t.Errorf("cost %s", &c)
	}
	if c.Ports[asm.Whole] != 5.125 { // 82 loads in eight steps, two in a cycle
		t.Errorf("ports %v", c.Ports[asm.Whole])
	}
	if functions[1].Blocks != 2 {
		t.Error("a kernel that waits for results has no second block")
	}
	for _, f := range functions {
		if !bytes.Contains(text, []byte("TEXT ·"+f.Name+"(SB)")) {
			t.Errorf("there is no %s", f.Name)
		}
	}
	// Before every return, the upper halves are cleared.
	if n, m := bytes.Count(text, []byte("\tVZEROUPPER\n\tRET\n")), bytes.Count(text, []byte("\tRET\n")); n != len(functions) || m != n {
		t.Errorf("%d of %d returns follow VZEROUPPER in %d kernels", n, m, len(functions))
	}
}

// TestJammed says how many rows are computed together: as many as read one another at the same column
// only, and wait for nothing else.
func TestJammed(t *testing.T) {
	const given = "\narray a[0..N+1, 0..N+1] float64 in\narray b[0..N+1] float64 in"
	jam := regexp.MustCompile(`\ngroup:\n\tCMPQ +\(AX\), \$\+(\d)\n`)
	for _, c := range []struct {
		body string
		rows int
	}{
		{"u[t,i,j] = u[t,i-1,j] + a[t,i]*b[j]", 4},
		{"u[t,i,j] = u[t,i-1,j] + u[t,i-3,j]*a[t,i]", 4},
		{"u[t,i,j] = u[t,i-1,j]*i + a[t,i]", 4},
		{"u[t,i,j] = u[t,i-1,j] + u[t-1,i-2,j-1]*i", 0}, // a compressed grid may overwrite
		{"u[t,i,j] = u[t,i-1,j] + u[t,i-2,j-1]", 2},
		{"u[t,i,j] = u[t,i-1,j] + u[t,i-4,j-1]", 2},
		{"u[t,i,j] = u[t,i-1,j] + u[t,i-3,j-1]", 2},
		{"u[t,i,j] = u[t,i-4,j] + a[t,i]", 0},
		{"u[t,i,j] = u[t,i-1,j-1] + u[t,i-1,j]", 0},
		{"u[t,i,j] = u[t,i-1,j] + b[(j - i)&31]", 4},
		{"u[t,i,j] = u[t,i-1,j] + b[max(j - i, 0)]", 0}, // one row loads, and rows together gather
	} {
		_, text, _ := assembled(t, strings.ReplaceAll(float64s, "0..", "-4..")+given, c.body)
		rows := 0
		if m := jam.FindSubmatch(text); m != nil {
			rows = int(m[1][0] - '0')
		}
		if rows != c.rows {
			t.Errorf("%s: %d rows are computed together, want %d", c.body, rows, c.rows)
		}
	}
}

// TestKept counts the loads of a step: constants and repeated cells must stay in registers, as far
// as there are registers. With short vectors, there are half as many.
func TestKept(t *testing.T) {
	var few, many []string
	for k := range 6 {
		few = append(few, fmt.Sprintf("0.3%d*u[t-1,i,j-%d]", k, k%2))
	}
	for k := range 2 {
		for j := range 8 {
			many = append(many, fmt.Sprintf("0.3%d*u[t-1,i,j-%d]", (j+k)%7, j))
		}
	}
	for _, c := range []struct {
		what             string
		body             []string
		isa              asm.ISA
		constants, cells int // that two steps read
	}{
		{"all fits into few", few, asm.AVX2, 0, 2 * 2},
		{"three quarters fit into few", many, asm.AVX2, 2 * 6, 2 * 10},
		{"most fits into many, of which one is slid", many, asm.AVX512, 2 * 2, 2 * 7},
	} {
		_, text, _ := assembled(t, strings.Replace(float32s, "0..N+1]", "-8..N+1]", 2), "u[t,i,j] = "+strings.Join(c.body, " + "))
		_, kernel, _ := strings.Cut(string(text), "TEXT ·kernel"+strings.ToUpper(c.isa.String())+"(SB)")
		_, steps, _ := strings.Cut(kernel, "\nvectors:\n")
		steps, _, _ = strings.Cut(steps, "\nvector:\n")
		constants, cells := strings.Count(steps, "Const"), strings.Count(steps, "(DX)")
		if constants != c.constants || cells != c.cells {
			t.Errorf("%s: %d constants and %d cells are read, want %d and %d\n%s", c.what, constants, cells, c.constants, c.cells, steps)
		}
	}
}

// TestReused requires reads of one row to be moved in registers where loads take longer than
// what shuffles do, and not where sums do.
func TestReused(t *testing.T) {
	for _, c := range []struct {
		what, body              string
		shuffles, loads, across float64 // of a step with long vectors
		moved, loaded           float64 // of one with short vectors: shuffles, loads
	}{
		{"three neighbors", "u[t,i,j] = 0.5*u[t-1,i,j] + 0.25*(u[t-1,i,j-1] + u[t-1,i,j+1])", 1, 2, 1, 0, 3},
		{"two neighbors", "u[t,i,j] = u[t-1,i,j-1] + u[t-1,i,j]", 1, 1, 0, 0, 2},
		{"two far from one another", "u[t,i,j] = u[t-1,i,j-8] + u[t-1,i,j]", 0, 2, 1, 0, 2},
		{"one of each row", "u[t,i,j] = u[t-1,i,j] + u[t-1,i-1,j]", 0, 2, 0, 0, 2},
		{"many sums", "u[t,i,j] = u[t-1,i,j] + 0.1*(u[t-1,i,j-1] + 0.1*(u[t-1,i,j] + 0.2*(u[t-1,i,j-1] + 0.3*(u[t-1,i,j] + 0.4*(u[t-1,i,j-1] + 0.5*(u[t-1,i,j] + 1))))))", 0, 2, 1, 0, 2},
	} {
		_, _, functions := assembled(t, strings.Replace(float64s, "0..N+1]", "-8..N+1]", 2), c.body)
		if len(functions) != 2 {
			t.Fatalf("%s: %d kernels", c.what, len(functions))
		}
		if f := functions[1].Cost; f.Shuffles != c.shuffles || f.Loads != c.loads || f.Across != c.across {
			t.Errorf("%s: %s, want %g shuffles, %g loads, %g in two lines", c.what, &f, c.shuffles, c.loads, c.across)
		}
		if f := functions[0].Cost; f.Shuffles != c.moved || f.Loads != c.loaded {
			t.Errorf("%s, short vectors: %s", c.what, &f)
		}
	}
}

// TestDivisions looks at what divisions by constants become, and at how their cost is
// counted: two products, and where 1/c is a number, one.
func TestDivisions(t *testing.T) {
	for _, c := range []struct {
		body, says string
		divider    bool
		latency    float64 // of a row that needs itself, with AVX-512
	}{
		{"u[t,i,j] = (u[t-1,i,j] + u[t,i,j-1])/9", "division by 9 as two products", false, 4 + 8},
		{"u[t,i,j] = (u[t-1,i,j] + u[t,i,j-1])/-6", "division by -6 as two products", false, 4 + 8},
		{"u[t,i,j] = (u[t-1,i,j] + u[t,i,j-1])/4", "division by 4 as a product", false, 4 + 4},
		{"u[t,i,j] = (u[t-1,i,j] + u[t,i,j-1])/N", "", true, 4 + 14},
		{"u[t,i,j] = (u[t-1,i,j] + u[t,i,j-1])/0.1", "", true, 4 + 14},
	} {
		s, _, functions := assembled(t, float64s, c.body)
		if got := strings.Join(s.Divisions(), ", "); got != c.says {
			t.Errorf("%s: %q, want %q", c.body, got, c.says)
		}
		cost := functions[len(functions)-1].Cost
		if (cost.Divider > 0) != c.divider || cost.Latency[asm.Whole] != c.latency {
			t.Errorf("%s: cost %s", c.body, &cost)
		}
	}
}

// TestExtremes requires that of several arguments of min and max, only the last one waits for the row's result before, whichever it is.
func TestExtremes(t *testing.T) {
	for _, body := range []string{
		"u[t,i,j] = min(u[t,i,j-1], u[t-1,i,j], 0.5*u[t-1,i,j], 3)",
		"u[t,i,j] = max(u[t-1,i,j], 0.5*u[t-1,i,j], u[t,i,j-1])",
		"let x = u[t,i,j-1]\nlet y = u[t-1,i,j]\nu[t,i,j] = min(x, y, 0.5*y)",
	} {
		_, _, functions := assembled(t, float64s, body)
		if cost := functions[len(functions)-1].Cost; cost.Latency[asm.Whole] != asm.LatencyMinMax {
			t.Errorf("%s: cost %s", body, &cost)
		}
	}
}

// TestSameText requires that the same nest leads to the same text each time: here three values
// are carried from step to step, whose registers have to be made in a fixed order.
func TestSameText(t *testing.T) {
	var declared strings.Builder
	for _, name := range []string{"a", "b", "c"} {
		declared.WriteString(strings.NewReplacer("array u", "array "+name, "init u", "init "+name).Replace(float64s) + "\n")
	}
	body := "a[t,i,j] = a[t,i,j-1] + 0.5*c[t,i,j-1]\nb[t,i,j] = b[t,i,j-1]*a[t,i,j-1]\nc[t,i,j] = c[t,i,j-1] - b[t,i,j-1]"
	var first []byte
	for range 20 {
		_, text, _ := assembled(t, declared.String(), body)
		if first == nil {
			first = text
		}
		if !bytes.Equal(text, first) {
			t.Fatal("two texts of the same nest differ")
		}
	}
}

// TestLanesOfTypes: a vector has as many lanes as it has room for values of the widest type of a body.
func TestLanesOfTypes(t *testing.T) {
	for elem, bytes := range map[string]int{"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "float32": 4, "int64": 8, "float64": 8} {
		declarations := fmt.Sprintf("array u[0..T, 0..N+1, 0..N+1] %s out\ninit u[t, i, j] = 7", elem)
		_, _, functions := assembled(t, declarations, "u[t,i,j] = 3*u[t-1,i,j] - u[t-1,i-1,j]*u[t-1,i,j]")
		for _, f := range functions {
			if want := f.ISA.Bytes() / bytes; f.Cost.Lanes != want {
				t.Errorf("%s: %s has %d lanes, want %d", elem, f.Name, f.Cost.Lanes, want)
			}
		}
	}
}
