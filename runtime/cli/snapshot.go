package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/files"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
)

// findLast checks --snapshot, makes the folders, and notes in last the snapshots that are results: those after the last
// level. It refuses arrays that have no snapshots, and names of files without a place for a number.
func (c *command) findLast() error {
	s := &c.settings.checkpointing
	s.last = map[int]string{}
	for a, pattern := range s.shown {
		one, two := fmt.Sprintf(pattern, 1), fmt.Sprintf(pattern, 2)
		if one == two || strings.Contains(one, "%!") || filepath.Dir(one) != filepath.Dir(two) {
			return usagef("--snapshot %s=%s: the name of the file must have one number, such as %%06d", c.prog.Nest.Arrays[a].Name, pattern)
		}
		if err := sched.CanShow(c.prog, a); err != nil {
			return fmt.Errorf("--snapshot %s: %w", c.prog.Nest.Arrays[a].Name, err)
		}
		if err := os.MkdirAll(filepath.Dir(pattern), 0o777); err != nil {
			return files.Unwritable(pattern, err)
		}
		for b, other := range s.shown {
			if b < a && files.Same(one, fmt.Sprintf(other, 1)) {
				return usagef("--snapshot: %s is named for two arrays", pattern)
			}
		}
		if done := c.runLength(); done > 0 && done%s.showEvery == 0 {
			s.last[a] = fmt.Sprintf(pattern, done)
		}
	}
	return nil
}

// runLength returns the number of levels of the run or, of several nests, of repetitions. It returns 0 if the number is not
// known before the run, or if a nest runs after the last repetition.
func (c *command) runLength() (n int) {
	p := c.plans[0]
	switch {
	case !c.prog.Several() && p.Empty:
		return 0
	case !c.prog.Several() && p.Levels == 0:
		return p.Hi[0] - p.Lo[0] + 1
	case !c.prog.Several():
		return p.Done + p.Levels
	}
	last := true
	for _, step := range c.prog.Steps {
		r := step.Repeat
		if last = r != nil; !last {
			continue
		}
		if r.Until != nil || r.Item != nil {
			return 0
		}
		lo, hi := r.Bounds(p.Params)
		n += max(0, hi-lo+1)
	}
	if !last {
		return 0
	}
	return n
}

// showLast writes the last snapshot of each array whose result goes to another file (--out). A failure is a warning.
func (c *command) showLast(results *results) {
	for _, res := range results.all {
		if res.shown == "" {
			continue
		}
		if v, err := res.read(); err != nil {
			c.saving.shown.warn(res.shown, err)
		} else {
			c.saving.shown.write(c.settings.shown[res.arr], c.runLength(), &v)
		}
	}
}

// shownNames returns the name of an array and those of its values.
func (c *command) shownNames(a int) []string {
	names := []string{c.prog.Nest.Arrays[a].Name}
	for v := range c.prog.Nest.Values {
		if val := &c.prog.Nest.Values[v]; val.Array == a {
			names = append(names, val.Name)
		}
	}
	return names
}

// show writes snapshots of a state. If it cannot, it warns, and the run goes on.
func (c *command) show(ctx context.Context, givens []*given, s *checkpoint.State) {
	number := s.Done
	if s.At != nil {
		number = s.At.Repetitions
	}
	for a, pattern := range c.settings.shown {
		v, err := c.initial(ctx, givens, a)
		if err == nil {
			err = sched.Snapshot(c.plans[0], s, a, &v)
		}
		if err != nil {
			c.saving.shown.warn(fmt.Sprintf(pattern, number), err)
		} else {
			c.saving.shown.write(pattern, number, &v)
		}
	}
}

// actsOnTiles reports whether the run needs tiles: by settings.actsOnTiles, or for snapshots. Those between the repetitions of
// several nests need none, unless the repetitions are the items of a batch, which CPUs compute simultaneously.
func (c *command) actsOnTiles() bool {
	return c.settings.actsOnTiles() || len(c.settings.shown) > 0 && (!c.prog.Several() || c.prog.HasBatch())
}

// shows is for runs whose loops run as they are written: it returns the Shows that writes snapshots of these arrays, and a function
// that waits until all are written. Other runs get nil. Shows writes copies, so that the run goes on with the arrays.
func (c *command) shows(fields kernel.Fields) (*sched.Shows, func()) {
	s := &c.settings.checkpointing
	if len(s.shown) == 0 || c.actsOnTiles() || c.prog.Predicted() == 0 {
		return nil, func() {}
	}
	var writing sync.WaitGroup
	return &sched.Shows{Every: s.showEvery, Show: func(done int) {
		writing.Wait()
		for a, pattern := range s.shown {
			v := fields.Result[a]
			v.Data = bytes.Clone(v.Data)
			writing.Go(func() { c.saving.shown.write(pattern, done, &v) })
		}
	}}, writing.Wait
}

// initial returns an array with its initial content.
func (p *planned) initial(ctx context.Context, givens []*given, a int) (array.View, error) {
	if givens[a] != nil {
		return givens[a].whole()
	}
	arr := &p.prog.Nest.Arrays[a]
	lo, extent, err := arr.Extent(p.params())
	if err != nil {
		return array.View{}, err
	}
	v, err := array.Make(arr.Elem, lo, top(lo, extent))
	if err != nil {
		return v, err
	}
	fields, err := makeFields(ctx, p.prog, p.params(), givens)
	if err == nil {
		err = sched.Initial(p.prog, p.params(), fields, a, &v)
	}
	return v, err
}
