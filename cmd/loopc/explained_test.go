package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestPlanIsWhatRuns: without measured figures, loopc plan must show the plan that a run chooses,
// since both use the costs of the kernel that will run.
func TestPlanIsWhatRuns(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("LOOPC_MACHINE", "")
	for _, c := range [][]string{
		{"diffusion", "T=150,N=300"}, {"pipeline", "X=40,Y=40,Z=1000"},
	} {
		file := filepath.Join("..", "..", "examples", c[0], c[0]+extension)
		flags := []string{file, "-p", c[1], "-n", "2", "--cpus", "1", "--transport", "tcp"}
		var out, stderr bytes.Buffer
		a := &app{stdout: &out, stderr: &stderr, pass: "test"}
		if status := a.main(append([]string{"plan", "--json"}, flags...)); status != exitDone {
			t.Fatalf("plan: exit status %d\n%s", status, &stderr)
		}
		type result struct {
			Steps int   `json:"steps"`
			Bytes int64 `json:"bytes"`
		}
		var planned, ran result
		if err := json.Unmarshal(out.Bytes(), &planned); err != nil {
			t.Fatal(err)
		}
		summary := filepath.Join(t.TempDir(), "summary.json")
		if status, text := invoke(append([]string{"run", "--random", "1", "--progress", "none", "--summary", summary}, flags...)...); status != exitDone {
			t.Fatalf("run: exit status %d\n%s", status, text)
		}
		text, err := os.ReadFile(summary)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &ran); err != nil {
			t.Fatal(err)
		}
		if planned != ran || ran.Steps == 0 {
			t.Errorf("%s: plan shows %+v, the run had %+v", c[0], planned, ran)
		}
	}
}
