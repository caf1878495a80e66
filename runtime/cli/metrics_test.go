package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"loopc/runtime/sched"
)

// TestMetricsAddress completes addresses.
func TestMetricsAddress(t *testing.T) {
	for text, want := range map[string]string{
		"9100": "127.0.0.1:9100", ":9100": "127.0.0.1:9100", "0": "127.0.0.1:0", "0.0.0.0:9100": "0.0.0.0:9100", "[::1]:1": "[::1]:1", "node:1": "node:1",
		"": "", "x": "", "70000": "", "-1": "", "node": "", "node:": "", "1:2:3": "", "+1": "",
	} {
		if got, err := metricsAddress(text); got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// scrape asks for metrics and returns their values by name and labels. It requires
// of each that it has the form of Prometheus, and that its family is declared.
func scrape(t *testing.T, url string) map[string]float64 {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%v, %v\n%s", response.Status, err, text)
	}
	form := regexp.MustCompile(`^([a-z_]+)(\{[a-z]+="[a-z0-9_]*"(?:,[a-z]+="[a-z0-9_]*")*\}) (\S+)$`)
	declared, values := map[string]bool{}, map[string]float64{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			declared[strings.Fields(name)[0]] = true
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		m := form.FindStringSubmatch(line)
		if m == nil || !declared[m[1]] {
			t.Errorf("%q is not a metric, or of no family", line)
			continue
		}
		if values[m[1]+m[2]], err = strconv.ParseFloat(m[3], 64); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
	return values
}

// TestMetrics looks into a run of two ranks, in one process and in two, while it
// computes: each has done something, and more later, and where its time went is
// known.
func TestMetrics(t *testing.T) {
	t.Parallel() // it does little but wait
	for _, how := range []string{"inproc", "tcp"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := start(t, "slow", t.TempDir(), "-p", "T=24,N=32", "--tile", "1x-x-", "--random", "3", "--grid", "1x2x1", "--map", "t", "--cpus", "1", "--transport", how, "--metrics", "0", "--progress", "none")
			url := ""
			for range 2000 {
				if m := regexp.MustCompile(`http://127\.0\.0\.1:\d+/metrics`).FindString(p.stderr.String()); m != "" {
					url = m
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			points := func(values map[string]float64, rank int) float64 {
				return values[fmt.Sprintf(`loopc_points_total{program="diffusion",rank="%d"}`, rank)]
			}
			var values map[string]float64
			for range 200 {
				if values = scrape(t, url); points(values, 0) > 0 && points(values, 1) > 0 {
					break
				}
				time.Sleep(25 * time.Millisecond)
			}
			if points(values, 0) == 0 || points(values, 1) == 0 || points(values, 0)+points(values, 1) > 24*32*32 || values[`loopc_points_planned{program="diffusion"}`] != 24*32*32 {
				t.Errorf("%v", values)
			}
			for _, name := range []string{"loopc_tiles_total", "loopc_steps", "loopc_sent_messages_total", "loopc_sent_bytes_total"} {
				if sum := values[name+`{program="diffusion",rank="0"}`] + values[name+`{program="diffusion",rank="1"}`]; sum <= 0 {
					t.Errorf("%s is %v", name, sum)
				}
			}
			for _, activity := range []string{"compute", "pack", "wait_data", "wait_credit", "wait_sync"} {
				name := `loopc_worker_seconds_total{program="diffusion",rank="0",activity="` + activity + `"}`
				if seconds, ok := values[name]; !ok || seconds < 0 || activity == "compute" && seconds == 0 {
					t.Errorf("%s is %v, %t", name, seconds, ok)
				}
			}
			elsewhere, err := http.Get(strings.TrimSuffix(url, "metrics"))
			if err != nil || elsewhere.StatusCode != http.StatusNotFound {
				t.Errorf("elsewhere: %v, %v", elsewhere, err)
			}
			_ = elsewhere.Body.Close()
			p.wait(t).expect(t, exitDone, "metrics are at")
		})
	}
	run(t, "diffusion", t.TempDir(), "-p", "T=2,N=8", "--random", "3", "--metrics", "nowhere").expect(t, exitUsage, "--metrics nowhere: want a port")
}

// TestMetricsStrangers has more clients than are served at a time, which say nothing
// or too much: they are thrown out in time, and others are answered.
func TestMetricsStrangers(t *testing.T) {
	t.Parallel() // it does little but wait
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &metrics{program: "p", began: time.Now(), listener: listener, live: &sched.Live{}, ranks: map[int]sched.Summary{}}
	m.serving.Go(m.serve)
	for k := range 2 * scrapers {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if k%2 == 1 {
			_, _ = conn.Write(bytes.Repeat([]byte("x"), 2*scrapeBytes)) // it may be thrown out before it is through
		}
	}
	m.hear(3, json.RawMessage(`{"points":7}`))
	m.hear(4, json.RawMessage(`{"points":"x"}`))
	began := time.Now()
	values := scrape(t, "http://"+listener.Addr().String()+"/metrics")
	if took := time.Since(began); took > 3*scrapeTime || values[`loopc_points_total{program="p",rank="3"}`] != 7 || len(values) != 2+5+5 {
		t.Errorf("after %v: %v", took, values)
	}
	m.close()
}

// TestLog requires of the log that launcher and ranks say when they begin and end,
// with the time, and that a rank that fails says in which step.
func TestLog(t *testing.T) {
	type line struct {
		Time                time.Time
		Level, Msg, At, Err string
		Rank                *int
		Step, Points, Bytes *int64
		Compute_s, Pack_s   *float64
		Wait_data_s         *float64
		Wait_credit_s       *float64
	}
	lines := func(o outcome) map[string]line {
		all := map[string]line{}
		for text := range strings.Lines(o.stderr) {
			var l line
			if !strings.HasPrefix(text, "{\"time\"") {
				continue
			}
			if err := json.Unmarshal([]byte(text), &l); err != nil || l.Time.IsZero() {
				t.Errorf("%s: %v", text, err)
			}
			who := l.At
			if l.Rank != nil {
				who = fmt.Sprint("rank ", *l.Rank)
			}
			all[who+" "+l.Msg] = l
		}
		return all
	}
	got := lines(run(t, "diffusion", t.TempDir(), "-p", "T=12,N=40", "--random", "3", "-n", "2", "--cpus", "1", "--log", "json"))
	for _, who := range []string{"launcher", "rank 0", "rank 1"} {
		begins, there := got[who+" begins"]
		done, ended := got[who+" done"]
		if !there || !ended || done.Time.Before(begins.Time) || done.Step == nil || done.Points == nil || *done.Points == 0 || done.Bytes == nil || done.Compute_s == nil || *done.Compute_s <= 0 || done.Pack_s == nil || *done.Pack_s <= 0 || done.Wait_data_s == nil {
			t.Errorf("%s: %+v, %+v", who, begins, done)
		}
	}
	got = lines(run(t, "divides", t.TempDir(), "-p", "X=20,Y=20,Z=20", "--random", "3", "-n", "2", "--cpus", "1", "--tile", "5x5x5", "--log", "json"))
	failed := got["rank 0 failed"]
	if launcher := got["launcher failed"]; failed.Level != "ERROR" || failed.Step == nil || !strings.Contains(failed.Err, "division by zero") || !strings.Contains(failed.Err, fmt.Sprintf("step %d", *failed.Step)) || launcher.Err == "" {
		t.Errorf("%+v, %+v", failed, launcher)
	}
	if o := run(t, "diffusion", t.TempDir(), "-p", "T=12,N=40", "--random", "3", "-n", "2", "--cpus", "1", "--log", "text"); !regexp.MustCompile(`time=2\S+Z level=INFO msg=done program=diffusion rank=1 step=\d+ points=\d+`).MatchString(o.stderr) {
		t.Errorf("%s", o.stderr)
	}
	run(t, "diffusion", t.TempDir(), "--log", "loud").expect(t, exitUsage, "--log loud: it is text or json")
}

// TestSummaryTimes: the times that the worker of a rank spent computing, packing and waiting must
// add up to no more than the run's time. The summary's time for computing must be the sum over the
// ranks.
func TestSummaryTimes(t *testing.T) {
	for _, transport := range []string{"inproc", "tcp"} {
		o := run(t, "diffusion", t.TempDir(), "-p", "T=40,N=300", "--random", "3", "-n", "2", "--cpus", "1", "--summary", "-", "--transport", transport, "--log", "text")
		var all sched.Summary
		if err := json.NewDecoder(strings.NewReader(o.stdout)).Decode(&all); err != nil || len(all.Ranks) != 2 {
			t.Fatalf("%v\n%s", err, o.stdout)
		}
		for _, s := range all.Ranks {
			if sum := s.Compute + s.Pack + s.WaitData + s.WaitCredit + s.WaitSync; s.Compute <= 0 || s.Pack <= 0 || sum > s.Seconds {
				t.Errorf("%s: rank %d: %v s of %v s: %+v", transport, s.Rank, sum, s.Seconds, s)
			}
		}
		if sum := all.Ranks[0].Compute + all.Ranks[1].Compute; all.Compute < 0.999*sum || all.Compute > 1.001*sum || all.Pack <= 0 {
			t.Errorf("%s: %+v", transport, all)
		}
	}
}
