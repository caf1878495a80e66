package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"loopc/ir/irtest"
)

// A longBody writes the source of a nest with about the given number of statements.
type longBody struct {
	name  string
	write func(statements int) string
}

// nestOf writes a nest of two loops around a body.
func nestOf(declared, body string) string {
	return "param N = 60\n" + declared + "for i = 1..N, j = 1..N {\n" + body + "}\n"
}

// repeated joins the texts that write returns for k = 1 to n-1. Each text may use the numbers k and
// k-1.
func repeated(n int, write func(k int) string) string {
	var b strings.Builder
	for k := 1; k < n; k++ {
		b.WriteString(write(k))
	}
	return b.String()
}

const longArray = "array u[-40..N+40, -40..N+40] float64 inout\n"

// longBodies are bodies that are long in different ways.
var longBodies = []longBody{
	{"two chains of lets", func(n int) string {
		return nestOf(longArray, "let a0 = u[i-1,j]\nlet b0 = u[i,j-1]\n"+repeated(n/2-1, func(k int) string {
			return fmt.Sprintf("let a%d = 0.5*a%d + b%d\nlet b%d = 0.25*b%d - a%d\n", k, k-1, k-1, k, k-1, k-1)
		})+fmt.Sprintf("u[i,j] = a%d + b%d\n", n/2-2, n/2-2))
	}},
	{"lets that all live to the end", func(n int) string {
		return nestOf(longArray, "let a0 = u[i-1,j]\n"+repeated(n-1, func(k int) string {
			return fmt.Sprintf("let a%d = %d.5*a%d + u[i,j-1]\n", k, k, k-1)
		})+"u[i,j] = a0"+repeated(n-1, func(k int) string { return fmt.Sprintf(" + a%d", k) })+"\n")
	}},
	{"lets over time", func(n int) string {
		body := repeated(n-1, func(k int) string {
			return fmt.Sprintf("let a%d = 0.5*a%d + u[t-1,i,j-%d]*w[i,j]\n", k, k-1, k%3)
		})
		return "param T, N = 10, 60\narray w[0..N+1, 0..N+1] float64 in\narray u[0..T, -3..N+3, -3..N+3] float64\ninit u[t,i,j] = 1\nout u[T,*,*]\n" +
			"for t = 1..T, i = 1..N, j = 1..N {\nlet a0 = u[t-1,i-1,j]\n" + body + fmt.Sprintf("u[t,i,j] = a%d\n}\n", n-2)
	}},
	{"assignments to few arrays", func(n int) string {
		declared := repeated(26, func(k int) string {
			return fmt.Sprintf("array v%d[0..N+1, 0..N+1] float64 inout\n", k)
		})
		return nestOf(declared, repeated(n+1, func(k int) string {
			if k > 150 { // more statements of an array and its reads are refused
				return fmt.Sprintf("let a%d = v%d[i,j-1] + v%d[i-1,j]\n", k, k%25+1, k%7+1)
			}
			return fmt.Sprintf("v%d[i,j] = 0.5*v%d[i,j-1] + 0.25*v%d[i-1,j]\n", k%25+1, k%25+1, (k+1)%25+1)
		}))
	}},
	{"an array for each statement", func(n int) string {
		declared := repeated(n+1, func(k int) string { return fmt.Sprintf("array v%d[0..N, 0..N] float64 inout\n", k) })
		return nestOf(declared, repeated(n+1, func(k int) string {
			return fmt.Sprintf("v%d[i,j] = 0.5*v%d[i,j-1] + 0.25*v%d[i-1,j]\n", k, k, k%n+1)
		}))
	}},
	{"one sum of reads", func(n int) string {
		return nestOf(longArray, "u[i,j] = 0.001*(u[i-1,j]"+repeated(n*9/10, func(k int) string {
			return fmt.Sprintf(" + u[i-%d,j-%d]", k/30+1, k%30)
		})+")\n")
	}},
	{"one sum of reads of a given array", func(n int) string {
		return nestOf("array g[-40..N+40, -40..N+40] float64 in\narray u[1..N, 1..N] float64 out\n", "u[i,j] = 0.001*(g[i-1,j]"+repeated(n*9/10, func(k int) string {
			return fmt.Sprintf(" + g[i-%d,j-%d]", k/30+1, k%30)
		})+")\n")
	}},
	{"one sum of reads of neighbors", func(n int) string { // not so many that its kernels are written in few ways
		return nestOf("array g[-99..N+99, -99..N+99] float64 in\narray u[1..N, 1..N] float64 out\n", "u[i,j] = 0.001*(g[i-1,j]"+repeated(min(n, 390), func(k int) string {
			return fmt.Sprintf(" + g[i-%d,j-%d]", k/7+1, k%7)
		})+")\n")
	}},
	{"nested selects", func(n int) string {
		e := "u[i-1,j]"
		for k := range n * 9 / 20 {
			e = fmt.Sprintf("select(u[i,j-1] < %d.5, u[i-1,j] + %d.0, %s)", k, k, e)
		}
		return nestOf(longArray, "u[i,j] = "+e+"\n")
	}},
	{"nested extremes", func(n int) string {
		e := "u[i-1,j]"
		for k := range n * 9 / 20 {
			e = fmt.Sprintf("min(u[i,j-1], max(%d.0, %s))", k, e)
		}
		return nestOf(longArray, "u[i,j] = "+e+"\n")
	}},
	{"nested extremes that are late", func(n int) string {
		e := "u[i,j-1]"
		for k := range n * 9 / 20 {
			e = fmt.Sprintf("min(max(%d.0, u[i-1,j], %s), u[i-1,j-1])", k, e)
		}
		return nestOf(longArray, "u[i,j] = "+e+"\n")
	}},
	{"lets of nested selects", func(n int) string {
		return nestOf(longArray, "let a0 = u[i-1,j]\n"+repeated(n-1, func(k int) string {
			return fmt.Sprintf("let a%d = select(a%d < %d.0, max(a%d, u[i,j-1]), select(a%d > u[i-1,j-1], a%d*0.5, 1.0))\n", k, k-1, k, k-1, k-1, k-1)
		})+fmt.Sprintf("u[i,j] = a%d\n", n-2))
	}},
	{"divisions", func(n int) string {
		return nestOf("array g[0..N, 0..N] float64 in\narray u[1..N, 1..N] float64 out\n", "let a0 = g[i-1,j]\n"+repeated(n-1, func(k int) string {
			return fmt.Sprintf("let a%d = (a%d + %d.0)/(g[i,j] + %d.0)\n", k, k-1, k, k%7)
		})+fmt.Sprintf("u[i,j] = a%d\n", n-2))
	}},
	{"integers", func(n int) string {
		return nestOf("array u[0..N, 0..N] int32 inout\n", "let a0 = u[i-1,j]\n"+repeated(n-1, func(k int) string {
			return fmt.Sprintf("let a%d = max(a%d + %d, u[i,j-1] - %d)\n", k, k-1, k, k%5)
		})+fmt.Sprintf("u[i,j] = a%d\n", n-2))
	}},
	{"lets of lets at random", func(n int) string {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		return nestOf(longArray, "let a0 = u[i-1,j]\n"+repeated(n-1, func(k int) string {
			return fmt.Sprintf("let a%d = a%d*u[i,j-1] + a%d\n", k, max(0, k-1-rng.IntN(4)), max(0, k-1-rng.IntN(9)))
		})+fmt.Sprintf("u[i,j] = a%d\n", n-2))
	}},
}

