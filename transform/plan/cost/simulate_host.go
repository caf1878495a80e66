package cost

import "loopc/transform/plan/queue"

// A simHost is a node and the jobs that its workers compute. All jobs are equally fast: in a second each does 1/factor seconds of work.
type simHost struct {
	computing []simJob // a heap: the job that ends first is first
	count     int      // how many of the jobs are tiles
	work      float64  // s of work done by a job that has run since the beginning
	since     float64  // the time up to which work and core are counted
	factor    float64
	core      float64 // core time of such a job
	version   int     // of the event for the first end
}

// A simJob is the tile that a worker computes.
type simJob struct {
	ends   float64 // simHost.work at its end
	began  float64 // s
	core   float64 // simHost.core as it began
	worker int
	toward int // direction of the face whose first portion is packed at ends; -1: the tile ends
}

func (a *simJob) before(b *simJob) bool {
	switch {
	case a.ends != b.ends:
		return a.ends < b.ends
	case a.worker != b.worker:
		return a.worker < b.worker
	}
	return a.toward > b.toward // portions before the end of the tile
}

// A simEvent is the beginning of a worker's tile, or the end of the first job of a host. The
// event of a host is void if the host's version has changed.
type simEvent struct {
	when          float64
	order         int // among events of the same time
	worker        int // -1: an event of the host
	host, version int
}

// execute processes all events in the order of time.
func (s *simulation) execute() {
	s.events = queue.Queue[simEvent]{Less: func(a, b *simEvent) bool {
		return a.when < b.when || a.when == b.when && a.order < b.order
	}}
	for i := range s.workers {
		if w := &s.workers[i]; s.begin(w) {
			s.push(simEvent{when: w.now, worker: i})
		}
	}
	wake := func(i int) {
		if w := &s.workers[i]; w.blocked && s.begin(w) {
			s.push(simEvent{when: w.now, worker: i})
		}
	}
	for len(s.events.All) > 0 && !s.stopped() {
		s.contents.effort.spend(1 + len(s.p.Directions()))
		e := *s.events.First()
		s.events.DropFirst()
		if e.worker >= 0 {
			host := s.hostOf(e.worker)
			s.compute(host, e.worker, e.when)
			s.foretell(host, e.when)
			continue
		}
		h := &s.hosts[e.host]
		if e.version != h.version {
			continue
		}
		job := h.computing[0]
		h.pass(e.when, s.c.cores)
		h.work = job.ends // except for rounding
		h.drop()
		w := &s.workers[job.worker]
		if job.toward >= 0 {
			wake(s.columns[s.hand(w, job.toward, e.when)].worker)
			s.foretell(e.host, e.when)
			continue
		}
		h.count--
		w.now = e.when
		s.finish(w, job.began, h.core-job.core, wake)
		if s.next(w) && s.begin(w) {
			if w.now > e.when {
				s.push(simEvent{when: w.now, worker: job.worker})
			} else {
				s.compute(e.host, job.worker, e.when)
			}
		}
		s.foretell(e.host, e.when)
	}
}

// hostOf returns the host of a worker.
func (s *simulation) hostOf(worker int) int { return s.workers[worker].rank / s.c.node }

// push adds an event.
func (s *simulation) push(e simEvent) {
	e.order = s.pushed
	s.pushed++
	s.events.Add(e)
}

// compute makes a worker compute its tile from the given time on, and pack the first portions of its faces.
func (s *simulation) compute(host, worker int, now float64) {
	h, w := &s.hosts[host], &s.workers[worker]
	h.pass(now, s.c.cores)
	h.add(simJob{ends: h.work + w.work, began: now, core: h.core, worker: worker, toward: -1})
	h.count++
	for d := range s.back {
		if n := s.hands(w, d); n > 1 {
			// Not after the end of the tile, even if its work is negative: calibrate simulates machines in which some costs are 0.
			h.add(simJob{ends: h.work + min(w.work, w.work/float64(n)), worker: worker, toward: d})
		}
	}
}

// foretell pushes the event for the end of the first job, at the current speed.
func (s *simulation) foretell(host int, now float64) {
	h := &s.hosts[host]
	h.version++
	if n := h.count; n > 0 {
		h.factor = s.c.kernel.contentionOf(n, s.c.cores)
		when := max(now, now+(h.computing[0].ends-h.work)*h.factor)
		s.push(simEvent{when: when, worker: -1, host: host, version: h.version})
	}
}

// pass advances the jobs until now, on the given number of cores.
func (h *simHost) pass(now float64, cores int) {
	if n := h.count; n > 0 {
		h.work += (now - h.since) / h.factor
		h.core += (now - h.since) * min(1, float64(cores)/float64(n))
	}
	h.since = now
}

func (h *simHost) queue() queue.Queue[simJob] {
	return queue.Queue[simJob]{All: h.computing, Less: (*simJob).before}
}

// add adds a job.
func (h *simHost) add(j simJob) {
	q := h.queue()
	q.Add(j)
	h.computing = q.All
}

// drop removes the first job.
func (h *simHost) drop() {
	q := h.queue()
	q.DropFirst()
	h.computing = q.All
}
