package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"loopc/transform/plan"
)

// TestUsageExamples requires that what --help shows as examples could be given to the
// nest: names and defaults are its own, and there are as many sides as loops.
func TestUsageExamples(t *testing.T) {
	given, returned := plan.Array{Name: "start", Elem: "float64", Role: plan.In}, plan.Array{Name: "averylongresultname", Elem: "float64", Role: plan.Out}
	for name, c := range map[string]struct {
		nest *plan.Nest
		want []string // lines
		not  string
	}{
		"arrays": {
			nest: &plan.Nest{
				Params: []string{"T", "N", "M"}, Defaults: map[string]int{"T": 1000}, Dims: []string{"t", "i"},
				Arrays: []plan.Array{returned, given},
			},
			want: []string{
				"  -p T=1000,N=64             parameters",
				"  --in start=file.npy        files of given arrays",
				"  --out averylongresultname=file.npy",
				"                             files for results",
				"  --cpus N | 2x1             CPUs of a rank, or a mesh of them (those available)",
				"  --tile 32x256              sides of a tile in iterations; 0 or - leaves one open;",
				"  --grid 4x1                 ranks per loop",
			},
		},
		"a reduction": {
			nest: &plan.Nest{Dims: []string{"", "i"}, Levelled: true, Reduces: []plan.Reduce{{Name: "best", Elem: "int32"}}},
			want: []string{"  --out best=file.npy        files for results", "  --tile 256                 sides of a tile in iterations; 0 or - leaves one open;"},
			not:  "-p |--in ",
		},
		"several nests": {
			nest: &plan.Nest{Arrays: []plan.Array{given}},
			want: []string{"  --tile 32x32x256           sides of a tile in iterations; 0 or - leaves one open;"},
			not:  "--out ",
		},
	} {
		var b strings.Builder
		usage(&b, c.nest)
		_, flags, _ := strings.Cut(b.String(), "Flags")
		lines := strings.Split(flags, "\n")
		for _, want := range c.want {
			if !slices.Contains(lines, want) {
				t.Errorf("%s: no line %q in\n%s", name, want, flags)
			}
		}
		if c.not != "" {
			if found := regexp.MustCompile(`(?m)^  (` + c.not + `).*`).FindString(flags); found != "" {
				t.Errorf("%s: %q", name, found)
			}
		}
	}
}
