package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"loopc/runtime/transport/auth"
)

// Files are numbered files that ranks on other hosts read and write through the rendezvous.
// Offsets and lengths come from a rank, so implementations must keep a file from growing
// beyond its final length.
type Files interface {
	Size(file int) (int64, error)
	ReadAt(file int, b []byte, offset int64) (int, error)
	WriteAt(file int, b []byte, offset int64) (int, error)
}

// A muster is the rendezvous's state about processes that another launcher has started.
// Root.mu guards its fields.
type muster struct {
	members  []*Member // by the launcher's number of the rank, nil until enlisted
	enlisted int
	there    int           // members with an open service connection
	present  chan struct{} // closed when all have enlisted
	briefed  chan struct{} // closed when briefs are set, or the run is canceled
	briefs   []json.RawMessage
	places   []int    // by the launcher's number: the rank of the process
	where    []string // "process PID on HOST" by rank, empty before Brief
	files    Files
	clock    func() int64
	spoken   bool          // briefed is closed
	ready    int           // ranks that have called Service.Ready
	together chan struct{} // closed when all ranks have
}

// Members waits until all ranks have enlisted, and returns them by the numbers of their
// launcher.
func (r *Root) Members(ctx context.Context, patience time.Duration) ([]Member, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-r.muster.present:
	case <-r.failed:
		return nil, r.Failure()
	case <-ctx.Done():
		return nil, fmt.Errorf("launch: ranks %v have not come: %w", r.absent(), context.Cause(ctx))
	case <-timer.C:
		return nil, fmt.Errorf("launch: ranks %v have not come within %v", r.absent(), patience)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Member, len(r.muster.members))
	for k, m := range r.muster.members {
		all[k] = *m
	}
	return all, nil
}

// absent returns the numbers of the ranks that have not enlisted.
func (r *Root) absent() (all []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, m := range r.muster.members {
		if m == nil {
			all = append(all, k)
		}
	}
	return all
}

// Brief hands out the jobs. The process that its launcher calls rank k becomes rank
// places[k], and gets briefs[places[k]]. It may access files, and ask for the time, which
// clock returns in nanoseconds.
func (r *Root) Brief(places []int, briefs []json.RawMessage, files Files, clock func() int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := &r.muster
	m.places, m.briefs, m.files, m.clock = places, briefs, files, clock
	m.where = make([]string, len(places))
	for k, member := range m.members {
		m.where[places[k]] = fmt.Sprintf("process %d on %s", member.PID, member.Host)
	}
	r.speak()
}

// speak wakes the processes that wait for a brief. The caller holds r.mu.
func (r *Root) speak() {
	if !r.muster.spoken {
		r.muster.spoken = true
		close(r.muster.briefed)
	}
}

// Serving lets ranks that our own launcher started access files and ask for the time.
func (r *Root) Serving(files Files, clock func() int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.muster.files, r.muster.clock = files, clock
}

// attend answers the requests of a process until its connection ends.
func (r *Root) attend(p auth.Party, l *line) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		_ = l.conn.Close()
		return
	}
	r.attended = append(r.attended, l.conn)
	r.mu.Unlock()
	enlisted := false
	defer func() {
		_ = l.conn.Close() // the process is gone, or must go
		r.mu.Lock()
		defer r.mu.Unlock()
		r.attended = slices.DeleteFunc(r.attended, func(c io.Closer) bool { return c == l.conn })
		if enlisted {
			r.muster.there--
			r.look()
		}
	}()
	for {
		var q request
		if err := l.decode(&q); err != nil {
			if enlisted {
				r.mu.Lock()
				r.deserted(p.Rank, err)
				r.mu.Unlock()
			}
			return
		}
		var a reply
		var err error
		switch {
		case q.Op == opEnlist:
			if err = r.enlist(p, q.Member); err == nil {
				enlisted = true
				a, err = r.await(p.Rank)
			}
		case q.Op == opFail && enlisted:
			r.mu.Lock()
			r.fail(r.rankOf(p.Rank), oneLine(q.Text), reported)
			r.mu.Unlock()
		case q.Op == opReady && enlisted:
			err = r.gather()
		default:
			a, err = r.serviceOf(q)
		}
		if err != nil {
			a.Error = oneLine(err.Error())
		}
		if l.write(a) != nil {
			return // the reader notices the broken connection
		}
	}
}

