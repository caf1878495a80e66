package main

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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

// reference dithers as package image/draw does.
func reference(gray *image.Gray, dithered *image.Paletted) *image.Paletted {
	want := image.NewPaletted(gray.Bounds(), dithered.Palette)
	draw.FloydSteinberg.Draw(want, want.Bounds(), gray, image.Point{})
	return want
}

// TestDither compares with image/draw.FloydSteinberg, pixel for pixel, on the
// pictures that come with Go and on noise, for every number of levels. The
// arithmetic is the same: where a picture is gray, so is the result. (A picture in
// color is made gray before, which image/draw would do channel by channel.)
func TestDither(t *testing.T) {
	pictures := map[string]*image.Gray{"noise": image.NewGray(image.Rect(0, 0, 37, 29)), "one pixel": image.NewGray(image.Rect(0, 0, 1, 1))}
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range pictures["noise"].Pix {
		pictures["noise"].Pix[k] = uint8(rng.IntN(256))
	}
	for _, name := range []string{"video-005.gray.png", "video-001.png"} {
		f, err := os.Open(ofGo(t, name))
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		pictures[name] = grayOf(picture)
	}
	for name, gray := range pictures {
		for _, levels := range []int{2, 4, 6, 16, 18, 52, 86, 256} {
			got, err := dither(t.Context(), gray, levels, 1+levels%3)
			if err != nil {
				t.Fatal(err)
			}
			want := reference(gray, got)
			for k := range want.Pix {
				if got.Pix[k] != want.Pix[k] {
					t.Errorf("%s in %d levels: pixel %d, %d is %d, and of image/draw %d", name, levels, k%want.Stride, k/want.Stride, got.Pix[k], want.Pix[k])
					break
				}
			}
			if levels == 2 && len(want.Pix) > 1 && (!bytes.ContainsRune(want.Pix, 0) || !bytes.ContainsRune(want.Pix, 1)) {
				t.Errorf("%s has one level only: this proves nothing", name)
			}
		}
	}
	if _, err := dither(t.Context(), pictures["noise"], 3, 1); err == nil {
		t.Errorf("3 levels are accepted, and their distance is no whole number")
	}
}

// TestFiles dithers a file.
func TestFiles(t *testing.T) {
	from, to := ofGo(t, "video-001.jpeg"), filepath.Join(t.TempDir(), "out.png")
	if err := run(from, to, 4, 2); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if p, ok := picture.(*image.Paletted); err != nil || !ok || len(p.Palette) != 4 || p.Bounds().Size() != image.Pt(150, 103) {
		t.Errorf("the result is %T, error %v", picture, err)
	}
}
