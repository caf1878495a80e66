package bench

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// example is a report with everything that a table can have.
func example() *Report {
	return &Report{
		Rows: []Row{
			{
				Nest: "seidel5", Title: "Gauss-Seidel 5-point in place, float64", Class: "sweep", Schemes: "vectors across levels", PredictedNs: 0.25, Size: "cache", Params: "T=100,N=500", Kernel: "avx2", CPUs: 1, NsPerPoint: 0.5, PrepareMs: 1.25, BestPeer: "gcc tiled", PeerNsPerPoint: 3,
				Ratio: 6, RatioLow: 5.9, RatioHigh: 6.125, BestPlain: "clang plain, strict", PlainNsPerPoint: 4, PlainRatio: 8, PlainRatioLow: 7.5, PlainRatioHigh: 8.25,
				BestStrict: "clang plain, strict", StrictNsPerPoint: 4, StrictRatio: 8, StrictRatioLow: 7.5, StrictRatioHigh: 8.25,
				RoofNs: 0.25, RoofLimit: "arithmetic", RoofFraction: 0.5, DividerNs: 0.625, SameBits: true, Pairs: 15,
			},
			{
				Nest: "adi", Schemes: "portable: integers are divided", Size: "small", Params: "T=64,N=150", Kernel: "portable", CPUs: 2, NsPerPoint: 2, BestPeer: "mpich overlap", PeerNsPerPoint: 1,
				Ratio: 0.5, RatioLow: 0.25, RatioHigh: 0.75, RoofNs: 1, RoofLimit: "divider", RoofFraction: 0.5, DividerNs: 1, Efficiency: 0.9, Shares: 0.95, Pairs: 15,
			},
		},
		Processor: "Some CPU", CPUs: 2, Date: "2026-11-21", Compilers: []string{"gcc: gcc 12"},
		Missing: []string{"clang: not in PATH"}, Untimed: []string{"adi, small, on 4 CPUs: there are only 2"}, Load: HostLoad{1.0625, 1.5},
	}
}

func TestMarkdown(t *testing.T) {
	const want = `| nest | class | size | kernel | scheme | CPUs | loopc ns/point | predicted | prepared in ms | best peer | ns/point | times faster | plain C loop | ns/point | times faster | strict C loop | ns/point | times faster | roof ns/point | of roof | scaling | of shares | bits |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
| Gauss-Seidel 5-point in place, float64 | sweep | cache T=100,N=500 | avx2 | vectors across levels | 1 | 0.500 | 0.250 | 1.2 | gcc tiled | 3.000 | 6.00 (5.90 to 6.12) | clang plain, strict | 4.000 | 8.00 (7.50 to 8.25) | clang plain, strict | 4.000 | 8.00 (7.50 to 8.25) | 0.250 (arithmetic) | 50 % | - | - | same |
| adi | - | small T=64,N=150 | portable | portable: integers are divided | 2 | 2.000 | - | 0.0 | mpich overlap | 1.000 | 0.50 (0.25 to 0.75) | - | - | - | - | - | - | 1.000 (divider) | 50 % | 0.90 | 0.95 | OTHER |

| class | rows | with vector kernels | times faster than plain C | than strict C | least | of |
|---|---|---|---|---|---|---|
| sweep | 1 | 1 | 8.00 | 8.00 | 8.00 | seidel5 cache |
| other | 1 | 0 | - | - | - | - |
| all | 2 | 1 | 8.00 | 8.00 | 8.00 | seidel5 cache |

- 2026-11-21, Some CPU, 2 CPUs
- medians of 15 runs in turn; times faster with the interval of 95 %
- load of the host: a reference kernel, a millisecond of vector arithmetic on the CPUs of each row at once, took 1.06 times its best time in the median, and 1.50 times in the ninth decile; 1.00 is an idle host
- gcc: gcc 12
- of the rows, 1 have a nest that is portable: integers are divided
- seidel5, T=100,N=500, 1 CPU: its divisions would take the divider 0.625 ns/point
- missing: clang: not in PATH
- not timed: adi, small, on 4 CPUs: there are only 2
`
	var got bytes.Buffer
	if err := example().Markdown(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("the table is\n%s\nwant\n%s", &got, want)
	}
}

func TestText(t *testing.T) {
	var got bytes.Buffer
	if err := example().Text(&got); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(got.String(), "\n")
	if at := strings.Index(lines[0], "best peer"); at < 0 || strings.Index(lines[1], "gcc tiled") != at || strings.Index(lines[2], "mpich overlap") != at {
		t.Errorf("the columns do not stand below their headings:\n%s", &got)
	}
	few := example()
	few.Rows[0].Pairs, few.Rows[1].Pairs = 5, 5
	got.Reset()
	if err := few.Text(&got); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.String(), "interval of 95 %;") || !strings.Contains(got.String(), "whole range") {
		t.Errorf("five pairs are said to give an interval:\n%s", &got)
	}
}

// TestJSON checks the names that readers of the JSON rely on.
func TestJSON(t *testing.T) {
	var text bytes.Buffer
	if err := example().JSON(&text); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Rows []map[string]any `json:"rows"`
	}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"nest": "seidel5", "size": "cache", "kernel": "avx2", "cpus": 1.0, "ns_per_point": 0.5, "best_peer": "gcc tiled",
		"peer_ns_per_point": 3.0, "ratio": 6.0, "roof_fraction": 0.5, "same_bits": true,
	} {
		if got.Rows[0][name] != want {
			t.Errorf("%s is %v, want %v", name, got.Rows[0][name], want)
		}
	}
}

// TestGate compares a report with records of the same machine and of others.
func TestGate(t *testing.T) {
	records, err := ReadRecords(t.TempDir() + "/none.json")
	if err != nil {
		t.Fatal(err)
	}
	report := example()
	if slower, compared := records.Slower(report); len(slower) != 0 || compared != 0 {
		t.Errorf("without a record, %v of %d are slower", slower, compared)
	}
	records.Add(report)
	name := t.TempDir() + "/records.json"
	if err := records.Write(name); err != nil {
		t.Fatal(err)
	}
	if records, err = ReadRecords(name); err != nil {
		t.Fatal(err)
	}
	row := &report.Rows[0] // recorded with 6
	for _, c := range []struct {
		low, high float64
		fails     bool
	}{{5, 7, false}, {3.9, 4.3, false}, {3.9, 4.1, true}} {
		row.RatioLow, row.RatioHigh = c.low, c.high
		slower, compared := records.Slower(report)
		if (len(slower) == 1 && slower[0].Row == row) != c.fails || compared != 2 {
			t.Errorf("at %g to %g, %v of %d are slower", c.low, c.high, slower, compared)
		}
	}
	report.Rows[0].Kernel = "avx512"
	if slower, compared := records.Slower(report); len(slower) != 0 || compared != 1 {
		t.Errorf("with another kernel, %v of %d are slower", slower, compared)
	}
	report.Processor = "Other CPU"
	if slower, compared := records.Slower(report); len(slower) != 0 || compared != 0 {
		t.Errorf("on another machine, %v of %d are slower", slower, compared)
	}
}
