package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopc/runtime/files"
	"loopc/runtime/launch"
	"loopc/runtime/trace"
)

// traceGrace is the time that ranks have to write their records after they are told to end.
const traceGrace = 5 * time.Second

// A traceFile is the file of --trace. During the run there is a temporary directory beside it,
// with a part for each rank and the merged file.
//
// The methods of a nil traceFile do nothing.
type traceFile struct {
	path   string // as the user has named it
	target string // the file that path leads to
	dir    string // "": removed
	merged *os.File
	hold   *os.File // its lock, see newTemporary
	ranks  int
	origin int64 // when the run starts
}

// traceMerged is the name of the merged file in the directory.
const traceMerged = "merged"

// newTrace makes the directory of the trace that s names, if it names one, and checks that the
// disk is not full.
func newTrace(s *settings, ranks int) (t *traceFile, err error) {
	if s.trace == "" {
		return nil, nil
	}
	defer func() {
		if err != nil {
			t.discard()
			t, err = nil, fmt.Errorf("trace: %w", err)
		}
	}()
	if info, err := os.Stat(s.trace); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s exists and is not a regular file", s.trace)
	}
	if err := files.CheckWritable(s.trace); err != nil {
		return nil, err
	}
	target, err := files.Target(s.trace)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(target)
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	t = &traceFile{path: s.trace, target: target, ranks: ranks, origin: trace.Origin()}
	if t.dir, t.merged, t.hold, err = newTemporary(dir, base, traceMerged); err != nil {
		return nil, files.Unwritable(s.trace, err)
	}
	return t, probe(t.merged)
}

// probe writes to f, so that a full disk is noticed before the run, and then empties f.
func probe(f interface {
	io.WriterAt
	Sync() error
	Truncate(int64) error
}) error {
	if _, err := f.WriteAt(make([]byte, 64<<10), 0); err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Truncate(0))
}

// record returns a new recorder for ranks in this process, which start now.
func (t *traceFile) record() *trace.Recorder {
	if t == nil {
		return nil
	}
	return trace.New()
}

// grace is the time that ranks have to end, 0 for the default.
func (t *traceFile) grace() time.Duration {
	if t == nil {
		return 0
	}
	return traceGrace
}

// job describes the trace for ranks in other processes, in a program with the given number of
// arrays.
func (t *traceFile) job(arrays int) *jobTrace {
	if t == nil {
		return nil
	}
	return &jobTrace{Dir: t.dir, Origin: t.origin, File: tracePartFile(arrays, 0)}
}

// writeParts writes the records of the ranks of this process.
func (t *traceFile) writeParts(record *trace.Recorder, ranks int, stderr io.Writer) {
	if t == nil {
		return
	}
	for rank := range ranks {
		j := &jobTrace{Dir: t.dir, recorded: record}
		j.write(rank, stderr)
	}
}

// A jobTrace tells a rank where to write its part. The methods of a nil jobTrace do nothing.
type jobTrace struct {
	Dir    string `json:"dir"`
	Origin int64  `json:"origin"` // see trace.Origin
	File   int    `json:"file"`   // number of rank 0's part at the rendezvous; the other ranks' follow

	recorded *trace.Recorder
	far      *launch.Service // for a rank that cannot write to Dir; nil: it can
}

// begin makes the recorder. If far, the service of the launcher, is not nil and the rank has another clock, far gives the rank
// the time.
func (j *jobTrace) begin(far *launch.Service, sameClock bool) error {
	if j == nil {
		return nil
	}
	if far != nil {
		if info, err := os.Stat(j.Dir); err != nil || !info.IsDir() {
			j.far = far
		}
	}
	if far == nil || sameClock {
		j.recorded = trace.NewAt(j.Origin)
		return nil
	}
	recorded, err := trace.NewAtClock(j.Origin, far.Clock)
	j.recorded = recorded
	return err
}

// recorder returns the recorder, or nil.
func (j *jobTrace) recorder() *trace.Recorder {
	if j == nil {
		return nil
	}
	return j.recorded
}

// partName names the part of a rank.
func partName(rank int) string { return fmt.Sprintf("rank-%d", rank) }

// write writes the part of a rank. If it cannot, it says why on stderr: the run does not fail,
// and the launcher notices the missing part.
func (j *jobTrace) write(rank int, stderr io.Writer) {
	if j == nil {
		return
	}
	if err := j.writePart(rank); err != nil {
		fmt.Fprintf(stderr, "rank %d: trace: %v\n", rank, err)
	}
}

func (j *jobTrace) writePart(rank int) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	if j.far != nil {
		w := &farWriter{service: j.far, file: j.File + rank}
		out := bufio.NewWriterSize(w, farChunk)
		return errors.Join(j.recorded.WritePart(out, rank, host), out.Flush())
	}
	dir, err := os.OpenRoot(j.Dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := dir.Create(partName(rank))
	if err != nil {
		return err
	}
	return errors.Join(j.recorded.WritePart(f, rank, host), f.Close())
}

