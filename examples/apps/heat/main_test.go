package main

import (
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ofGo is the path of one of the pictures that come with Go.
func ofGo(t *testing.T, name string) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "src", "image", "testdata", name)
}

// plain does one step as one would write it in Go. The conversions keep products
// from being fused into sums.
func plain(p *plate) *plate {
	next := &plate{p.width, p.height, slices.Clone(p.cells)}
	for y := 1; y < p.height-1; y++ {
		for x := 1; x < p.width-1; x++ {
			at := y*p.width + x
			u := p.cells
			next.cells[at] = u[at] + float32(0.2*(u[at-p.width]+u[at+p.width]+u[at-1]+u[at+1]-float32(4*u[at])))
		}
	}
	return next
}

// TestHeat compares with the plain loops, bit for bit, over several frames.
func TestHeat(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range [][2]int{{50, 40}, {3, 30}, {2, 2}} {
		got := &plate{width: size[0], height: size[1]}
		for range size[0] * size[1] {
			got.cells = append(got.cells, rng.Float32())
		}
		want := &plate{got.width, got.height, got.cells}
		for frame := range 3 {
			steps := 7 * frame
			if err := got.step(t.Context(), steps, 1+frame); err != nil {
				t.Fatal(err)
			}
			for range steps {
				want = plain(want)
			}
			if !slices.Equal(got.cells, want.cells) {
				t.Fatalf("%v: frame %d differs", size, frame)
			}
		}
	}
}

// TestMode checks that the slowest mode decays as its eigenvalue says.
func TestMode(t *testing.T) {
	const n, steps = 30, 200
	p := &plate{width: n + 2, height: n + 2}
	for y := range n + 2 {
		for x := range n + 2 {
			p.cells = append(p.cells, float32(math.Sin(math.Pi*float64(x)/(n+1))*math.Sin(math.Pi*float64(y)/(n+1))))
		}
	}
	middle := (n/2)*(n+2) + n/2
	before := float64(p.cells[middle])
	if err := p.step(t.Context(), steps, 2); err != nil {
		t.Fatal(err)
	}
	want := before * math.Pow(1-8*0.2*math.Pow(math.Sin(math.Pi/(2*(n+1))), 2), steps)
	if got := float64(p.cells[middle]); math.Abs(got-want) > 1e-5 || want > 0.6*before {
		t.Errorf("the middle has cooled from %v to %v, want %v", before, got, want)
	}
}

// TestFrames writes frames of a picture that comes with Go.
func TestFrames(t *testing.T) {
	out := filepath.Join(t.TempDir(), "frame")
	if err := run(ofGo(t, "video-001.png"), out, 2, 30, 2); err != nil {
		t.Fatal(err)
	}
	var contrast []float64
	for k := range 3 {
		f, err := os.Open(fmt.Sprintf("%s-%03d.png", out, k))
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(f)
		if err != nil || picture.Bounds().Dx() != 150 || picture.Bounds().Dy() != 103 {
			t.Fatalf("frame %d: %v", k, err)
		}
		f.Close()
		sum := 0.0 // of the differences between neighbors
		for y := range 103 {
			for x := range 149 {
				a, _, _, _ := picture.At(x, y).RGBA()
				b, _, _, _ := picture.At(x+1, y).RGBA()
				sum += math.Abs(float64(a) - float64(b))
			}
		}
		contrast = append(contrast, sum)
	}
	if !(contrast[0] > 2*contrast[1] && contrast[1] > 1.1*contrast[2]) {
		t.Errorf("the frames do not get smoother: %v", contrast)
	}
	if files, err := filepath.Glob(out + "*"); err != nil || len(files) != 3 {
		t.Errorf("the frames are %v, error %v", files, err)
	}
}
