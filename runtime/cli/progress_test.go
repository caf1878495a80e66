package cli

import (
	"regexp"
	"strconv"
	"testing"
)

// TestProgressOfContinued: a run that continues shows the iterations done before it, and in the end
// as many iterations as a run from the beginning, for one nest and for several.
func TestProgressOfContinued(t *testing.T) {
	report := regexp.MustCompile(`\{"done":(\d+),"total":(\d+),(?:"before":(\d+),)?"seconds":[0-9.]+\}\n`)
	for program, args := range map[string][]string{
		"diffusion":    {"-p", "T=30,N=20", "--checkpoint-every", "10"},
		"editdistance": {"-p", "M=30,N=40", "--checkpoint-every", "10"},
		"relaxation":   {"-p", "T=6,N=12,eps=-1", "--checkpoint-every", "5"},
	} {
		dir := t.TempDir()
		args = append(args, "--random", "4", "--cpus", "1", "--progress", "json", "--checkpoint", "ck")
		last := func(more ...string) (numbers [3]int) {
			o := run(t, program, dir, append(args, more...)...)
			o.expect(t, exitDone, "")
			all := report.FindAllStringSubmatch(o.stderr, -1)
			if all == nil {
				t.Fatalf("%s: no report in %q", program, o.stderr)
			}
			for k := range numbers {
				numbers[k], _ = strconv.Atoi(all[len(all)-1][k+1]) // a number, or nothing
			}
			return numbers
		}
		whole := last()
		for _, ranks := range []string{"1", "3"} {
			part := last("--resume", "ck", "-n", ranks)
			if whole[2] != 0 || part[0] != whole[0] || part[1] != whole[1] || part[2] <= whole[0]/3 || part[2] >= whole[0] {
				t.Errorf("%s: the run ends with %v, and on %s ranks it continues with %v", program, whole, ranks, part)
			}
		}
	}
}
