package figure

import (
	"bytes"
	"encoding/csv"
	"strconv"
)

// CSV returns the figure's data as a table with a row per point: panel, series, kind, the
// two coordinates under the labels of the axes, and the note. In a bar chart, the category
// takes the place of X.
func (f *Figure) CSV() []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	write := func(record ...string) {
		if err := w.Write(record); err != nil {
			panic("BUG: writing to memory: " + err.Error())
		}
	}
	write("panel", "series", "kind", f.XLabel, f.YLabel, "note")
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, at := range s.Points {
				x := number(at.X)
				if f.Bars != nil {
					x = f.Bars.Categories[int(at.X)]
				}
				write(p.Title, s.Name, s.Kind.String(), x, number(at.Y), at.Note)
			}
		}
	}
	w.Flush()
	return out.Bytes()
}

// number returns x with six digits: the figures are not more accurate, and the last bits of a sum
// may differ between kinds of CPU.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
