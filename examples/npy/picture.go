package main

import (
	"bufio"
	"errors"
	"fmt"
	pictures "image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
)

// readImage returns the gray levels of a picture, from 0 for black to 1 for
// white, rows from top to bottom.
func readImage(name string) (rows, cols int, levels []float64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, 0, nil, err
	}
	defer f.Close()
	if filepath.Ext(name) == ".pgm" {
		return readPGM(bufio.NewReader(f))
	}
	picture, err := png.Decode(bufio.NewReader(f))
	if err != nil {
		return 0, 0, nil, err
	}
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			gray := color.Gray16Model.Convert(picture.At(x, y)).(color.Gray16)
			levels = append(levels, float64(gray.Y)/math.MaxUint16)
		}
	}
	return b.Dy(), b.Dx(), levels, nil
}

// readPGM does what readImage does, for a portable graymap, plain (P2) or binary (P5).
func readPGM(r *bufio.Reader) (rows, cols int, levels []float64, err error) {
	magic := make([]byte, 2)
	if _, err := io.ReadFull(r, magic); err != nil {
		return 0, 0, nil, err
	}
	plain := string(magic) == "P2"
	if !plain && string(magic) != "P5" {
		return 0, 0, nil, errors.New("not a portable graymap")
	}
	var most int
	for _, to := range []*int{&cols, &rows, &most} {
		if *to, err = pgmNumber(r); err != nil {
			return 0, 0, nil, err
		}
	}
	if rows < 1 || cols < 1 || rows > maxCells/cols || most < 1 || most > math.MaxUint16 {
		return 0, 0, nil, fmt.Errorf("a picture of %d rows, %d columns and %d levels is not supported", rows, cols, most)
	}
	for range rows * cols {
		level := 0
		switch {
		case plain:
			level, err = pgmNumber(r)
		case most < 256:
			level, err = pgmByte(r, 0)
		default:
			if level, err = pgmByte(r, 0); err == nil {
				level, err = pgmByte(r, level)
			}
		}
		if err != nil {
			return 0, 0, nil, err
		}
		if level > most {
			return 0, 0, nil, fmt.Errorf("level %d is beyond %d", level, most)
		}
		levels = append(levels, float64(level)/float64(most))
	}
	return rows, cols, levels, nil
}

// pgmByte reads one more byte of a big-endian number.
func pgmByte(r *bufio.Reader, high int) (int, error) {
	b, err := r.ReadByte()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return high<<8 | int(b), err
}

// pgmNumber reads a number, white space and comments before it, and the one
// character after it.
func pgmNumber(r *bufio.Reader) (int, error) {
	n, digits := 0, 0
	for {
		b, err := r.ReadByte()
		switch {
		case err == io.EOF && digits > 0:
			return n, nil
		case err == io.EOF:
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case b >= '0' && b <= '9':
			if n, digits = 10*n+int(b-'0'), digits+1; digits > 9 {
				return 0, errors.New("a number is too large")
			}
		case digits > 0:
			return n, nil
		case b == '#':
			if _, err := r.ReadString('\n'); err != nil {
				return 0, io.ErrUnexpectedEOF
			}
		case b != ' ' && b != '\t' && b != '\r' && b != '\n':
			return 0, fmt.Errorf("expected a number, found %q", b)
		}
	}
}

// draw writes a field as a gray picture: its least value black, its greatest
// white, what is not finite black.
func draw(from, to string) (err error) {
	_, shape, cells, err := load(from)
	if err != nil {
		return err
	}
	if len(shape) != 2 {
		return fmt.Errorf("%s: only arrays of 2 dimensions can be drawn, this one has %d", from, len(shape))
	}
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, x := range cells {
		if isFinite(x) {
			least, greatest = min(least, x), max(greatest, x)
		}
	}
	picture := pictures.NewGray(pictures.Rect(0, 0, shape[1], shape[0]))
	for k, x := range cells {
		if greatest > least && isFinite(x) {
			picture.Pix[k] = uint8(math.Round(255 * (x - least) / (greatest - least)))
		}
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, picture), f.Close())
}

func isFinite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }
