package figure

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// all builds every figure, once for all tests.
var all = sync.OnceValues(func() ([]*Figure, error) {
	var out []*Figure
	for _, name := range Names() {
		f, err := Build(name)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
})

// built returns the figure of that name.
func built(t *testing.T, name string) *Figure {
	t.Helper()
	figures, err := all()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no figure %s", name)
	return nil
}

// committed is where the figures of the repository are.
var committed = filepath.Join("..", "..", "..", "testdata", "figures")

const rebuild = "go run ./cmd/loopc simulate --figures testdata/figures"

// TestCommitted makes the data and the page again and compares them with the committed ones. Words
// must be equal, and numbers to five digits: the sixth may depend on the processor.
func TestCommitted(t *testing.T) {
	figures, err := all()
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, f := range figures {
		path := filepath.Join(committed, f.Name+".csv")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v; run %s", err, rebuild)
		}
		got, want := table(t, f.CSV()), table(t, data)
		if len(got) != len(want) {
			t.Errorf("%s has %d rows, now there are %d; run %s", path, len(want), len(got), rebuild)
			continue
		}
		rows += len(got)
		for i := range got {
			for k := range got[i] {
				if !alike(got[i][k], want[i][k]) {
					t.Errorf("%s:%d: %q, now %q; run %s", path, i+1, want[i], got[i], rebuild)
					break
				}
			}
		}
		if _, err := os.Stat(filepath.Join(committed, f.Name+".svg")); err != nil {
			t.Errorf("%v; run %s", err, rebuild)
		}
	}
	if rows < 500 {
		t.Errorf("only %d rows", rows)
	}
	page, err := Page(figures)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(committed, "README.md"))
	if err != nil {
		t.Fatalf("%v; run %s", err, rebuild)
	}
	if !bytes.Equal(page, want) {
		t.Errorf("the page has changed; run %s", rebuild)
	}
}

func table(t *testing.T, data []byte) [][]string {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// alike compares two cells, numbers in them to five digits.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 2e-5*math.Abs(x)
}

// TestAlike checks that TestCommitted can fail.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"cyclic", "cyclic", true}, {"cyclic", "mirror", false}, {"0.761905", "0.761904", true},
		{"0.761905", "0.761", false}, {"0.76", "mirror", false}, {"1", "", false},
	} {
		if got := alike(c.a, c.b); got != c.want {
			t.Errorf("alike(%q, %q) = %t", c.a, c.b, got)
		}
	}
}

// TestKinds requires that every series of closed forms has a simulated one beside
// it at the same points, that all numbers are positive and finite, and that reported
// ones say where they are from.
func TestKinds(t *testing.T) {
	figures, err := all()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		for i := range f.Panels {
			p := &f.Panels[i]
			theories := 0
			for _, s := range p.Series {
				if s.Kind == Theory {
					theories++
					sim := p.series(s.Name, Simulated)
					if sim == nil || len(sim.Points) != len(s.Points) {
						t.Fatalf("%s: theory and simulation of %s have not the same points", f.Name, s.Name)
					}
					for k := range s.Points {
						if s.Points[k].X != sim.Points[k].X {
							t.Errorf("%s, %s: points at %g and %g", f.Name, s.Name, s.Points[k].X, sim.Points[k].X)
						}
					}
				}
				for k, at := range s.Points {
					if !(at.Y > 0 && at.Y < 100) || k > 0 && at.X <= s.Points[k-1].X {
						t.Errorf("%s, %s: point %+v after %+v", f.Name, s.Name, at, s.Points[max(0, k-1)])
					}
					if s.Kind == Reported && at.Note == "" {
						t.Errorf("%s: a reported number without a source", f.Name)
					}
				}
			}
			if theories < 2 {
				t.Errorf("%s: %d closed forms", f.Name, theories)
			}
		}
	}
}

// TestNeverLater is the rule of the page: no simulated run is later than its closed form.
func TestNeverLater(t *testing.T) {
	compared, early := 0, 0
	for _, name := range Names() {
		f := built(t, name)
		if f.Bars != nil {
			continue // normalized: TestGridsNeverLater has the times
		}
		for i := range f.Panels {
			for _, s := range f.Panels[i].Series {
				if s.Kind != Theory {
					continue
				}
				theory, simulated := both(&f.Panels[i], s.Name)
				for k := range theory.Points {
					times := simulated.Points[k].Y / theory.Points[k].Y
					if strings.HasPrefix(name, "P2.") { // efficiency
						times = 1 / times
					}
					if times > 1+1e-9 {
						t.Errorf("%s, %s at %g: simulated %g, theory %g", name, s.Name, theory.Points[k].X, simulated.Points[k].Y, theory.Points[k].Y)
					}
					if times < 0.95 {
						early++
					}
					compared++
				}
			}
		}
	}
	if compared < 300 || early < 20 {
		t.Errorf("%d points compared, %d early", compared, early)
	}
}

