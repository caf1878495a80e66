package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/ir/irtest"
)

// peers is the folder with the recorded rows.
var peers = filepath.Join("..", "..", "..", "testdata", "peers")

// recorded returns the rows that the tables are made of.
func recorded(t *testing.T) *Records {
	t.Helper()
	r, err := ReadRecords(filepath.Join(peers, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Machines) == 0 || len(r.Machines[0].Rows) < 12 {
		t.Fatal("results.json has not a row for each nest")
	}
	return r
}

// TestResultsAreGenerated: RESULTS.md must follow from the recorded rows, and the project's README
// must show its summary.
func TestResultsAreGenerated(t *testing.T) {
	r := recorded(t)
	var page bytes.Buffer
	if err := r.Tables(&page, []string{peers}); err != nil {
		t.Fatal(err)
	}
	irtest.Golden(t, filepath.Join(peers, "RESULTS.md"), page.Bytes())
	readme, err := os.ReadFile(filepath.Join(peers, "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if summary := r.Machines[0].Summary(); !strings.Contains(string(readme), summary) || strings.Contains(summary, "-  ") {
		t.Errorf("README.md does not show the summary of what is recorded:\n%s", summary)
	}
}

// TestSuiteResultsAreGenerated: RESULTS.md of the suite must follow from the recorded rows, and
// rows must have a class.
func TestSuiteResultsAreGenerated(t *testing.T) {
	r, err := ReadRecords(filepath.Join(suites, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := readNests(suites)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Machines {
		for k := range m.Rows {
			x := &m.Rows[k]
			if !slices.ContainsFunc(list, func(n *nest) bool { return n.name == x.Nest && n.class == x.Class }) {
				t.Errorf("%s of class %s is not listed", x.Nest, x.Class)
			}
		}
	}
	var page bytes.Buffer
	if err := r.Tables(&page, []string{suites}); err != nil {
		t.Fatal(err)
	}
	irtest.Golden(t, filepath.Join(suites, "RESULTS.md"), page.Bytes())
}

// TestTables checks what becomes of a report that is recorded: which rows share a
// table, which columns a table has, and that another report replaces rows.
func TestTables(t *testing.T) {
	report := example()
	report.Rows[0].Peers = []Peer{{Name: "gcc plain", NsPerPoint: 4}, {Name: "gcc tiled", NsPerPoint: 3}, {Name: "clang tiled", NsPerPoint: 2.5}}
	r := &Records{Schema: recordsSchema}
	r.Add(report)
	r.Add(report)
	if n := len(r.Machines[0].Rows); n != len(report.Rows) {
		t.Errorf("%d rows are recorded, of %d", n, len(report.Rows))
	}
	var page bytes.Buffer
	if err := r.Tables(&page, []string{peers}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## " + report.Processor, "### Size cache, 1 CPU\n", "### Size small, 2 CPUs\n", "| 2.500 (clang tiled) |", report.Date} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, &page)
		}
	}
	for _, want := range []string{"| sweep | vectors across levels |", "| sweep | 1 | 1 | 8.00 | 8.00 | 8.00 | seidel5 cache |"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, &page)
		}
	}
	if heading := "| plain C |"; strings.Count(page.String(), heading) != 1 {
		t.Errorf("not just the table with plain C has a column for it:\n%s", &page)
	}
}