// deserted notes that an enlisted process is gone. If the process has joined, its control
// channel gives a better report. The caller holds r.mu.
func (r *Root) deserted(number int, err error) {
	rank := r.rankOf(number)
	if r.members[rank] == nil && !r.ended[rank] {
		r.fail(rank, r.lostText(rank, err), lost)
	}
}

// rankOf returns the rank of the process with the launcher's number. The caller holds r.mu.
func (r *Root) rankOf(number int) int {
	if r.muster.places != nil {
		return r.muster.places[number]
	}
	return number
}

// lostText is the message that the connection to a rank is lost. The caller holds r.mu.
func (r *Root) lostText(rank int, err error) string {
	if len(r.muster.where) == 0 {
		return fmt.Sprintf("control channel broke: %v", err)
	}
	return fmt.Sprintf("%s is gone: %v", r.muster.where[rank], err)
}

// enlist adds a process to the members. A process that says nothing of itself, or whose rank
// another process has, is refused, and the run goes on. If a process counts another number of
// ranks, or has no rank among them, the run fails.
func (r *Root) enlist(p auth.Party, m *Member) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	switch {
	case m == nil:
		return fmt.Errorf("rank %d says nothing of itself", p.Rank)
	case p.Size != r.cfg.Size:
		err = fmt.Errorf("rank %d counts %d ranks, rank 0 counts %d", p.Rank, p.Size, r.cfg.Size)
	case p.Rank < 0 || p.Rank >= r.cfg.Size:
		err = fmt.Errorf("no rank %d among %d", p.Rank, r.cfg.Size)
	case r.muster.members[p.Rank] != nil:
		return fmt.Errorf("rank %d is here already", p.Rank)
	}
	if err != nil {
		r.fail(min(max(0, p.Rank), r.cfg.Size-1), err.Error(), reported)
		return err
	}
	m.Host, m.Boot = oneLine(m.Host), oneLine(m.Boot)
	r.muster.members[p.Rank] = m
	r.muster.there++
	if r.muster.enlisted++; r.muster.enlisted == r.cfg.Size {
		close(r.muster.present)
	}
	return nil
}

// await waits for the brief of the process with the launcher's number.
func (r *Root) await(number int) (reply, error) {
	<-r.muster.briefed
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.canceled != nil:
		return reply{}, errors.New(r.canceled.Text)
	case r.muster.briefs == nil:
		return reply{}, fmt.Errorf("there is no job")
	}
	rank := r.muster.places[number]
	return reply{Brief: r.muster.briefs[rank], Rank: rank}, nil
}

// gather waits until every rank has called Service.Ready.
func (r *Root) gather() error {
	r.mu.Lock()
	if r.muster.ready++; r.muster.ready == r.cfg.Size {
		close(r.muster.together)
	}
	r.mu.Unlock()
	select {
	case <-r.muster.together:
		return nil
	case <-r.failed:
		return r.Failure()
	case <-r.over:
		r.mu.Lock()
		defer r.mu.Unlock()
		return errors.New(r.canceled.Text)
	case <-r.quit:
		return net.ErrClosed
	}
}

// serviceOf answers a request for the time or for a file.
func (r *Root) serviceOf(q request) (a reply, err error) {
	r.mu.Lock()
	files, clock := r.muster.files, r.muster.clock
	r.mu.Unlock()
	switch {
	case files == nil || clock == nil:
		err = fmt.Errorf("there is no job")
	case q.Op == opClock:
		a.Nanos = clock()
	case q.Offset < 0 || q.Length < 0 || q.Length > maxChunk || q.File < 0:
		err = fmt.Errorf("a request for %d bytes at %d of file %d", q.Length, q.Offset, q.File)
	case q.Op == opSize:
		a.Size, err = files.Size(q.File)
	case q.Op == opRead:
		a.Data = make([]byte, q.Length)
		var n int
		n, err = files.ReadAt(q.File, a.Data, q.Offset)
		a.Data = a.Data[:n]
		if err == io.EOF {
			err = nil // an empty reply means the end of the file
		}
	case q.Op == opWrite:
		_, err = files.WriteAt(q.File, q.Data, q.Offset)
	default:
		err = fmt.Errorf("unknown request %q", q.Op)
	}
	return a, err
}
