package codegen

import "testing"

// TestCallsBoxes names nests of which loops in Go may call a vector kernel for all rows together, and others whose rows have
// different columns, or whose kernels need more than addresses.
func TestCallsBoxes(t *testing.T) {
	const head = "param T, N = 4, 40\nparam f float64 = 0.5\narray x[0..N+1, 0..N+1] float64 in\narray a[0..N+1, 0..N+1] float64 inout\narray w[0..N+1] float64 inout\n"
	for body, want := range map[string]bool{
		"for i = 1..N, j = 1..N {\n a[i,j] = f*a[i,j] + x[i,j]\n}":                     true,
		"for i = 1..N, j = 1..N {\n w[i] = max(w[i], w[0]*x[j,i])\n}":                  true, // rows along i
		"for i = N..1 step -1, j = N..1 step -1 {\n a[i,j] = f*a[i,j] + x[i,j]\n}":     true,
		"for t = T..1 step -1, i = N..1 step -1, j = 1..N {\n a[i,j] = f*x[i,j]\n}":    true,
		"for t = 1..T, i = 1..N, j = 1..N {\n a[i,j] = 0.5*(a[i-1,j+1] + a[i+1,j])\n}": true,  // row after row
		"for i = 1..N, j = 1..i {\n a[i,j] = f*a[i,j] + x[i,j]\n}":                     false, // a triangle
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j] + i\n}":                            true,  // an index
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j] + N*T\n}":                          true,  // integer parameters
		"for i = 1..N, j = 1..N {\n a[i,j] = x[i,min(j + i, N)]\n}":                    false, // cells that are looked up
		"for i = 1..N, j = 1..N {\n a[i,j] = 0.5*a[i,j-1] + a[i-1,j]\n}":               false, // lanes across rows
		"for i = 1..N {\n w[i] = f*w[i]\n}":                                            false, // one row
		"for t = 1..T, i = 1..N, j = 1..N {\n a[i,j] = 0.5*a[i,j] + x[i,j]\n}":         true,  // planes
		"reduce m = max(a[i,j])\nfor i = 1..N, j = 1..N {\n a[i,j] = f*a[i,j] + 1\n}":  false, // a number besides
	} {
		if got := decide(t, head+body).callsBoxes(); got != want {
			t.Errorf("calls for all rows %t, want %t:\n%s", got, want, body)
		}
	}
}

// TestCallsRows: loops in Go may call a vector kernel for a row that looks cells up, unless a subscript or its condition is of results:
// then the loops in Go would not find the same wrong subscript again.
func TestCallsRows(t *testing.T) {
	const head = "param N = 40\narray x[0..N] float64 in\narray s[0..N] int32 in\narray w[0..N] float64 inout\narray k[0..N] int32 inout\n"
	for body, want := range map[string]bool{
		"for i = 1..N {\n w[i] = w[i] + x[max(i - s[0], 0)]\n}":                true,
		"for i = 1..N {\n w[i] = select(i >= s[1], x[i - s[1]], w[i])\n}":      true,
		"for i = 1..N {\n k[i] = k[i] + s[s[i]]\n}":                            true,
		"for i = 1..N {\n k[i] = k[i] + s[k[i]]\n}":                            false,
		"for i = 1..N {\n w[i] = select(w[i] > 0.5, x[i - s[1]], w[i])\n}":     false,
		"reduce m = max(w[i])\nfor i = 1..N {\n w[i] = x[max(i - s[0], 0)]\n}": false, // a number besides
	} {
		if got := decide(t, head+body).callsRows(); got != want {
			t.Errorf("calls for rows %t, want %t:\n%s", got, want, body)
		}
	}
}
