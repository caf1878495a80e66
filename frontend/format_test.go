package frontend

import (
	"testing"

	"loopc/ir/diag"
)

func TestFormat(t *testing.T) {
	const src = "\ufeff\n\n//  first \t\r\nparam  X ,Y=64 , 2*3;const w=0.3 // both\n\n\n\n" +
		"array A [ 0 .. X+1,-1..Y - 1 ]float32 out// one\n" +
		"array  LongName[0..1]  float64 // two\n" +
		"// alone\n" +
		"init A[i,j]=1+.5*( i - - j )/2+A[ i+1 , j ]\n" +
		"out LongName[ * ]\n" +
		"reduce best=max(A[i,j])\n" +
		"extern  func Flux( a,b float64 )float64=\"example.com/phys\" . Flux\n" +
		"schedule{tile 32x32x256 ;map k\n\n   comm overlap}\n" +
		"for i=1 .. X , j = max( 1,i - 3 )..1. step-1,k=step..1 step( 1-2 ) {\n\n\n\tlet s float32=-1 // s\n\tlet tt =!(a<b)&&c==d // tt\n\n\n" +
		"\tA[i ,j]=(s+\n1) * max(\n// why\nA[i-1,\nj- -1],2) // end\nA[i,j]*=-s+1;A[i,j]+=s\n\n\t// last\n\n}// done\n\n"
	const want = `//  first
param X, Y = 64, 2*3
const w = 0.3 // both

array A[0..X+1, -1..Y-1] float32 out // one
array LongName[0..1] float64         // two
// alone
init A[i, j] = 1 + .5*(i - -j)/2 + A[i+1,j]
out LongName[*]
reduce best = max(A[i,j])
extern func Flux(a, b float64) float64 = "example.com/phys".Flux
schedule {
	tile 32x32x256
	map k

	comm overlap
}
for i = 1..X, j = max(1, i-3)..1. step -1, k = step..1 step (1-2) {
	let s float32 = -1          // s
	let tt = !(a < b) && c == d // tt

	A[i,j] = (s +
		1)*max(
		// why
		A[i-1,
		j- -1], 2) // end
	A[i,j] *= -s + 1
	A[i,j] += s

	// last
} // done
`
	checkFormat(t, src, want)
}

// TestFormatEmpty formats empty bodies.
func TestFormatEmpty(t *testing.T) {
	checkFormat(t, "reduce x=max(a[i])\nfor i=0..N{ } // all\nrepeat t=1..2{\nfor i=0..N{}\nfor i=0..N{\n}\nfor i=0..N{\n// none\n}\n}\n", `reduce x = max(a[i])
for i = 0..N {} // all
repeat t = 1..2 {
	for i = 0..N {}
	for i = 0..N {
	}
	for i = 0..N {
		// none
	}
}
`)
}

// TestFormatRepeat formats repeats, of which one has a step.
func TestFormatRepeat(t *testing.T) {
	checkFormat(t, "repeat t=N ..max( 1,M )step-1{\nrepeat step=1..step -1 until r<-1 {\nfor i=9..t step-1 {\nA[i]=A[i+1]\n}\n}\n}\n",
		`repeat t = N..max(1, M) step -1 {
	repeat step = 1..step-1 until r < -1 {
		for i = 9..t step -1 {
			A[i] = A[i+1]
		}
	}
}
`)
}

// checkFormat formats src, and what comes out once more.
func checkFormat(t *testing.T, src, want string) {
	t.Helper()
	got, diags := Format("x.loop", []byte(src))
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", got, want, rendered("x.loop", src, diags))
	}
	if again, _ := Format("x.loop", got); string(again) != string(got) {
		t.Errorf("formatted again\n%s", again)
	}
}

// TestFormatTokens checks that no two tokens become one, and none two.
func TestFormatTokens(t *testing.T) {
	for src, want := range map[string]string{
		"array A[1. ..5] float64\n":        "array A[1. ..5] float64\n",
		"array A[1...5] float64\n":         "array A[1...5] float64\n",
		"array A[- -1..0x1F] float64\n":    "array A[- -1..0x1F] float64\n",
		"param a = 1 - - 1, -+1\n":         "param a = 1 - -1, -+1\n",
		";;// a\n;// b\nparam N;;// c\n;;": "// a\n// b\nparam N // c\n",
		"":                                 "",
		"\n\n":                             "",
		"for i = 1..2 {A[i] = 1;A[i]=2}\n": "for i = 1..2 {\n\tA[i] = 1\n\tA[i] = 2\n}\n",
	} {
		checkFormat(t, src, want)
	}
}

// TestFormatRefuses: a file that cannot be parsed is not printed. A file whose only mistakes are in
// its meaning is printed.
func TestFormatRefuses(t *testing.T) {
	for src, code := range map[string]diag.Code{
		"param = 3\n": diag.Syntax, "param N = 3 $\n": diag.IllegalCharacter, "for i = 1..2 {\n": diag.Syntax, "}\n": diag.Syntax,
	} {
		got, diags := Format("x.loop", []byte(src))
		if got != nil || len(diags) != 1 || diags[0].Code != code {
			t.Errorf("%q: got %q, %+v", src, got, diags)
		}
	}
	if got, diags := Format("x.loop", []byte("A[i] = b*c\n")); string(got) != "A[i] = b*c\n" || len(diags) > 0 {
		t.Errorf("got %q, %+v", got, diags)
	}
}
