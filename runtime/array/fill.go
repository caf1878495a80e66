package array

// Fill gives all cells the same value.
func Fill[T Number](cells []T, x T) {
	for k := range min(len(cells), 16) {
		cells[k] = x
	}
	for k := 16; k < len(cells); { // copies what the first cache holds
		k += copy(cells[k:], cells[:min(k, 1<<10)])
	}
}

// Alike returns how many of the next n cells are on the same side of the cell that is ahead by so many cells; that cell is alone.
func Alike(n int, ahead int64) int {
	if ahead < 0 {
		return n
	}
	return int(min(int64(n), max(1, ahead)))
}
