package trace

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Records are stored in chunks. The number of chunks bounds a rank's memory to about 60 MB. When it is
// reached, further events are counted and dropped.
const (
	chunkRecords = 1 << 10
	mostChunks   = 1 << 10
)

// leastWait is the shortest wait that is reported as an event. Shorter waits are mostly the time to read the clock.
const leastWait = time.Microsecond

// A record is an event in a Lane.
type record struct {
	begin, end         int64 // ns from the start of the run
	amount             int64 // points or bytes
	column, tile, step int32
	peer, edge         int32
	sequence           uint32
	kind               Kind
}

// A Recorder records the events of the ranks of one process.
type Recorder struct {
	base       time.Time     // the start of the run
	clockError time.Duration // bound for the error of base
	chunks     int           // mostChunks, or less in tests

	mu    sync.Mutex
	ranks map[int]*rankLog
}

// A rankLog has the records of one rank.
type rankLog struct {
	rank  int
	left  atomic.Int64 // chunks that may still be allocated
	lanes []*Lane
}

// New returns a Recorder of a run that starts now, in this process only.
func New() *Recorder {
	return &Recorder{base: time.Now(), chunks: mostChunks, ranks: map[int]*rankLog{}}
}

// A Lane records the events of one goroutine. It belongs to this goroutine until the rank has ended. The methods of a nil Lane do nothing.
type Lane struct {
	recorder *Recorder
	log      *rankLog
	nest     string
	cpu      int
	columns  [][]int
	full     [][]record
	last     []record
	closed   bool // no chunks are left
	dropped  int64
}

// Lane returns a new lane for a CPU of a rank, or for the rank's transport if cpu is -1. It
// returns nil for a nil Recorder. nest is the title of the nest of the tiles, "" if the program has one.
func (r *Recorder) Lane(rank, cpu int, nest string) *Lane {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.ranks[rank]
	if log == nil {
		log = &rankLog{rank: rank}
		log.left.Store(int64(r.chunks))
		r.ranks[rank] = log
	}
	l := &Lane{recorder: r, log: log, cpu: cpu, nest: nest}
	log.lanes = append(log.lanes, l)
	if cpu >= 0 {
		l.grow() // so that a worker does not allocate at its first tile
	}
	return l
}

// A Place is the tile to which an event belongs.
type Place struct {
	Column int // number returned by Lane.Column
	Tile   int // along the mapping dimension
	Step   int
}

// A Face identifies a message between ranks by peer, edge and sequence number on that edge, from 0. A negative Peer means no message.
type Face struct {
	Peer, Edge int
	Sequence   uint64
	Bytes      int
}

// Column registers a column of tiles by its tile coordinates, and returns its number for Places of this lane.
func (l *Lane) Column(at []int) int {
	if l == nil {
		return -1
	}
	l.columns = append(l.columns, append([]int(nil), at...))
	return len(l.columns) - 1
}

// Waited records that the worker waited for f, or for a free slot to send f.
func (l *Lane) Waited(kind Kind, begin, end time.Time, at Place, f Face) {
	if end.Sub(begin) < leastWait && (kind != WaitData || f.Peer < 0) {
		return // but short waits for other ranks' messages are kept: they tell which tile gets the message
	}
	l.Add(kind, begin, end, at, f, f.Bytes)
}

// Add records an event, of an amount of points or bytes. It allocates once in chunkRecords calls.
func (l *Lane) Add(kind Kind, begin, end time.Time, at Place, f Face, amount int) {
	if l == nil {
		return
	}
	if len(l.last) == cap(l.last) && !l.grow() || f.Sequence > math.MaxUint32 {
		l.dropped++
		return
	}
	l.last = append(l.last, record{
		begin: int64(begin.Sub(l.recorder.base)), end: int64(end.Sub(l.recorder.base)), amount: int64(amount),
		column: int32(at.Column), tile: int32(at.Tile), step: int32(at.Step),
		peer: int32(f.Peer), edge: int32(f.Edge), sequence: uint32(f.Sequence), kind: kind,
	})
}

// grow starts a new chunk, and reports whether one was left.
func (l *Lane) grow() bool {
	if l.closed || l.log.left.Add(-1) < 0 {
		l.closed = true
		return false
	}
	if len(l.last) > 0 {
		l.full = append(l.full, l.last)
	}
	l.last = make([]record, 0, chunkRecords)
	return true
}

// records calls f with every record of the lane, in order.
func (l *Lane) records(f func(*record)) {
	for _, chunk := range l.full {
		for k := range chunk {
			f(&chunk[k])
		}
	}
	for k := range l.last {
		f(&l.last[k])
	}
}

// Dropped returns the number of dropped events of a rank. The rank must have ended.
func (r *Recorder) Dropped(rank int) int64 {
	var n int64
	if log := r.log(rank); log != nil {
		for _, l := range log.lanes {
			n += l.dropped
		}
	}
	return n
}

// log returns what a rank has recorded, or nil.
func (r *Recorder) log(rank int) *rankLog {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ranks[rank]
}
