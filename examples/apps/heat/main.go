// Heat shows how heat spreads in a plate, as a series of pictures:
//
//	heat [-frames N] [-steps N] [-ranks N] IN.png OUT
//
// The picture is the initial temperature: white is hot. The boundary keeps its temperature.
// OUT-000.png is the initial plate; between two pictures there is a number of time steps.
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

//go:generate loopc compile heat.loop

func main() {
	log.SetFlags(0)
	log.SetPrefix("heat: ")
	frames := flag.Int("frames", 10, "pictures after the first one")
	steps := flag.Int("steps", 50, "steps in time from one to the next")
	ranks := flag.Int("ranks", 1, "ranks that share the work")
	flag.Parse()
	if flag.NArg() != 2 || *frames < 0 || *steps < 0 {
		log.Fatal("usage: heat [-frames N] [-steps N] [-ranks N] IN.png OUT")
	}
	if err := run(flag.Arg(0), flag.Arg(1), *frames, *steps, *ranks); err != nil {
		log.Fatal(err)
	}
}

// run reads a picture and writes the frames.
func run(from, to string, frames, steps, ranks int) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	picture, _, err := image.Decode(in)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	p, err := plateOf(picture)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	for k := 0; ; k++ {
		if err := write(fmt.Sprintf("%s-%03d.png", to, k), p.picture()); err != nil {
			return err
		}
		if k == frames {
			return nil
		}
		if err := p.step(context.Background(), steps, ranks); err != nil {
			return err
		}
	}
}

// write makes a PNG file.
func write(name string, picture image.Image) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := png.Encode(out, picture); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return out.Close()
}

// A plate has temperatures from 0 to 1, boundary included.
type plate struct {
	width, height int // with the boundary
	cells         []float32
}

// plateOf returns a plate as hot as the picture is bright.
func plateOf(picture image.Image) (*plate, error) {
	b := picture.Bounds()
	p := &plate{width: b.Dx(), height: b.Dy()}
	if p.width < 2 || p.height < 2 {
		return nil, fmt.Errorf("a plate of %d x %d cells has no boundary", p.width, p.height)
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			gray := color.Gray16Model.Convert(picture.At(x, y)).(color.Gray16)
			p.cells = append(p.cells, float32(gray.Y)/0xffff)
		}
	}
	return p, nil
}

// step advances by the given number of steps in time.
func (p *plate) step(ctx context.Context, steps, ranks int) error {
	var o HeatOptions
	o.Ranks = ranks
	a := &HeatArrays{Start: p.cells}
	if _, err := RunHeat(ctx, HeatParams{T: steps, W: p.width - 2, H: p.height - 2}, a, o); err != nil {
		return err
	}
	p.cells = a.U
	return nil
}

// picture shows the plate in black, red, yellow and white, like glowing iron.
func (p *plate) picture() image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, p.width, p.height))
	for k, u := range p.cells {
		part := func(from float32) uint8 { return uint8(255 * min(1, max(0, 3*u-from))) }
		picture.SetRGBA(k%p.width, k/p.width, color.RGBA{part(0), part(1), part(2), 255})
	}
	return picture
}
