package ranks_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/transporttest"
	"loopc/testdata/emit/diffusion"
	"loopc/testdata/emit/seidel"
)

// modeEnv says which of modes the test binary is to do as one of several processes,
// instead of tests.
const modeEnv = "RANKS_TEST_MODE"

// The runs of the modes.
var (
	diffusionParams = diffusion.Params{T: 9, N: 61}
	seidelParams    = seidel.Params{T: 7, N: 61}
	gridLo, gridHi  = []int{0, 0}, []int{62, 62}
)

// startContent is the initial content of the given array, the same in every process.
func startContent() []float64 { return field(5, 63*63) }

// supplied supplies startContent.
func supplied(b array.Block[float64]) error { return b.CopyFrom(startContent(), gridLo, gridHi) }

// dropped is for results that nobody looks at.
func dropped(array.Block[float64]) error { return nil }

// oneCPU are the options of most modes.
func oneCPU() (o diffusion.RankOptions) {
	o.CPUs, o.Tile, o.Grid, o.Map = 1, []int{0, 10, 10}, []int{1, 4, 1}, "j"
	return o
}

// seidelOneCPU are the same options for the other nest.
func seidelOneCPU() seidel.RankOptions {
	o := oneCPU()
	return seidel.RankOptions{Options: seidel.Options{CPUs: o.CPUs, Tile: o.Tile, Grid: o.Grid, Map: o.Map}}
}

// launched is the number by which the launcher knows this process.
func launched() string { return os.Getenv("LOOPC_RANK") }

