package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"loopc/runtime/sched"
)

const (
	scrapeTime  = 2 * time.Second // within which a request is read and answered
	scrapeBytes = 8 << 10         // of a request, headers included
	scrapers    = 8               // requests at a time; further ones wait
	statsEvery  = time.Second     // between reports of a rank in another process
)

// metrics serves the progress of the ranks of a run, in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4). The methods of
// nil metrics do nothing.
type metrics struct {
	program  string
	planned  int64 // iterations
	began    time.Time
	listener net.Listener
	live     *sched.Live // of ranks in this process
	serving  sync.WaitGroup

	mu    sync.Mutex
	ranks map[int]sched.Summary // of ranks in other processes, by rank
}

// metricsAddress completes the address of --metrics: a port alone is one of the
// loopback interface.
func metricsAddress(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = "", text
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return "", usagef("--metrics %s: want a port, or address:port", text)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// openMetrics begins to serve requests at the address that the command line names, if it names
// one.
func (c *command) openMetrics() (*metrics, error) {
	if c.settings.metrics == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", c.settings.metrics)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	m := &metrics{program: c.prog.Nest.Name, planned: c.prog.Points(c.plans), began: time.Now(), listener: listener, live: &sched.Live{}, ranks: map[int]sched.Summary{}}
	fmt.Fprintf(c.stderr, "%s: note: metrics are at http://%s/metrics\n", m.program, listener.Addr())
	m.serving.Go(m.serve)
	return m, nil
}

// close stops serving.
func (m *metrics) close() {
	if m != nil {
		_ = m.listener.Close() // fails only if it is closed already, and nobody else closes it
		m.serving.Wait()
	}
}

// watch returns the Live of the ranks in this process.
func (m *metrics) watch() *sched.Live {
	if m == nil {
		return nil
	}
	return m.live
}

// hear stores the progress of a rank in another process.
func (m *metrics) hear(rank int, stats json.RawMessage) {
	var s sched.Summary
	if m == nil || json.Unmarshal(stats, &s) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Rank = rank
	m.ranks[rank] = s
}

// serve answers requests until the listener is closed.
func (m *metrics) serve() {
	free := make(chan struct{}, scrapers)
	for {
		free <- struct{}{}
		conn, err := m.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // most likely there are no descriptors left
			<-free
			time.Sleep(statsEvery / 10)
			continue
		}
		m.serving.Go(func() {
			defer func() { <-free }()
			_ = m.answer(conn) // the client may be gone
			_ = conn.Close()
		})
	}
}

// answer answers one request of HTTP.
func (m *metrics) answer(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(scrapeTime)); err != nil {
		return err
	}
	in := bufio.NewReader(io.LimitReader(conn, scrapeBytes))
	request, err := in.ReadString('\n')
	for line := request; err == nil && strings.TrimSpace(line) != ""; {
		line, err = in.ReadString('\n')
	}
	if err != nil {
		return err
	}
	status, text := "404 Not Found", []byte("there is only GET /metrics\n")
	if words := strings.Fields(request); len(words) == 3 && words[0] == "GET" && words[1] == "/metrics" {
		status, text = "200 OK", m.text()
	}
	_, err = fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(text), text)
	return err
}

// text returns the current figures.
func (m *metrics) text() []byte {
	ranks := m.live.Ranks()
	m.mu.Lock()
	for rank := range m.ranks {
		ranks = append(ranks, m.ranks[rank])
	}
	m.mu.Unlock()
	var b bytes.Buffer
	program := fmt.Sprintf("program=%q", m.program)
	family := func(name, kind, help string) { fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	family("loopc_run_seconds", "gauge", "Time since the run began.")
	fmt.Fprintf(&b, "loopc_run_seconds{%s} %g\n", program, time.Since(m.began).Seconds())
	family("loopc_points_planned", "gauge", "Iterations of the whole run.")
	fmt.Fprintf(&b, "loopc_points_planned{%s} %d\n", program, m.planned)
	each := func(name, kind, help string, value func(*sched.Summary) any) {
		family(name, kind, help)
		for k := range ranks {
			fmt.Fprintf(&b, "%s{%s,rank=\"%d\"} %v\n", name, program, ranks[k].Rank, value(&ranks[k]))
		}
	}
	each("loopc_points_total", "counter", "Iterations computed.", func(s *sched.Summary) any { return s.Points })
	each("loopc_tiles_total", "counter", "Tiles computed.", func(s *sched.Summary) any { return s.Tiles })
	each("loopc_steps", "gauge", "Steps of the plan that the rank has done.", func(s *sched.Summary) any { return s.Steps })
	each("loopc_sent_messages_total", "counter", "Messages sent to other ranks.", func(s *sched.Summary) any { return s.Messages })
	each("loopc_sent_bytes_total", "counter", "Bytes of these messages.", func(s *sched.Summary) any { return s.Bytes })
	family("loopc_worker_seconds_total", "counter", "Time of the workers of a rank, by what they did.")
	for k := range ranks {
		s := &ranks[k]
		for _, part := range []struct {
			name    string
			seconds float64
		}{{"compute", s.Compute}, {"pack", s.Pack}, {"wait_data", s.WaitData}, {"wait_credit", s.WaitCredit}, {"wait_sync", s.WaitSync}} {
			fmt.Fprintf(&b, "loopc_worker_seconds_total{%s,rank=\"%d\",activity=%q} %g\n", program, s.Rank, part.name, part.seconds)
		}
	}
	return b.Bytes()
}

// tellOf calls tell regularly with the progress of the only rank of this process, until the
// returned function is called.
func tellOf(live *sched.Live, every time.Duration, tell func(*sched.Summary)) (stop func()) {
	return regularly(every, func() {
		if ranks := live.Ranks(); len(ranks) == 1 {
			tell(&ranks[0])
		}
	})
}
