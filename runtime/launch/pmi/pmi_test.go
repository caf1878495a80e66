package pmi

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// A manager is a process manager of size processes, whose answers come in the
// dialect that it names.
type manager struct {
	size    int
	dialect func(cmd, rest string) string // makes an answer of its cmd and what it has to say

	mu      sync.Mutex
	space   map[string]string
	inside  []net.Conn // that wait at the barrier
	heard   []string
	refuses string // a command
}

// hydra and slurm are how two process managers order their answers.
func hydra(cmd, rest string) string { return "cmd=" + cmd + " " + rest + " rc=0\n" }
func slurm(cmd, rest string) string { return "rc=0 cmd=" + cmd + " " + rest + "\n" }

// serve answers a process until it finalizes or its line ends.
func (m *manager) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewScanner(conn)
	say := func(to net.Conn, cmd, rest string) {
		fmt.Fprint(to, m.dialect(cmd, rest))
	}
	for in.Scan() {
		request, err := parse(in.Text() + "\n")
		if err != nil {
			fmt.Fprintln(conn, "cmd=parse_error rc=-1")
			return
		}
		m.mu.Lock()
		m.heard = append(m.heard, request["cmd"])
		switch cmd := request["cmd"]; {
		case cmd == m.refuses:
			fmt.Fprintf(conn, "cmd=%s_result rc=-1 msg=no_room\n", cmd)
		case cmd == "initack":
			fmt.Fprintf(conn, "cmd=initack rc=0\ncmd=set size=%d\ncmd=set rank=%s\ncmd=set debug=0\n", m.size, request["pmiid"])
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
			if len(m.inside) == m.size {
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

// start returns a manager that listens, and the environment of a process.
func start(t *testing.T, size int, dialect func(cmd, rest string) string) (*manager, func(rank int) func(string) string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	m := &manager{size: size, dialect: dialect, space: map[string]string{}}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go m.serve(conn)
		}
	}()
	return m, func(rank int) func(string) string {
		env := map[string]string{"PMI_RANK": fmt.Sprint(rank), "PMI_SIZE": fmt.Sprint(size), "PMI_PORT": listener.Addr().String(), "PMI_ID": fmt.Sprint(rank)}
		return func(name string) string { return env[name] }
	}
}

// TestExchange has the processes of a job tell one another a value each, with
// process managers of two dialects.
func TestExchange(t *testing.T) {
	for name, dialect := range map[string]func(string, string) string{"hydra": hydra, "slurm": slurm} {
		t.Run(name, func(t *testing.T) {
			const size = 5
			m, env := start(t, size, dialect)
			value := func(rank int) string { return strings.Repeat(string(rune('a'+rank)), MaxValue-rank) }
			var all sync.WaitGroup
			for rank := range size {
				all.Go(func() {
					if !Offered(env(rank)) {
						t.Error("not offered")
					}
					c, err := Dial(env(rank))
					if err != nil {
						t.Error(err)
						return
					}
					if c.Rank != rank || c.Size != size {
						t.Errorf("process %d of %d is %d of %d", rank, size, c.Rank, c.Size)
					}
					if err := c.Put(fmt.Sprintf("key-%d", rank), value(rank)); err != nil {
						t.Error(err)
					}
					if err := c.Barrier(); err != nil {
						t.Error(err)
					}
					for other := range size {
						if got, err := c.Get(fmt.Sprintf("key-%d", other)); err != nil || got != value(other) {
							t.Errorf("process %d reads %.10q... of process %d: %v", rank, got, other, err)
						}
					}
					if _, err := c.Get("nobody"); err == nil {
						t.Error("a key that nobody has put has a value")
					}
					if err := c.Finalize(); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if m.heard[len(m.heard)-1] != "finalize" {
				t.Errorf("the manager heard %v", m.heard)
			}
		})
	}
}

// TestRefusal looks at what is said when a process manager refuses, and at what
// is not sent at all.
func TestRefusal(t *testing.T) {
	m, env := start(t, 1, slurm)
	c, err := Dial(env(0))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "a b", "a=b", "a\nb", "caf\u00e9", strings.Repeat("x", MaxValue+1)} {
		if err := c.Put("key", bad); err == nil {
			t.Errorf("value %.20q was put", bad)
		}
	}
	m.mu.Lock()
	m.refuses = "put"
	m.mu.Unlock()
	if err := c.Put("key", "value"); err == nil || !strings.Contains(err.Error(), "no_room") {
		t.Errorf("refused: %v", err)
	}
	if err := c.Finalize(); err != nil {
		t.Error(err)
	}
	for _, env := range []map[string]string{
		{"PMI_RANK": "4", "PMI_SIZE": "4", "PMI_FD": "3"},
		{"PMI_RANK": "0", "PMI_SIZE": "none", "PMI_FD": "3"},
		{"PMI_RANK": "0", "PMI_SIZE": "4", "PMI_FD": "0"},
		{"PMI_RANK": "0", "PMI_SIZE": "4", "PMI_FD": "9999"},
		{"PMI_RANK": "0", "PMI_SIZE": "4", "PMI_PORT": "127.0.0.1:1"},
	} {
		if _, err := Dial(func(name string) string { return env[name] }); err == nil {
			t.Errorf("%v reaches a process manager", env)
		}
	}
}

// FuzzParse parses whatever comes. What is accepted can be written down and
// parsed again to the same.
func FuzzParse(f *testing.F) {
	f.Add("cmd=get_result rc=0 msg=success value=127.0.0.1:80/abc\n")
	f.Add("rc=0 cmd=barrier_out \n")
	f.Add("cmd=get_result value=a b=c\n")
	f.Add("=\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parse(text)
		if err != nil {
			return
		}
		var b strings.Builder
		for key, value := range m {
			fmt.Fprintf(&b, "%s=%s ", key, value)
		}
		again, err := parse(b.String() + "\n")
		if err != nil || fmt.Sprint(again) != fmt.Sprint(m) {
			t.Errorf("%q parses to %q, and that to %q: %v", text, m, again, err)
		}
	})
}
