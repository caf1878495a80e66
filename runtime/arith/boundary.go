package arith

// What is read beyond the bounds lo..hi of a dimension, of an array that has a
// boundary there: index x is less than the lower bound in Below, more than the
// upper one in Above, or within both.

// CopiedBelow returns x, or lo if x is less.
func CopiedBelow(x, lo, hi int) int { return max(x, lo) }

// CopiedAbove returns x, or hi if x is more.
func CopiedAbove(x, lo, hi int) int { return min(x, hi) }

// ReflectingBelow returns x, or if it is less than lo its mirror image there.
func ReflectingBelow(x, lo, hi int) int {
	if x < lo {
		return 2*lo - x
	}
	return x
}

// ReflectingAbove returns x, or if it is more than hi its mirror image there.
func ReflectingAbove(x, lo, hi int) int {
	if x > hi {
		return 2*hi - x
	}
	return x
}

// PeriodicBelow returns x, or if it is less than lo the index one round further.
func PeriodicBelow(x, lo, hi int) int {
	if x < lo {
		return x + hi - lo + 1
	}
	return x
}

// PeriodicAbove returns x, or if it is more than hi the index one round back.
func PeriodicAbove(x, lo, hi int) int {
	if x > hi {
		return x - (hi - lo + 1)
	}
	return x
}
