package lattice

import "math/bits"

// FloorDiv returns ⌊a/b⌋ for b > 0. Go's / truncates toward zero instead.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// GCD returns the nonnegative greatest common divisor of a and b; GCD(0, 0) is 0.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// mulAdd returns a·b + c·d, and false on overflow.
func mulAdd(a, b, c, d int64) (int64, bool) {
	x, ok1 := mul(a, b)
	y, ok2 := mul(c, d)
	s, ok3 := add(x, y)
	return s, ok1 && ok2 && ok3
}

// mul returns a·b, and false on overflow.
func mul(a, b int64) (int64, bool) {
	neg := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	switch {
	case hi != 0 || lo > 1<<63 || lo == 1<<63 && !neg:
		return 0, false
	case neg:
		return -int64(lo), true
	}
	return int64(lo), true
}

// magnitude returns |a|, also for the least int64.
func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// add returns a + b, and false on overflow.
func add(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}