// modes are what one of several processes does. What an error says goes to standard
// error.
var modes = map[string]func(ctx context.Context) error{
	// Each process supplies its part and compares what it receives with the
	// sequential loops; it prints how many cells that were.
	"parts": func(ctx context.Context) error {
		cells := 0
		p := diffusion.Parts{SupplyU0: supplied, ReceiveU: compared(&cells, sequentialDiffusion())}
		sum, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		if err == nil {
			fmt.Printf("cells %d leads %t ranks %d\n", cells, sum.Rank == -1, len(sum.Ranks))
		}
		return err
	},
	// Arrays are whole, in the process that leads.
	"whole": func(ctx context.Context) error {
		p := seidel.Parts{}
		if launched() == "0" {
			p.U = startContent()
		}
		if _, err := seidel.RunRanks(ctx, seidelParams, &p, seidelOneCPU()); err != nil {
			return err
		}
		if launched() == "0" && !same(p.U, sequentialSeidel()) {
			return errors.New("the bits differ")
		}
		return nil
	},
	// One array is whole, the other in parts.
	"mixed": func(ctx context.Context) error {
		cells := 0
		p := diffusion.Parts{ReceiveU: compared(&cells, sequentialDiffusion())}
		if launched() == "0" {
			p.U0 = startContent()
		}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		if err == nil {
			fmt.Printf("cells %d\n", cells)
		}
		return err
	},
	// Runs follow one another, of two programs; processes take their time between them.
	"again": func(ctx context.Context) error {
		for k := range 3 {
			cells := 0
			p := diffusion.Parts{SupplyU0: supplied, ReceiveU: compared(&cells, sequentialDiffusion())}
			if _, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU()); err != nil {
				return fmt.Errorf("run %d: %w", k, err)
			}
			if launched() == fmt.Sprint(k) {
				time.Sleep(100 * time.Millisecond)
			}
			s := seidel.Parts{SupplyU: supplied, ReceiveU: compared(&cells, sequentialSeidel())}
			if _, err := seidel.RunRanks(ctx, seidelParams, &s, seidelOneCPU()); err != nil {
				return fmt.Errorf("run %d in place: %w", k, err)
			}
			fmt.Printf("cells %d\n", cells)
		}
		return nil
	},
	// Code of the caller is called between levels.
	"coupled": func(ctx context.Context) error { return coupledParts(ctx, 3) },
	"other coupling": func(ctx context.Context) error {
		if launched() == "2" {
			return coupledParts(ctx, 2)
		}
		return coupledParts(ctx, 3)
	},
	"supply fails": func(ctx context.Context) error {
		p := diffusion.Parts{ReceiveU: dropped, SupplyU0: func(b array.Block[float64]) error {
			if b.Rank == 2 {
				return errors.New("no such file")
			}
			return nil
		}}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		if err != nil { // there is no second try
			_, second := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
			if second == nil || !strings.Contains(second.Error(), "an earlier run") {
				return fmt.Errorf("a further run: %v", second)
			}
		}
		return err
	},
	"receive fails": func(ctx context.Context) error {
		p := diffusion.Parts{SupplyU0: supplied, ReceiveU: func(b array.Block[float64]) error {
			if b.Rank == 1 {
				return errors.New("the disk is full")
			}
			return nil
		}}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		return err
	},
	"dies": func(ctx context.Context) error {
		p := diffusion.Parts{ReceiveU: dropped, SupplyU0: func(b array.Block[float64]) error {
			if b.Rank == 2 {
				os.Exit(7)
			}
			return nil
		}}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		return err
	},
	"leader dies": func(ctx context.Context) error {
		p := diffusion.Parts{ReceiveU: dropped, SupplyU0: func(array.Block[float64]) error {
			if launched() == "0" {
				os.Exit(7)
			}
			return nil
		}}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		return err
	},
	"ends early": func(ctx context.Context) error {
		p := diffusion.Parts{SupplyU0: supplied, ReceiveU: dropped}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		if err == nil && launched() != "2" {
			_, err = diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		}
		return err
	},
	"other parameters": func(ctx context.Context) error {
		params := diffusionParams
		if launched() == "1" {
			params.N++
		}
		_, err := diffusion.RunRanks(ctx, params, &diffusion.Parts{SupplyU0: supplied, ReceiveU: dropped}, oneCPU())
		return err
	},
	"other functions": func(ctx context.Context) error {
		p := diffusion.Parts{SupplyU0: supplied, ReceiveU: dropped}
		if launched() == "3" {
			p.ReceiveU = nil
		}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		return err
	},
	"other program": func(ctx context.Context) error {
		if launched() == "1" {
			_, err := seidel.RunRanks(ctx, seidelParams, &seidel.Parts{SupplyU: supplied, ReceiveU: dropped}, seidelOneCPU())
			return err
		}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &diffusion.Parts{SupplyU0: supplied, ReceiveU: dropped}, oneCPU())
		return err
	},
	"wrong shape": func(ctx context.Context) error {
		p := diffusion.Parts{Arrays: diffusion.Arrays{U0: make([]float64, 17)}, ReceiveU: dropped}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		return err
	},
	"wrong ranks": func(ctx context.Context) error {
		o := oneCPU()
		o.Ranks = 3
		_, err := diffusion.RunRanks(ctx, diffusionParams, &diffusion.Parts{SupplyU0: supplied, ReceiveU: dropped}, o)
		return err
	},
	"interrupted late": func(ctx context.Context) error {
		ctx, stop := context.WithCancelCause(ctx)
		p := diffusion.Parts{SupplyU0: supplied, ReceiveU: func(array.Block[float64]) error {
			if launched() == "1" {
				stop(errors.New("the user has had enough"))
				time.Sleep(200 * time.Millisecond) // the others have told their results
			}
			return nil
		}}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		return err
	},
	"interrupted": func(ctx context.Context) error {
		ctx, stop := context.WithCancelCause(ctx)
		p := diffusion.Parts{ReceiveU: dropped, SupplyU0: func(array.Block[float64]) error {
			if launched() == "1" {
				stop(errors.New("the user has had enough"))
				<-ctx.Done()
			}
			return nil
		}}
		_, err := diffusion.RunRanks(ctx, diffusionParams, &p, oneCPU())
		return err
	},
}

func sequentialDiffusion() []float64 {
	a := diffusion.Arrays{U0: startContent()}
	if err := diffusion.Sequential(diffusionParams, &a); err != nil {
		panic(err)
	}
	return a.U
}

func sequentialSeidel() []float64 {
	a := seidel.Arrays{U: startContent()}
	if err := seidel.Sequential(seidelParams, &a); err != nil {
		panic(err)
	}
	return a.U
}

// compared returns a function that compares what it receives with want, and counts
// the cells.
func compared(cells *int, want []float64) func(array.Block[float64]) error {
	return func(b array.Block[float64]) error {
		for cell, row := range b.Rows() {
			at := cell[0]*63 + cell[1]
			if !same(row, want[at:at+len(row)]) {
				return fmt.Errorf("the bits differ near %v", cell)
			}
			*cells += len(row)
		}
		return nil
	}
}

