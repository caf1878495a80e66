package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"loopc/runtime/checkpoint"
	"loopc/runtime/files"
	"loopc/runtime/launch"
	"loopc/runtime/npy"
	"loopc/runtime/sched"
)

// A saving is the launcher's side of the checkpoints of a run: it makes checkpoints of the parts
// that ranks write, and has the one with which the run begins. The methods of a nil saving do
// nothing.
type saving struct {
	dir       string // of the checkpoints that are kept; "": none
	run       checkpoint.Run
	show      func(s *checkpoint.State) // makes snapshots
	shown     *shown                    // writes them
	to        jobKeep
	collector *checkpoint.Collector // nil: none are kept
	lock      *os.File              // the folder of the checkpoints that are kept, with its lock
	hold      *os.File              // the lock of the temporary folder
	warn      func(text string)
	asked     launch.Asks // by the user, of ranks in this process

	mu     sync.Mutex
	ranks  keeper                    // who hears of checkpoints
	ends   bool                      // the user has asked for the end
	parts  map[int]int               // by checkpoint.State.Done: the parts that have arrived
	failed map[int]error             // by the same: why there is no checkpoint
	places map[int]*checkpoint.Place // and where others are
	opened map[int]*os.File          // files of the checkpoint with which the run begins, by number
}

// A keeper hears what the user asks for, and which checkpoints are settled.
type keeper struct {
	ask    func(end bool)
	settle func(done int)
}

// The beginning of the name of the folder for the parts of incomplete checkpoints, and the name of
// the locked file in it: see newTemporary.
const partsName, partsLock = "checkpoint", "lock"

// openSaving prepares the saving of a run that keeps checkpoints, continues from one, or shows
// snapshots; nil if it does none of these. It refuses to continue with other inputs, and a folder
// that cannot be written.
func (c *command) openSaving(ctx context.Context, givens []*given) (*saving, error) {
	s := &c.settings.checkpointing
	if s.dir == "" && s.from == nil && len(s.shown) == 0 {
		return nil, nil
	}
	run := c.identity()
	inputs, err := c.inputs(ctx, givens)
	if err != nil {
		return nil, err
	}
	run.Inputs = inputs
	if s.from != nil {
		if err := s.from.Differs(run); err != nil {
			return nil, err
		}
	}
	w := &saving{dir: s.dir, run: *run, warn: func(text string) {
		fmt.Fprintf(c.stderr, "%s: warning: %s\n", c.prog.Nest.Name, text)
	}}
	w.show = func(s *checkpoint.State) { c.show(ctx, givens, s) }
	w.shown = newShown(func(path string, err error) { w.warn(fmt.Sprintf("no snapshot %s: %v; the run goes on", path, err)) })
	if err := w.begin(c); err != nil {
		w.close()
		return nil, err
	}
	w.keepInputs(ctx, c.prog, givens)
	return w, nil
}

// begin prepares a run of all ranks, with the plans and the checkpoint at hand.
func (w *saving) begin(c *command) error {
	s := &c.settings.checkpointing
	w.mu.Lock()
	w.asked.Begin()
	w.ranks = keeper{w.asked.Ask, w.asked.Settle}
	w.mu.Unlock()
	w.opened, w.failed = map[int]*os.File{}, map[int]error{}
	w.parts, w.places = map[int]int{}, map[int]*checkpoint.Place{}
	w.to = jobKeep{Levels: s.levels, Every: s.wait(), Epochs: c.settings.options.Epoch > 0, Ranks: c.ranks(), File: tracePartFile(len(c.prog.Nest.Arrays), c.ranks())}
	if s.from != nil {
		w.to.Resume = s.from
		for k, name := range s.from.Files() {
			at, err := placeOf(filepath.Join(s.at, name), w.to.File+k, false)
			if err != nil {
				return err
			}
			w.to.Files = append(w.to.Files, at)
		}
	}
	dir := w.dir
	for a, pattern := range s.shown {
		w.to.ShowEvery = s.showEvery
		w.to.Shown = append(w.to.Shown, c.shownNames(a)...)
		if w.dir == "" {
			dir = filepath.Dir(pattern)
		}
	}
	if dir == "" {
		return nil
	}
	if err := w.makeFolder(dir); err != nil {
		return files.Unwritable(dir, err)
	}
	if err := w.lockFolder(); err != nil {
		return err
	}
	w.to.Keep = w.dir != ""
	w.collector = checkpoint.NewCollector(w.dir, w.to.Temp, w.run, c.ranks(), w.show, s.damaged)
	return nil
}

