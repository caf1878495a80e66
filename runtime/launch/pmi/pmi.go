// Package pmi is a client of PMI-1, the line-based protocol by which a process
// manager (hydra's mpiexec, Slurm's srun, Flux) lets the processes of a job
// exchange a few strings before they can reach one another. It needs no library.
//
// A request is a line of key=value pairs, the first of which is cmd; the answer is another
// such line, whose cmd is named after the request's. See "PMI v1.1 wire protocol" of MPICH
// (src/pm/hydra) and Slurm's src/plugins/mpi/pmi2/pmi1.c.
package pmi

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	maxLine   = 4096             // bytes of an answer
	MaxValue  = 1024             // bytes of a value that every process manager accepts
	replyTime = 60 * time.Second // limit for an answer, except of a barrier, which waits for all
	maxSize   = 1 << 20          // processes of a job
)

// A Client is a process of the job.
type Client struct {
	Rank, Size int

	conn  net.Conn
	in    *bufio.Reader
	space string // the name of the job's key-value space
}

// Offered says whether the environment names a process manager that speaks PMI-1.
func Offered(getenv func(string) string) bool {
	return getenv("PMI_RANK") != "" && getenv("PMI_SIZE") != "" && (getenv("PMI_FD") != "" || getenv("PMI_PORT") != "")
}

// Dial reaches the process manager that the environment names: on the descriptor PMI_FD, or
// at the address PMI_PORT. It works once in a process, because the descriptor is closed
// with the client.
func Dial(getenv func(string) string) (*Client, error) {
	c := &Client{}
	var err error
	if c.Size, err = number(getenv("PMI_SIZE"), 1, maxSize); err != nil {
		return nil, fmt.Errorf("pmi: PMI_SIZE: %w", err)
	}
	if c.Rank, err = number(getenv("PMI_RANK"), 0, c.Size-1); err != nil {
		return nil, fmt.Errorf("pmi: PMI_RANK: %w", err)
	}
	if c.conn, err = connect(getenv("PMI_FD"), getenv("PMI_PORT")); err != nil {
		return nil, fmt.Errorf("pmi: %w", err)
	}
	if err := c.begin(getenv("PMI_FD") == "", getenv("PMI_ID")); err != nil {
		_ = c.conn.Close() // the first error is the one to tell
		return nil, fmt.Errorf("pmi: %w", err)
	}
	return c, nil
}

// connect opens the connection to the process manager.
func connect(fd, port string) (net.Conn, error) {
	if fd == "" {
		return net.DialTimeout("tcp", port, replyTime)
	}
	n, err := number(fd, 3, 1<<16)
	if err != nil {
		return nil, fmt.Errorf("PMI_FD: %w", err)
	}
	file := os.NewFile(uintptr(n), "PMI_FD")
	if file == nil {
		return nil, fmt.Errorf("PMI_FD=%d is not open", n)
	}
	defer file.Close() // FileConn duplicates the descriptor
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("PMI_FD=%d: %w", n, err)
	}
	return conn, nil
}

// number reads a number from lo to hi.
func number(text string, lo, hi int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%q is not a number from %d to %d", text, lo, hi)
	}
	return n, nil
}

// begin agrees on the version and asks for the name of the key-value space. A client that
// connects by PMI_PORT first says which process it is.
func (c *Client) begin(byPort bool, id string) error {
	c.in = bufio.NewReaderSize(c.conn, maxLine)
	if byPort {
		if id == "" {
			id = strconv.Itoa(c.Rank)
		}
		if _, err := number(id, 0, maxSize); err != nil {
			return fmt.Errorf("PMI_ID: %w", err)
		}
		if _, err := c.ask("initack pmiid="+id, "initack"); err != nil {
			return err
		}
		for range 3 { // size, rank and debug follow unasked
			if _, err := c.answer("set"); err != nil {
				return err
			}
		}
	}
	if _, err := c.ask("init pmi_version=1 pmi_subversion=1", "response_to_init"); err != nil {
		return err
	}
	m, err := c.ask("get_my_kvsname", "my_kvsname")
	if err != nil {
		return err
	}
	if c.space = m["kvsname"]; c.space == "" {
		return errors.New("the process manager names no key-value space")
	}
	return nil
}

// ask sends a request and returns the answer, whose cmd must be want.
func (c *Client) ask(request, want string) (map[string]string, error) {
	if err := c.conn.SetDeadline(time.Now().Add(replyTime)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write([]byte("cmd=" + request + "\n")); err != nil {
		return nil, err
	}
	return c.answer(want)
}

// answer reads an answer, whose cmd must be want.
func (c *Client) answer(want string) (map[string]string, error) {
	b, err := c.in.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("no answer %s of the process manager: %w", want, err)
	}
	m, err := parse(string(b))
	switch {
	case err != nil:
		return nil, err
	case m["cmd"] != want:
		return nil, fmt.Errorf("the process manager answers %q where %s was to come", m["cmd"], want)
	case m["rc"] != "" && m["rc"] != "0":
		return nil, fmt.Errorf("the process manager refuses: rc=%s %s", m["rc"], m["msg"])
	}
	return m, nil
}

// parse reads a line of key=value pairs, in any order. A value ends at a space, which our
// values never contain. Of equal keys the first counts.
func parse(text string) (map[string]string, error) {
	rest, ended := strings.CutSuffix(text, "\n")
	m := map[string]string{}
	for rest = strings.TrimLeft(rest, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		key, after, ok := strings.Cut(rest, "=")
		if !ok || key == "" || strings.ContainsAny(key, " \n") {
			return nil, malformed(text)
		}
		value, next, _ := strings.Cut(after, " ")
		if _, twice := m[key]; !twice {
			m[key] = value
		}
		rest = next
	}
	if !ended || m["cmd"] == "" {
		return nil, malformed(text)
	}
	return m, nil
}

// malformed is the error for an answer. It leaves out values, which may be the secret.
func malformed(text string) error {
	shown, _, hidden := strings.Cut(text, "value=")
	if hidden {
		shown += "value=..."
	}
	return fmt.Errorf("malformed answer %q", shown)
}

// Put publishes value, of at most MaxValue bytes: other processes Get it by key after the
// next Barrier. Neither may contain spaces, equals signs or control characters.
func (c *Client) Put(key, value string) error {
	if len(value) > MaxValue || !plain(key) || !plain(value) {
		return fmt.Errorf("pmi: %q cannot be put: a value has up to %d bytes, without spaces", key, MaxValue)
	}
	_, err := c.ask("put kvsname="+c.space+" key="+key+" value="+value, "put_result")
	return wrap("put", err)
}

// plain reports whether the protocol can transmit text.
func plain(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == '=' || r > '~' })
}

// Barrier waits for all processes of the job.
func (c *Client) Barrier() error {
	_, err := c.ask("barrier_in", "barrier_out")
	return wrap("barrier", err)
}

// Get returns what a process has Put for key before a Barrier.
func (c *Client) Get(key string) (string, error) {
	m, err := c.ask("get kvsname="+c.space+" key="+key, "get_result")
	return m["value"], wrap("get "+key, err)
}

// Finalize ends the session with the process manager. The manager counts a process that
// ends without it as failed.
func (c *Client) Finalize() error {
	_, err := c.ask("finalize", "finalize_ack")
	return wrap("finalize", errors.Join(err, c.conn.Close()))
}

// wrap adds the operation that failed to an error.
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("pmi: %s: %w", what, err)
}