func TestMain(m *testing.M) {
	mode := os.Getenv(modeEnv)
	if mode == "" {
		os.Exit(m.Run())
	}
	if err := modes[mode](context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// startAll starts a mode as 4 processes, tells them by environment variables where they meet, and
// returns their outputs and errors, by process.
func startAll(t *testing.T, mode string) (said, failed []string) {
	t.Helper()
	const size = 4
	if modes[mode] == nil {
		t.Fatalf("no such mode: %s", mode)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := auth.NewSecret().WriteFile(secret); err != nil {
		t.Fatal(err)
	}
	root, err := transporttest.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // far more than any takes
	defer cancel()
	said, failed = make([]string, size), make([]string, size)
	var all sync.WaitGroup
	for rank := range size {
		all.Go(func() {
			cmd := exec.CommandContext(ctx, self)
			cmd.Env = append(os.Environ(), modeEnv+"="+mode, "LOOPC_RANK="+fmt.Sprint(rank), "LOOPC_SIZE="+fmt.Sprint(size), "LOOPC_ROOT="+root, "LOOPC_SECRET_FILE="+secret)
			var out, err bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &err
			code := cmd.Run()
			said[rank], failed[rank] = out.String(), err.String()
			if code != nil && failed[rank] == "" {
				failed[rank] = code.Error()
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		t.Errorf("%s: the processes had to be killed\n%q", mode, failed)
	}
	return said, failed
}

// TestProcesses runs nests in 4 processes, with the bits of the sequential loops.
func TestProcesses(t *testing.T) {
	for mode, want := range map[string]int{"parts": 63 * 63, "mixed": 63 * 63, "whole": 0, "again": 3 * 2 * 63 * 63, "coupled": 63 * 63} {
		t.Run(mode, func(t *testing.T) {
			said, failed := startAll(t, mode)
			cells, leads := 0, 0
			for rank := range said {
				if failed[rank] != "" {
					t.Errorf("process %d: %s", rank, failed[rank])
				}
				for line := range strings.Lines(said[rank]) {
					var n int
					if _, err := fmt.Sscanf(line, "cells %d", &n); err != nil {
						t.Errorf("process %d: %q", rank, line)
					}
					cells += n
					if strings.Contains(line, "leads true ranks 4") {
						leads++
					}
				}
			}
			if cells != want {
				t.Errorf("%d cells were received, want %d", cells, want)
			}
			if mode == "parts" && leads != 1 {
				t.Errorf("%d processes lead:\n%s", leads, said)
			}
		})
	}
}

// TestFailures: if anything fails in one process, all processes end with an error that says so.
func TestFailures(t *testing.T) {
	for mode, want := range map[string]string{
		"supply fails":     "rank 2: array u0: no such file",
		"receive fails":    "rank 1: result u: the disk is full",
		"dies":             "rank 2: process",
		"leader dies":      "is gone",
		"ends early":       "rank 2: ",
		"other parameters": "rank 1: has T = 9, N = 62, but rank 0 has T = 9, N = 61",
		"other coupling":   "rank 2: calls the caller's code after each 2 levels, and rank 0 after each 3",
		"other functions":  "rank 3: lacks ReceiveU, which rank 0 has",
		"other program":    "rank 1: runs another program than rank 0",
		"wrong shape":      "U0, or SupplyU0: array u0 of diffusion: 17 cells given, 3969 needed",
		"wrong ranks":      "the options say 3 ranks, but the environment has started 4",
		"interrupted":      "rank 1: the user has had enough",
		"interrupted late": "rank 1: the user has had enough",
	} {
		t.Run(mode, func(t *testing.T) {
			_, failed := startAll(t, mode)
			for rank, text := range failed {
				switch {
				case strings.HasPrefix(text, "exit status 7") && strings.Contains(mode, "dies"):
				case rank == 2 && mode == "ends early" && text == "":
				case !strings.Contains(text, want) || strings.Count(text, "rank ") > 3:
					t.Errorf("process %d: %q, want %q", rank, text, want)
				}
			}
		})
	}
}