// farChunk is the size of the pieces in which a part is sent.
const farChunk = 256 << 10

// A farWriter writes a file at the rendezvous from its beginning.
type farWriter struct {
	service *launch.Service
	file    int
	at      int64
}

// Write implements io.Writer.
func (w *farWriter) Write(b []byte) (int, error) {
	n, err := w.service.WriteAt(w.file, b, w.at)
	w.at += int64(n)
	return n, err
}

// writeTrace merges the parts, even of a run that has failed with err, as far as they exist. It
// returns err or, if there is none, why the file is incomplete.
func (c *command) writeTrace(err error) error {
	t := c.trace
	if t == nil {
		return err
	}
	m, failed := t.merge(c.aboutRun(err))
	say := func(format string, args ...any) {
		fmt.Fprintf(c.stderr, "%s: %s\n", c.prog.Nest.Name, fmt.Sprintf(format, args...))
	}
	if failed != nil && err != nil {
		say("trace: %v", failed)
		return err
	}
	if failed != nil {
		return fmt.Errorf("trace: %w", failed)
	}
	if n := m.Dropped(); n > 0 {
		say("warning: the trace lacks %d events, the last ones of ranks that had more than they can keep; a shorter run, or larger tiles, have fewer", n)
	}
	missing := m.Missing()
	switch {
	case err != nil && len(missing) == t.ranks:
		say("note: no rank has written a trace; %s says so", t.path)
	case err != nil && len(missing) > 0:
		say("note: the trace in %s lacks all or some of %s", t.path, ranksText(missing))
	case err != nil:
		say("note: the trace in %s shows the run until it failed", t.path)
	case len(missing) > 0:
		return fmt.Errorf("the trace in %s lacks all or some of %s", t.path, ranksText(missing))
	}
	return err
}

// ranksText lists ranks as text.
func ranksText(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d", ranks[0])
	}
	return "ranks " + strings.ReplaceAll(strings.Trim(fmt.Sprint(ranks), "[]"), " ", ", ")
}

// merge merges the parts and gives the file its name.
func (t *traceFile) merge(about trace.About) (*trace.Merger, error) {
	m := trace.NewMerger(t.merged)
	for rank := range t.ranks {
		if err := t.add(m, rank); err != nil {
			return nil, err
		}
	}
	if err := m.Close(about); err != nil {
		return nil, err
	}
	if err := errors.Join(t.merged.Sync(), t.merged.Close()); err != nil {
		return nil, err
	}
	if err := os.Rename(t.merged.Name(), t.target); err != nil {
		return nil, files.Unwritable(t.path, err)
	}
	files.SyncDir(filepath.Dir(t.target))
	return m, nil
}

// add adds the part of a rank.
func (t *traceFile) add(m *trace.Merger, rank int) error {
	f, err := os.Open(filepath.Join(t.dir, partName(rank)))
	if errors.Is(err, fs.ErrNotExist) {
		return m.Add(rank, strings.NewReader(""))
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return m.Add(rank, f)
}

// discard removes the directory. It may be called at any time and more than
// once.
func (t *traceFile) discard() {
	if t == nil || t.dir == "" {
		return
	}
	if t.merged != nil {
		_ = t.merged.Close() // it may be closed already
	}
	_ = removeTemporary(t.dir, traceMerged) // the user needs the error that led here
	t.dir = ""
	if t.hold != nil {
		_ = t.hold.Close() // nothing was written to it
	}
}

// aboutRun describes the run, which failed with err.
func (c *command) aboutRun(err error) trace.About {
	p, how := c.plans[0], c.how(nil)
	values := map[string]int{}
	for k, name := range c.prog.Nest.Params {
		values[name] = p.Params[k]
	}
	about := trace.About{
		Program: c.prog.Nest.Name,
		Run: strings.TrimSpace(fmt.Sprintf("%s on %s x %s (%s, %s)", strings.Join(parametersText(c.prog, p.Params, " = "), ", "),
			plural(p.Ranks, "rank"), plural(c.cpus(), "CPU"), how, p.Comm)),
	}
	if !c.prog.Several() && !p.Empty {
		about.Plan = &trace.Plan{
			Nest: p.Nest.Digest, Parameters: values, Grid: p.Grid, Mesh: p.Mesh, Tile: p.Side, Map: p.Nest.Dims[p.Map],
			Group: p.Group.String(), Sub: p.Sub, Assign: p.Assign.String(), Comm: p.Comm.String(), Transport: how,
		}
	}
	if err != nil {
		about.Failure = err.Error()
	}
	return about
}