// TestUnknown asks for a figure that does not exist, the only mistake that a user can make with
// this package.
func TestUnknown(t *testing.T) {
	if _, err := Build("P2.7"); err == nil || !strings.Contains(err.Error(), "P2.8") {
		t.Errorf("figure P2.7: %v", err)
	}
	if Known("P2.7") || !Known("p2.8") || !Known("P3.4") {
		t.Error("Known")
	}
	if f, err := Build("p3.7"); err != nil || f.Name != "P3.7" {
		t.Errorf("%v, %v", f, err)
	}
	if _, err := Page([]*Figure{{Name: "P9.9"}}); err == nil {
		t.Error("a page with an unknown figure")
	}
}

// TestDrawings decodes the drawings. SVG must be well formed, have the title, axis labels and
// legend as text, and contain no NaN or infinity; PNG must have a white rim and ink inside.
func TestDrawings(t *testing.T) {
	for _, name := range []string{"P1.13", "P2.9", "P3.2", "P3.4"} {
		f := built(t, name)
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		text := svgText(t, svg)
		want := []string{f.Title, f.XLabel, f.YLabel}
		for _, p := range f.Panels {
			want = append(want, p.Title)
			if f.Bars == nil {
				for _, s := range p.Series {
					want = append(want, s.Name)
				}
			}
		}
		if f.Bars != nil {
			want = append(want, f.Bars.Categories...)
			want = append(want, "1×16", "the same, simulated", "measured")
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: the drawing does not say %q", name, w)
			}
		}
		for _, bad := range []string{"NaN", "Inf", "Liberation Sans;"} {
			if bytes.Contains(svg, []byte(bad)) {
				t.Errorf("%s: %s in the drawing", name, bad)
			}
		}
		if all, fixed := bytes.Count(svg, []byte("<text ")), bytes.Count(svg, []byte(" textLength=")); all != fixed || all < 20 {
			t.Errorf("%s: %d texts, %d of a fixed width", name, all, fixed)
		}
		data, err := f.PNG()
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		size := picture.Bounds()
		inked := 0
		for y := size.Min.Y; y < size.Max.Y; y++ {
			for x := size.Min.X; x < size.Max.X; x++ {
				r, g, b, _ := picture.At(x, y).RGBA()
				white := r+g+b > 3*0xf000
				if !white {
					inked++
				}
				if edge := x == size.Min.X || x == size.Max.X-1 || y == size.Min.Y || y == size.Max.Y-1; edge && !white {
					t.Fatalf("%s: ink at the edge, %d, %d", name, x, y)
				}
			}
		}
		if part := float64(inked) / float64(size.Dx()*size.Dy()); part < 0.02 || part > 0.6 {
			t.Errorf("%s: %.3f of the picture is not white", name, part)
		}
	}
}

// svgText returns all text of an SVG file.
func svgText(t *testing.T, svg []byte) string {
	t.Helper()
	var out strings.Builder
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(xml.CharData); ok {
			out.Write(s)
			out.WriteByte('\n')
		}
	}
}

// TestTicks has the tickers by hand.
func TestTicks(t *testing.T) {
	labels := func(low, high float64, log bool) string {
		ticks := even{}.Ticks(low, high)
		if log {
			ticks = doublings{}.Ticks(low, high)
		}
		var s []string
		for _, k := range ticks {
			s = append(s, k.Label)
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct {
		low, high float64
		log       bool
		want      string
	}{
		{0, 1.5, false, "0 0.25 0.5 0.75 1 1.25 1.5"},
		{0.4, 1, false, "0.4 0.5 0.6 0.7 0.8 0.9 1"},
		{0, 200, false, "0 50 100 150 200"},
		{15, 530, true, "16 32 64 128 256 512"},
		{250, 4200, true, "256 512 1k 2k 4k"},
		{3, 3, false, "3"},
	} {
		if got := labels(c.low, c.high, c.log); got != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
	if low, high := (even{}).limits(0.43, 0.99); low != 0.4 || high != 1 {
		t.Errorf("limits %g, %g", low, high)
	}
}
