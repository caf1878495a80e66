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

// Near returns the candidates of which name is most likely a misspelling, none if none is close. A candidate that
// differs only in the case of letters is the nearest. Other candidates are close if they differ by at most one edit
// per three runes of name, at least one, and share a rune: see unlike. An edit inserts, deletes or replaces a rune, or
// swaps two neighbors.
func Near(name string, candidates []string) (near []string) {
	for _, c := range candidates {
		if c != name && strings.EqualFold(c, name) {
			return []string{c}
		}
	}
	a := []rune(name)
	least := max(1, len(a)/3) // edits of the nearest candidates, or the most that are allowed
	for _, c := range candidates {
		b := []rune(c)
		if c == name || c == "" || abs(len(a)-len(b)) > least || slices.Contains(near, c) {
			continue
		}
		d := edits(a, b)
		if d > least || unlike(a, b, d) {
			continue
		}
		if d < least {
			near, least = nil, d
		}
		near = append(near, c)
	}
	return near
}

// unlike reports whether two names that differ by d edits are too short to be alike: they share no rune, or both have two runes
// and share only the second one.
func unlike(a, b []rune, d int) bool {
	if len(a) == 2 && len(b) == 2 {
		swapped := a[0] == b[1]
		return d >= 2 || a[0] != b[0] && !swapped
	}
	return d >= max(len(a), len(b))
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
