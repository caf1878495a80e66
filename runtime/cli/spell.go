package cli

import "strings"

// suggest returns "; did you mean X?", where X is the prefix and the name nearest to word, ignoring
// case. It returns "" if no name is near: few edits apart, and with a letter in common.
func suggest(word string, names []string, prefix string) string {
	best, least := "", len(word)/3+2
	for _, name := range names {
		if d := editDistance(strings.ToLower(word), strings.ToLower(name)); d < least && d < max(len(word), len(name)) {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + prefix + best + "?"
}

// editDistance is the number of characters to insert, drop or change to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for k := range len(b) {
			d := corner
			if a[i] != b[k] {
				d = 1 + min(corner, row[k], row[k+1])
			}
			corner, row[k+1] = row[k+1], d
		}
	}
	return row[len(b)]
}
