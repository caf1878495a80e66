package cli

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

var (
	costPairs  = flag.Int("checkpoint-cost", 0, "pairs of runs of TestCheckpointCost; 0: none")
	costLevels = flag.Int("checkpoint-cost-levels", 2400, "levels of these runs")
	costCPUs   = flag.Int("checkpoint-cost-cpus", runtime.NumCPU(), "CPUs of these runs")
)

// TestCheckpointCost runs a nest with a state of 170 MB without and with checkpoints, in turn, and
// logs the medians of times and of CPU times, and the speed of the disk.
func TestCheckpointCost(t *testing.T) {
	if *costPairs == 0 {
		t.Skip("-checkpoint-cost says how many pairs of runs")
	}
	dir := t.TempDir()
	args := []string{"-p", "T=" + strconv.Itoa(*costLevels) + ",N=4610", "--random", "4", "--progress", "none", "-n", "1", "--cpus", strconv.Itoa(*costCPUs)}
	ways := [][]string{args, append(slices.Clone(args), "--checkpoint", "ck", "--checkpoint-every", "5s")}
	var wall, cpu [2][]float64
	for range *costPairs {
		if err := os.RemoveAll(filepath.Join(dir, "ck")); err != nil {
			t.Fatal(err)
		}
		for k, way := range ways {
			p := start(t, "diffusion", dir, way...)
			o := p.wait(t)
			o.expect(t, exitDone, "")
			used := p.cmd.ProcessState
			wall[k], cpu[k] = append(wall[k], o.took.Seconds()), append(cpu[k], (used.UserTime()+used.SystemTime()).Seconds())
		}
	}
	written := checkpointsIn(t, dir+"/ck")
	if len(written) == 0 {
		t.Fatal("the runs are too short for a checkpoint")
	}
	slices.Sort(written)
	count, err := strconv.Atoi(filepath.Base(written[len(written)-1])[:6])
	if err != nil {
		t.Fatal(err)
	}
	median := func(all []float64) float64 { slices.Sort(all); return all[len(all)/2] }
	began := time.Now()
	f, err := os.Create(filepath.Join(dir, "disk"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 170 {
		if _, err := f.Write(make([]byte, 1e6)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	disk := 170 / time.Since(began).Seconds()
	without, with := median(cpu[0]), median(cpu[1])
	each := (with - without) / float64(count)
	t.Logf("without %.1f s, with %d checkpoints %.1f s: ratio %.3f; CPU time %.1f and %.1f s: %.2f s for each checkpoint, %.1f %% of %d CPUs at one in 5 s; the disk writes %.0f MB/s",
		median(wall[0]), count, median(wall[1]), median(wall[1])/median(wall[0]), without, with, each, 100*each/5/float64(*costCPUs), *costCPUs, disk)
}
