package calibrate

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Caches returns the sizes of the data caches that a core uses, in bytes, ascending, or nil
// if the system does not say.
func Caches() []int {
	var sizes []int
	for k := 0; ; k++ {
		dir := fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/", k)
		kind, err := os.ReadFile(dir + "type")
		if err != nil {
			break
		}
		text, err := os.ReadFile(dir + "size")
		if err != nil || strings.TrimSpace(string(kind)) == "Instruction" {
			continue
		}
		number, found := strings.CutSuffix(strings.TrimSpace(string(text)), "K")
		if n, err := strconv.Atoi(number); err == nil && found && n > 0 {
			sizes = append(sizes, n<<10)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}
