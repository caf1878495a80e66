// Dither reduces a picture to a few gray levels, two by default, by Floyd-Steinberg error
// diffusion:
//
//	dither [-levels N] [-ranks N] IN.png OUT.png
//
// It reads PNG, JPEG and GIF, and writes a PNG with a palette.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"
	_ "image/jpeg"
	"image/png"
	"log"
	"os"
)

//go:generate loopc compile dither.loop

func main() {
	log.SetFlags(0)
	log.SetPrefix("dither: ")
	levels := flag.Int("levels", 2, "gray levels: 2, 4, 6, 16, 18, 52, 86 or 256")
	ranks := flag.Int("ranks", 1, "ranks that share the work")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: dither [-levels N] [-ranks N] IN.png OUT.png")
	}
	if err := run(flag.Arg(0), flag.Arg(1), *levels, *ranks); err != nil {
		log.Fatal(err)
	}
}

// run dithers the picture in file from and writes the result to file to.
func run(from, to string, levels, ranks int) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	picture, _, err := image.Decode(in)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	dithered, err := dither(context.Background(), grayOf(picture), levels, ranks)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := png.Encode(out, dithered); err != nil {
		return fmt.Errorf("%s: %w", to, err)
	}
	return out.Close()
}

// grayOf returns the picture in gray, with its first pixel at 0, 0.
func grayOf(picture image.Image) *image.Gray {
	b := picture.Bounds()
	gray := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			gray.Set(x, y, picture.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return gray
}

// dither returns gray in the given number of levels, evenly spaced from black to white. The
// distance of levels must be an integer of 16 bits.
func dither(ctx context.Context, gray *image.Gray, levels, ranks int) (*image.Paletted, error) {
	if levels < 2 || levels > 256 || 65535%(levels-1) != 0 {
		return nil, fmt.Errorf("%d levels are not evenly spaced: 2, 4, 6, 16, 18, 52, 86 and 256 are", levels)
	}
	step := 65535 / (levels - 1)
	var palette color.Palette
	for k := range levels {
		palette = append(palette, color.Gray16{Y: uint16(k * step)})
	}
	size := gray.Bounds().Size()
	dithered := image.NewPaletted(gray.Bounds(), palette)
	var o DitherOptions
	o.Ranks = ranks
	_, err := RunDither(ctx, DitherParams{W: size.X, H: size.Y, Step: step}, &DitherArrays{Gray: gray.Pix, Level: dithered.Pix}, o)
	return dithered, err
}
