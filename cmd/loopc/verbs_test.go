package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/ir/irtest"
)

// TestAcceptedVerbs has every command that builds nothing take random small files that loopc check
// accepts: none is refused, none ends with status 3, and what loopc fmt prints is accepted and
// printed alike.
func TestAcceptedVerbs(t *testing.T) {
	t.Parallel()
	seed, count := smallFiles.begin(t), *smallFiles.count
	folder := inMemory(t)
	accepted := 0
	for k := range count / 3 {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		file := filepath.Join(folder, fmt.Sprintf("small%d.loop", k))
		src := irtest.RandomSmall(rng)
		if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		status, stderr := invoke("check", file)
		if status == exitBug {
			t.Errorf("check: %s\n%s", stderr, src)
		}
		if status != exitDone || strings.Contains(stderr, "with the default parameters") {
			continue // a launch with these is refused
		}
		accepted++
		ranks, cpus := fmt.Sprint(1+rng.IntN(5)), fmt.Sprint(1+rng.IntN(3))
		verbs := [][]string{
			{"plan", file}, {"plan", file, "--json", "-n", ranks, "--cpus", cpus},
			{"plan", file, "-n", ranks, "--cpus", cpus, "--html", filepath.Join(folder, "plan.html")},
			{"compile", file, "-o", filepath.Join(folder, fmt.Sprintf("out%d", k))},
		}
		if strings.Count(src, "\nfor ") == 1 && !strings.Contains(src, "\nrepeat ") {
			verbs = append(verbs, []string{"simulate", file, "-n", ranks})
		}
		for _, args := range verbs {
			if status, stderr := invoke(args...); status != exitDone && !strings.Contains(stderr, "loopc simulate is for one nest") { // a for may be divided
				t.Errorf("%s ends with %d: %s\n%s", strings.Join(args, " "), status, stderr, src)
			}
		}
		laidOut(t, file, src)
		if err := os.RemoveAll(filepath.Join(folder, fmt.Sprintf("out%d", k))); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d files accepted", accepted, count/3)
	if accepted < count/9 {
		t.Error("the test proves little")
	}
}

// laidOut requires that the text that loopc fmt prints of a file is its own layout.
func laidOut(t *testing.T, file, src string) {
	t.Helper()
	formatted := func() string {
		var out bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: io.Discard, pass: "test"}
		if status := a.main([]string{"fmt", file}); status != exitDone {
			t.Errorf("fmt ends with %d\n%s", status, src)
		}
		return out.String()
	}
	once := formatted()
	if err := os.WriteFile(file, []byte(once), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, stderr := invoke("check", file); status != exitDone {
		t.Errorf("what fmt prints is refused: %s\n%s", stderr, once)
	}
	if again := formatted(); again != once {
		t.Errorf("fmt prints differently of its own layout:\n%s\n%s", once, again)
	}
}