// TestLongBodies compiles bodies with as many statements as the language allows (shorter ones
// without -full). Each 1000 statements must take less than 5 s, and a body of twice as many
// statements not much more than twice the work. Work is measured as allocated memory, which does
// not depend on the machine.
func TestLongBodies(t *testing.T) {
	statements := irtest.OfAll(1000, 150)
	limit := time.Duration(statements) * 5 * time.Millisecond
	for _, b := range longBodies {
		t.Run(b.name, func(t *testing.T) {
			half, _ := compiling(t, b.write(statements/2))
			whole, took := compiling(t, b.write(statements))
			for range 3 { // a busy machine may stop us
				if took > limit {
					_, again := compiling(t, b.write(statements))
					took = min(took, again)
				}
			}
			growth := float64(whole) / float64(half)
			t.Logf("%-36s %6.2f s, %4d MiB, %.1f times those of half as many", b.name, took.Seconds(), whole>>20, growth)
			if took > limit {
				t.Errorf("%d statements took %v to compile", statements, took)
			}
			// A longer body may need the stack where half of it does not: registers are then
			// allocated twice. Bodies of all statements need it in both.
			if growth > float64(irtest.OfAll(3, 4)) {
				t.Errorf("twice as many statements took %.1f times as much memory", growth)
			}
		})
	}
}