// ask asks for a checkpoint, with which the run ends if end.
func (w *saving) ask(end bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends = w.ends || end
	w.ranks.ask(end)
}

// tells makes root hear of checkpoints. Until it is called, the ranks in this process hear of them.
func (w *saving) tells(root *launch.Root) {
	if w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ranks = (keeper{root.Checkpoint, root.Settled})
		if w.ends {
			root.Checkpoint(true)
		}
	}
}

// stopped is the error of a run that has ended with a checkpoint: see checkpoint.State.Done.
func (w *saving) stopped(done int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.failed[done]; err != nil {
		return fmt.Errorf("the run was to end with a checkpoint, and there is none after %s: %w", sched.After(done, w.places[done]), err)
	}
	return fmt.Errorf("%w, of %s: --resume continues", sched.ErrStopped, sched.After(done, w.places[done]))
}

// job says what ranks need to know; nil if there are no checkpoints.
func (w *saving) job() *jobKeep {
	if w == nil {
		return nil
	}
	return &w.to
}

// checkpoints is jobKeep.checkpoints for ranks in this process.
func (w *saving) checkpoints() (all *sched.Checkpoints, wait func()) {
	if w == nil {
		return nil, func() {}
	}
	return w.to.checkpoints(nil, &w.asked, w.add)
}

// hear takes a part that a rank of another process has written.
func (w *saving) hear(rank int, part json.RawMessage) {
	var s checkpoint.StoredPart
	if w == nil || w.collector == nil || json.Unmarshal(part, &s) != nil || s.Rank != rank {
		return
	}
	w.add(&s)
}

// add takes a part that a rank has written. If there is no checkpoint, it warns the user. When all
// parts have arrived, the ranks may go on: also if there is no checkpoint.
func (w *saving) add(s *checkpoint.StoredPart) {
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.parts[s.Done]++; w.parts[s.Done] == w.to.Ranks {
			delete(w.parts, s.Done)
			w.ranks.settle(s.Done)
		}
	}()
	w.mu.Lock()
	clear(w.places) // one is needed: the last
	w.places[s.Done] = s.At
	w.mu.Unlock()
	if err := w.collector.Add(s); err != nil {
		w.mu.Lock()
		w.failed[s.Done] = err
		w.mu.Unlock()
		what := "checkpoint"
		if !s.Keep {
			what = "snapshot"
		}
		w.warn(fmt.Sprintf("no "+what+" after %s: %v; the run goes on", sched.After(s.Done, s.At), err))
	}
}

// has reports whether a file is one of the checkpoint with which the run begins.
func (w *saving) has(file int) bool {
	return w != nil && file >= w.to.File && file < w.to.parts()
}

// open opens such a file, once.
func (w *saving) open(file int) (npy.Storage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.opened[file]; f != nil {
		return f, nil
	}
	f, err := w.to.Files[file-w.to.File].openHere(false)
	if err != nil {
		return nil, err
	}
	w.opened[file] = f
	return f, nil
}

// receives reports whether a file belongs to a part that a rank writes.
func (w *saving) receives(file int) bool {
	return w != nil && w.collector != nil && file >= w.to.parts()
}

// receive writes the next piece of such a file, for a rank on a host that does not have the folder.
func (w *saving) receive(file int, b []byte, offset int64) (n int, err error) {
	at := file - w.to.parts()
	at, k := at/mostPartFiles, at%mostPartFiles
	f, err := checkpoint.Create(w.to.Temp, at/w.to.Ranks, at%w.to.Ranks, k)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return 0, err
	case info.Size() != offset:
		return 0, fmt.Errorf("a piece at %d of a file of %d bytes", offset, info.Size())
	}
	return f.WriteAt(b, offset)
}

