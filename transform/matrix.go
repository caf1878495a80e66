package transform

import "math/big"

// identity returns the n × n unit matrix.
func identity(n int) [][]int {
	t := make([][]int, n)
	for k := range t {
		t[k] = make([]int, n)
		t[k][k] = 1
	}
	return t
}

// apply returns t·v.
func apply(t [][]int, v []int) []int {
	out := make([]int, len(t))
	for k, row := range t {
		for x, c := range row {
			out[k] += c * v[x]
		}
	}
	return out
}

// invert returns the determinant and the inverse of a square matrix. The inverse is nil unless
// the matrix is unimodular, so that its inverse is integral, and no entry of the inverse
// exceeds limit. The arithmetic is exact: Gauss-Jordan elimination on rationals.
func invert(m [][]int, limit int64) (det *big.Int, inverse [][]int) {
	n := len(m)
	a := make([][]*big.Rat, n) // m, and the unit matrix beside it
	for k := range a {
		a[k] = make([]*big.Rat, 2*n)
		for x := range a[k] {
			a[k][x] = new(big.Rat)
			if x < n {
				a[k][x].SetInt64(int64(m[k][x]))
			}
		}
		a[k][n+k].SetInt64(1)
	}
	d := big.NewRat(1, 1)
	for k := range n {
		pivot := k
		for pivot < n && a[pivot][k].Sign() == 0 {
			pivot++
		}
		if pivot == n {
			return new(big.Int), nil
		}
		if pivot != k {
			a[k], a[pivot] = a[pivot], a[k]
			d.Neg(d)
		}
		d.Mul(d, a[k][k])
		by := new(big.Rat).Inv(a[k][k])
		for x := range a[k] {
			a[k][x].Mul(a[k][x], by)
		}
		for r := range a {
			if r == k || a[r][k].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Set(a[r][k])
			for x := range a[r] {
				a[r][x].Sub(a[r][x], new(big.Rat).Mul(f, a[k][x]))
			}
		}
	}
	if det = d.Num(); det.CmpAbs(big.NewInt(1)) != 0 {
		return det, nil
	}
	for _, row := range a {
		ints := make([]int, n)
		for x := range ints {
			c := row[n+x].Num() // a cofactor divided by ±1
			if c.CmpAbs(big.NewInt(limit)) > 0 {
				return det, nil
			}
			ints[x] = int(c.Int64())
		}
		inverse = append(inverse, ints)
	}
	return det, inverse
}

// determinant returns the determinant of a matrix with at most mostDepth rows and entries of at
// most mostEntry (see cone.go), so that nothing overflows: mostDepth! · mostEntry^mostDepth <
// 2^63.
func determinant(m [][]int) int {
	if len(m) == 0 {
		return 1
	}
	det, sign := 0, 1
	for k, c := range m[0] {
		if c != 0 {
			det += sign * c * determinant(minor(m[1:], k))
		}
		sign = -sign
	}
	return det
}

// minor returns the rows without column k.
func minor(rows [][]int, k int) [][]int {
	out := make([][]int, len(rows))
	for r, row := range rows {
		out[r] = append(append(make([]int, 0, len(row)-1), row[:k]...), row[k+1:]...)
	}
	return out
}

// dot returns a·b.
func dot(a, b []int) int {
	s := 0
	for k, x := range a {
		s += x * b[k]
	}
	return s
}

// gcd returns the greatest common divisor of the entries of v: 0 if all are
// zero.
func gcd(v []int) int {
	g := 0
	for _, x := range v {
		for x != 0 {
			g, x = x, g%x
		}
		g = max(g, -g)
	}
	return g
}
