package diag

import (
	"slices"
	"strings"
)

// Nearest returns the first of Near, "" if there is none.
func Nearest(name string, candidates []string) string {
	if near := Near(name, candidates); len(near) > 0 {
		return near[0]
	}
	return ""
}

// Near returns the candidates that name is most likely a misspelling of, none if none is close. A candidate that
// differs only in the case of letters is the nearest. Other candidates are close if they differ by at most one edit
// per three runes of name. If name has fewer than three runes, a candidate is close if it differs by one edit, and
// begins with the same rune unless one of the two is longer. An edit inserts, deletes or replaces a rune, or swaps
// two neighbors.
func Near(name string, candidates []string) (near []string) {
	for _, c := range candidates {
		if c != name && strings.EqualFold(c, name) {
			return []string{c}
		}
	}
	a := []rune(name)
	limit := max(1, len(a)/3)
	for _, c := range candidates {
		b := []rune(c)
		if c == name || c == "" || abs(len(a)-len(b)) > limit || slices.Contains(near, c) {
			continue
		}
		d := edits(a, b)
		if d > limit || d >= max(len(a), len(b)) || len(a) == 2 && len(b) == 2 && a[0] != b[0] && a[0] != b[1] {
			continue
		}
		if d < limit {
			near, limit = nil, d
		}
		near = append(near, c)
	}
	return near
}

func abs(x int) int { return max(x, -x) }

// edits is the optimal string alignment distance of a and b.
func edits(a, b []rune) int {
	// Rows of the table: the one before last, the last, and the current one.
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for y := range prev {
		prev[y] = y
	}
	for x := 1; x <= len(a); x++ {
		row[0] = x
		for y := 1; y <= len(b); y++ {
			cost := 1
			if a[x-1] == b[y-1] {
				cost = 0
			}
			row[y] = min(prev[y]+1, row[y-1]+1, prev[y-1]+cost)
			if x > 1 && y > 1 && a[x-1] == b[y-2] && a[x-2] == b[y-1] {
				row[y] = min(row[y], prev2[y-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
