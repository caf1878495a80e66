package explain

import (
	"io"
	"strings"

	"loopc/transform/plan"
)

// A NestPage is a nest that Pages shows.
type NestPage struct {
	Report *Report
	Plan   *plan.Plan
	Chart  *Chart // may be nil
}

// Pages writes the reports on the nests of a program as one page. order is the order in
// which they run.
func Pages(w io.Writer, title, order string, nests []NestPage) error {
	all := &page{Title: title, Several: true, Order: strings.TrimRight(order, "\n")}
	for _, n := range nests {
		d, err := newSection(n, 3)
		if err != nil {
			return err
		}
		all.Nests = append(all.Nests, d)
	}
	return execute(w, all)
}