// A jobKeep tells ranks how to keep checkpoints, and with which one to begin. The methods of a nil
// jobKeep do nothing.
type jobKeep struct {
	Temp   string               `json:"temp,omitempty"` // folder for parts; "": none are written
	Keep   bool                 `json:"keep,omitempty"` // checkpoints are kept
	Levels int                  `json:"levels,omitempty"`
	Every  time.Duration        `json:"every,omitempty"`
	Epochs bool                 `json:"epochs,omitempty"` // epochs are as long as planned: the user says how long
	Ranks  int                  `json:"ranks"`
	Resume *checkpoint.Manifest `json:"resume,omitempty"`
	Files  []place              `json:"files,omitempty"` // of Resume, in the order of its names
	// Snapshots are wanted after every ShowEvery levels, of the arrays and values named in Shown.
	ShowEvery int      `json:"show_every,omitempty"`
	Shown     []string `json:"shown,omitempty"`

	File int `json:"file"` // number of the first of them; those of parts follow, see part
}

// mostPartFiles bounds the number of files of a part.
const mostPartFiles = 1 << 12

// parts is the number at the rendezvous of the first file of parts.
func (j *jobKeep) parts() int { return j.File + len(j.Files) }

// keeps reports whether parts are written, for checkpoints or snapshots.
func (j *jobKeep) keeps() bool { return j != nil && j.Temp != "" }

// checkpoints returns what the ranks of this process do about checkpoints, and waits until their
// parts are written. asked are the user's requests; tell is called with each part, by several
// goroutines; far serves folders that are not here.
func (j *jobKeep) checkpoints(far *launch.Service, asked *launch.Asks, tell func(*checkpoint.StoredPart)) (all *sched.Checkpoints, wait func()) {
	if j == nil {
		return nil, func() {}
	}
	all = &sched.Checkpoints{}
	if j.Resume != nil {
		all.From = j.Resume.State(j.openers(far))
	}
	if !j.keeps() {
		return all, func() {}
	}
	writing := make([]sync.WaitGroup, j.Ranks)
	due := j.newDue(asked)
	all.Due, all.Hold = due.due, due.hold
	if !j.Epochs {
		all.Levels = due.next
	}
	all.Keep = func(p *checkpoint.Part) {
		if !p.Keep {
			shown := func(b checkpoint.Block) bool { return !slices.Contains(j.Shown, b.Name) }
			p.Values, p.Results = slices.DeleteFunc(p.Values, shown), slices.DeleteFunc(p.Results, shown)
		}
		began := time.Now()
		writing[p.Rank].Wait()
		if p.Rank == 0 {
			due.waited(time.Since(began))
			if p.Keep {
				due.last().writes = time.Now()
			}
		}
		writing[p.Rank].Go(func() {
			s := checkpoint.WritePart(p, j.creator(far, p))
			if p.Release != nil {
				p.Release()
			}
			tell(s)
		})
	}
	all.Wait = func() {
		for k := range writing {
			writing[k].Wait()
		}
	}
	return all, all.Wait
}

// done is the number of levels, or of repetitions, with which the run begins.
func (j *jobKeep) done() int {
	switch {
	case j.Resume == nil:
		return 0
	case j.Resume.At != nil:
		return j.Resume.At.Repetitions
	}
	return j.Resume.Done
}

// openers opens the files of the checkpoint with which the run begins.
func (j *jobKeep) openers(far *launch.Service) func(name string) (npy.Storage, error) {
	at := map[string]place{}
	for k, name := range j.Resume.Files() {
		at[name] = j.Files[k]
	}
	return func(name string) (npy.Storage, error) { return at[name].open(false, far) }
}

// creator creates the files of a part: in the folder for parts or, on a host that does not have it,
// at the rendezvous. The folder's name is random, so that no other one has it.
func (j *jobKeep) creator(far *launch.Service, p *checkpoint.Part) func(k int) (checkpoint.File, error) {
	return func(k int) (checkpoint.File, error) {
		f, err := checkpoint.Create(j.Temp, p.Done, p.Rank, k)
		switch {
		case err == nil:
			return f, nil
		case far == nil || !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case k >= mostPartFiles:
			return nil, fmt.Errorf("more than %d files", mostPartFiles)
		}
		return farPart{&farWriter{service: far, file: j.parts() + (p.Done*j.Ranks+p.Rank)*mostPartFiles + k}}, nil
	}
}

// A farPart is a file of a part, at the rendezvous, which syncs it.
type farPart struct{ *farWriter }

// Sync implements checkpoint.File.
func (farPart) Sync() error { return nil }

// Close implements io.Closer.
func (farPart) Close() error { return nil }