// TestLetsReadTwice compiles bodies of lets, each of which reads the let before it twice, so that an analysis that follows
// every read needs 2^40 steps.
func TestLetsReadTwice(t *testing.T) {
	t.Parallel()
	const head = "param N = 60\narray g[0..N] int32 in\narray c[0..N, 0..N] float64 in\narray u[0..N, 0..N] float64 inout\nfor i = 1..N, j = 1..N {\n"
	firsts := []string{"i", "g[j]"}
	steps := map[string]string{
		"int64": "a%d + (a%d - i)", "int32": "max(a%d + 1, a%d - 3)", "int16": "select(a%d < 5, a%d + 1, 7)",
		"float64": "0.5*a%d + 0.25*a%d", "float32": "a%d*a%d",
	}
	last := []string{
		"u[i,j] = u[i,j-1] + float64(%)", "u[i,j] = select(% > 3, u[i,j-1], u[i-1,j])", "u[i,j] = select(% > 3 && % < 9, u[i,j-1], exp(c[i,j]))",
		"u[i,j] = u[i-1,j] + c[i, int64(%)]", "u[i,j] = select(% > 0 && % <= 60, c[int64(%), j], u[i-1,j])", "u[i,j] = u[i,j-1]/float64(%)",
		"u[i,j] = u[i,j-1] + float64(7/(1 + int64(%)))",
	}
	file := filepath.Join(inMemory(t), "twice.loop")
	for _, first := range firsts {
		for _, elem := range slices.Sorted(maps.Keys(steps)) {
			for k, use := range last {
				if elem[0] == 'f' && k == 3 {
					continue // an integer from a float is no subscript
				}
				src := head + fmt.Sprintf("let a0 %s = %s(%s)\n", elem, elem, first) + repeated(40, func(k int) string {
					return fmt.Sprintf("let a%d = "+steps[elem]+"\n", k, k-1, k-1)
				}) + strings.ReplaceAll(use, "%", "a39") + "\n}\n"
				planEnds(t, file, src)
			}
		}
	}
}

// TestNestedRepeats plans loops in loops, each of which becomes a repeat with a nest whose bounds have the repeat's number, as
// deep as the language allows: not all runs of the innermost nest, and not 6^8 of them, are looked at.
func TestNestedRepeats(t *testing.T) {
	t.Parallel()
	const depth = 8
	src := "param N = 60\narray u[0..N] float64 inout\n"
	for k := range depth {
		src += fmt.Sprintf("for i%d = 1..N {\nu[i%d] = u[i%d-1] + 1\n", k, k, k)
	}
	planEnds(t, filepath.Join(inMemory(t), "deep.loop"), src+strings.Repeat("}\n", depth))
}

// planEnds plans a source, which is written to a file, and fails the test if that does not end.
func planEnds(t *testing.T, file, src string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if status, stderr := invoke("plan", file); status != exitDone {
			t.Errorf("plan ends with %d: %s\n%s", status, stderr, src)
		}
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatalf("does not end:\n%s", src)
	}
}

// compiling compiles a source, and returns how much it allocated and how long it took.
func compiling(t *testing.T, src string) (allocated uint64, took time.Duration) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took = irtest.Took(func() { compileFile(t, "long.loop", []byte(src), "long") })
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, took
}

// TestLongBodiesRun runs long bodies, whose kernels are written in fewer ways than those of short
// ones, and compares them with the sequential loops.
func TestLongBodiesRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs")
	}
	names := []string{"lets over time", "divisions", "two chains of lets", "integers"}
	for _, name := range names[:irtest.OfAll(len(names), 1)] {
		k := slices.IndexFunc(longBodies, func(b longBody) bool { return b.name == name })
		file := filepath.Join(t.TempDir(), "long.loop")
		if err := os.WriteFile(file, []byte(longBodies[k].write(600)), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--cpus", "1"}, {"--cpus", "2"}, {"--kernel", "portable"}} {
			args = append([]string{"run", file, "--check", "--progress", "none", "--random", "1"}, args...)
			if out, err := exec.Command("loopc", args...).CombinedOutput(); err != nil || !strings.Contains(string(out), "equals the sequential loops") {
				t.Fatalf("%s: %v: %v\n%s", name, args, err, out)
			}
		}
	}
}
