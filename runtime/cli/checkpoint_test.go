package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/transform/plan"
)

// TestFitCutsRuns requires that a run whose tiles need more memory than the limit is cut into the
// longest epochs that fit, and that a run is not cut if it fits, or if no epoch would.
func TestFitCutsRuns(t *testing.T) {
	prog := programs["diffusion"]
	c := &command{planned: planned{prog: prog}, settings: &settings{}}
	with := func(epoch int) (*plan.Plan, error) {
		return plan.New(prog.Nest, []int{4000, 20}, plan.Options{Ranks: 3, Tile: []int{8, 8, 8}, Map: prog.Nest.Dims[1], Epoch: epoch})
	}
	p, err := with(0)
	if err != nil {
		t.Fatal(err)
	}
	need := c.nestNeeds(0, p)
	for _, limit := range []int64{0, need} {
		if q, err := c.fit(0, p, limit, with); err != nil || q != p {
			t.Errorf("of %d bytes and a limit of %d, the run is cut: %v", need, limit, err)
		}
	}
	q, err := c.fit(0, p, need/3, with)
	if err != nil {
		t.Fatal(err)
	}
	longer, err := with(2 * q.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	switch got := c.nestNeeds(0, q); {
	case q.Windows < 2 || got > need/3:
		t.Errorf("of %d bytes and a limit of %d, there are %d epochs that need %d", need, need/3, q.Windows, got)
	case c.nestNeeds(0, longer) <= need/3:
		t.Errorf("epochs of %d levels would fit, and there are %d of %d", longer.Epoch, q.Windows, q.Epoch)
	case len(q.Warnings) == 0 || !strings.Contains(q.Warnings[len(q.Warnings)-1], "the run is cut into epochs of"):
		t.Errorf("the warnings are %q", q.Warnings)
	}
	if q, err := c.fit(0, p, 1, with); err != nil || q != p {
		t.Errorf("no epoch fits into a byte, and the plan is another one: %v", err)
	}
}

// TestFitShortestEpochs requires that a run is cut into the shortest epochs if only these fit into
// memory, although halves of half the run step over their length: ..., 7, 3, 1, and the shortest is 2.
func TestFitShortestEpochs(t *testing.T) {
	prog := programs["triangle"]
	c := &command{planned: planned{prog: prog}, settings: &settings{}}
	with := func(epoch int) (*plan.Plan, error) {
		return plan.New(prog.Nest, []int{449}, plan.Options{Tile: []int{2, 8}, Map: prog.Nest.Dims[1], Epoch: epoch})
	}
	need := map[int]int64{}
	for _, epoch := range []int{0, 2, 3} {
		p, err := with(epoch)
		if err != nil {
			t.Fatal(err)
		}
		need[epoch] = c.nestNeeds(0, p)
	}
	p, err := with(0)
	if err != nil {
		t.Fatal(err)
	}
	if p.HaloWidth[0] != 2 || need[2] >= need[3] || need[3] >= need[0] {
		t.Fatalf("the shortest epoch has %d levels, and the needs are %v: the test proves nothing", p.HaloWidth[0], need)
	}
	if q, err := c.fit(0, p, need[2], with); err != nil || q.Epoch != 2 {
		t.Errorf("of needs %v and a limit of %d, epochs have %d levels: %v", need, need[2], q.Epoch, err)
	}
}

// TestFarCheckpoint writes the parts of a checkpoint through the rendezvous, as ranks do that do
// not have the folder, and reads them so.
func TestFarCheckpoint(t *testing.T) {
	dir := t.TempDir()
	prog := programs["diffusion"]
	makes := func(resume *checkpoint.Manifest, at string) *saving {
		s := &settings{checkpointing: checkpointing{dir: dir, from: resume, at: at}}
		p, err := plan.New(prog.Nest, []int{10, 6}, plan.Options{Ranks: 2})
		if err != nil {
			t.Fatal(err)
		}
		c := &command{planned: planned{prog: prog, plans: []*plan.Plan{p}}, settings: s}
		s.params = []int{10, 6}
		w, err := c.openSaving(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.warn = func(text string) { t.Error(text) }
		return w
	}
	elsewhere := func(w *saving) *jobKeep {
		j := w.to
		j.Temp = filepath.Join(dir, "elsewhere")
		j.Files = slices.Clone(j.Files)
		for k := range j.Files {
			j.Files[k].Dir = j.Temp
		}
		return &j
	}
	var parts []*checkpoint.Part
	for rank := range 2 {
		v, err := array.Make("float64", []int{0, 0}, []int{3, 400*300 + rank})
		if err != nil {
			t.Fatal(err)
		}
		if rank == 1 {
			v.TrackWritten()
		}
		for k := range v.Cells() {
			array.Cells[float64](v)[k] = float64(k + rank)
			if k%1000 > 20 {
				v.MarkWritten(k, 1, 1)
			}
		}
		parts = append(parts, &checkpoint.Part{Done: 4, Keep: true, Rank: rank, Values: []checkpoint.Block{{Name: "u", View: v}}})
	}
	w := makes(nil, "")
	line := far(t, &shared{results: &results{}, saving: w, arrays: len(prog.Nest.Arrays)}, func() int64 { return 0 })
	keeps, wait := elsewhere(w).checkpoints(line, &w.asked, w.add)
	for _, p := range parts {
		keeps.Keep(p)
	}
	wait()
	if _, err := line.WriteAt(w.to.parts(), []byte("x"), 1); err == nil {
		t.Error("a part may have a hole")
	}
	m, at, damaged, err := checkpoint.Find(dir)
	if err != nil || damaged != nil || m == nil {
		t.Fatal(m, damaged, err)
	}
	w.close()
	w = makes(m, at)
	defer w.close()
	line = far(t, &shared{results: &results{}, saving: w, arrays: len(prog.Nest.Arrays)}, func() int64 { return 0 })
	keeps, _ = elsewhere(w).checkpoints(line, &w.asked, w.add)
	for rank := range parts {
		want := parts[rank].Values[0].View
		got, err := keeps.From.Parts[rank].Values[0].Load(want.Lo, want.Hi)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Written, want.Written) {
			t.Errorf("part %d has other marks", rank)
		}
		for k, x := range array.Cells[float64](want) {
			if (want.Written == nil || want.Written[k/64]>>(k%64)&1 == 1) && array.Cells[float64](got)[k] != x {
				t.Fatalf("part %d has %v at %d, not %v", rank, array.Cells[float64](got)[k], k, x)
			}
		}
	}
}

// TestLateRank: if a run has started again, a rank of its first start, for example one that was
// stopped meanwhile, cannot write parts any more. Their folder is gone, and the new folder has
// another name.
func TestLateRank(t *testing.T) {
	dir, prog := t.TempDir(), programs["diffusion"]
	p, err := plan.New(prog.Nest, []int{10, 6}, plan.Options{Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := &command{planned: planned{prog: prog, plans: []*plan.Plan{p}}, settings: &settings{checkpointing: checkpointing{dir: dir}}}
	c.settings.params = []int{10, 6}
	w, err := c.openSaving(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	late := w.to
	part := func(j *jobKeep, rank int) *checkpoint.StoredPart {
		v, err := array.Make("float64", []int{0}, []int{3})
		if err != nil {
			t.Fatal(err)
		}
		p := &checkpoint.Part{Done: 4, Keep: true, Rank: rank, Values: []checkpoint.Block{{Name: "u", View: v}}}
		return checkpoint.WritePart(p, j.creator(nil, p))
	}
	if s := part(&late, 0); s.Error != "" {
		t.Fatal(s.Error)
	}
	w.discard()
	if err := w.begin(c); err != nil {
		t.Fatal(err)
	}
	if s := part(&late, 1); s.Error == "" || late.Temp == w.to.Temp {
		t.Errorf("a late rank has written its part into %s, and the ranks now write into %s", late.Temp, w.to.Temp)
	}
	for rank := range 2 {
		w.add(part(&w.to, rank))
	}
	if m, _, _, err := checkpoint.Find(dir); err != nil || m == nil {
		t.Errorf("no checkpoint: %v", err)
	}
	if _, err := os.Stat(late.Temp); err == nil {
		t.Errorf("%s is there", late.Temp)
	}
}
