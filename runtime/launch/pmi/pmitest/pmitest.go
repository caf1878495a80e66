// Package pmitest is a process manager that speaks PMI-1, for tests: it serves the
// processes of one job, and answers like hydra, Slurm or Flux, which order the parts of an
// answer differently. Only tests import it.
package pmitest

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// A Manager is a process manager of Size processes.
type Manager struct {
	Size int

	// Dialect formats an answer from its cmd and the other pairs.
	Dialect func(cmd, rest string) string

	listener net.Listener
	mu       sync.Mutex
	space    map[string]string
	inside   []net.Conn // connections that wait at the barrier
	heard    []string
	refuses  string // the command that it refuses
}

// Hydra puts the result last.
func Hydra(cmd, rest string) string { return "cmd=" + cmd + " " + rest + " rc=0\n" }

// Slurm puts the result first.
func Slurm(cmd, rest string) string { return "rc=0 cmd=" + cmd + " " + rest + "\n" }

// Start returns a manager that listens until the test ends.
func Start(t *testing.T, size int, dialect func(cmd, rest string) string) *Manager {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	m := &Manager{Size: size, Dialect: dialect, listener: listener, space: map[string]string{}}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go m.serve(conn)
		}
	}()
	return m
}

// Environ returns the environment of a process.
func (m *Manager) Environ(rank int) map[string]string {
	return map[string]string{
		"PMI_RANK": fmt.Sprint(rank), "PMI_SIZE": fmt.Sprint(m.Size),
		"PMI_PORT": m.listener.Addr().String(), "PMI_ID": fmt.Sprint(rank),
	}
}

// Refuse makes the manager refuse a command from now on.
func (m *Manager) Refuse(cmd string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuses = cmd
}

// Heard returns the commands so far.
func (m *Manager) Heard() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.heard...)
}

// request reads the pairs of a line.
func request(line string) map[string]string {
	pairs := map[string]string{}
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		pairs[key] = value
	}
	return pairs
}

// serve answers a process until it finalizes or its connection ends.
func (m *Manager) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewScanner(conn)
	say := func(to net.Conn, cmd, rest string) {
		fmt.Fprint(to, m.Dialect(cmd, rest))
	}
	for in.Scan() {
		request := request(in.Text())
		m.mu.Lock()
		m.heard = append(m.heard, request["cmd"])
		switch cmd := request["cmd"]; {
		case cmd == m.refuses:
			fmt.Fprintf(conn, "cmd=%s_result rc=-1 msg=no_room\n", cmd)
		case cmd == "initack":
			fmt.Fprintf(conn, "cmd=initack rc=0\ncmd=set size=%d\ncmd=set rank=%s\ncmd=set debug=0\n", m.Size, request["pmiid"])
		case cmd == "init":
			say(conn, "response_to_init", "pmi_version=1 pmi_subversion=1")
		case cmd == "get_my_kvsname":
			say(conn, "my_kvsname", "kvsname=kvs_1_0")
		case cmd == "put" && request["kvsname"] == "kvs_1_0":
			m.space[request["key"]] = request["value"]
			say(conn, "put_result", "msg=success")
		case cmd == "get" && request["kvsname"] == "kvs_1_0":
			if value, ok := m.space[request["key"]]; ok {
				say(conn, "get_result", "value="+value)
			} else {
				fmt.Fprintln(conn, "rc=-1 cmd=get_result msg=key_not_found")
			}
		case cmd == "barrier_in":
			m.inside = append(m.inside, conn)
			if len(m.inside) == m.Size {
				for _, c := range m.inside {
					say(c, "barrier_out", "")
				}
				m.inside = nil
			}
		case cmd == "finalize":
			say(conn, "finalize_ack", "")
		}
		m.mu.Unlock()
	}
}
