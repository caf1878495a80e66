package pmi

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"loopc/runtime/launch/pmi/pmitest"
)

// of returns what looks up variables.
func of(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

// TestExchange has the processes of a job tell one another a value each, with
// process managers of two dialects.
func TestExchange(t *testing.T) {
	for name, dialect := range map[string]func(string, string) string{"hydra": pmitest.Hydra, "slurm": pmitest.Slurm} {
		t.Run(name, func(t *testing.T) {
			const size = 5
			m := pmitest.Start(t, size, dialect)
			value := func(rank int) string { return strings.Repeat(string(rune('a'+rank)), MaxValue-rank) }
			var all sync.WaitGroup
			for rank := range size {
				all.Go(func() {
					if !Offered(of(m.Environ(rank))) {
						t.Error("not offered")
					}
					c, err := Dial(of(m.Environ(rank)))
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
			if heard := m.Heard(); heard[len(heard)-1] != "finalize" {
				t.Errorf("the manager heard %v", heard)
			}
		})
	}
}

// TestRefusal: invalid values, a request that the process manager refuses, and an invalid
// environment give errors.
func TestRefusal(t *testing.T) {
	m := pmitest.Start(t, 1, pmitest.Slurm)
	c, err := Dial(of(m.Environ(0)))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "a b", "a=b", "a\nb", "caf\u00e9", strings.Repeat("x", MaxValue+1)} {
		if err := c.Put("key", bad); err == nil {
			t.Errorf("value %.20q was put", bad)
		}
	}
	m.Refuse("put")
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
		if _, err := Dial(of(env)); err == nil {
			t.Errorf("%v reaches a process manager", env)
		}
	}
}

// The value in an answer may be a secret: no error repeats it.
func TestMalformedShowsNoValue(t *testing.T) {
	for _, text := range []string{
		"cmd=get_result msg=all is well value=10.0.0.1:80/5ec3e7\n",
		"cmd=get_result value=10.0.0.1:80/5ec3e7 and more\n",
		"rc=0 value=10.0.0.1:80/5ec3e7\n",
		"cmd=get_result value=10.0.0.1:80/5ec3e7",
	} {
		if _, err := parse(text); err == nil || strings.Contains(err.Error(), "5ec3e7") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzParse parses any text. What parse accepts must give the same when it is written and parsed
// again.
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
