package figure

import (
	"fmt"
	"strings"
)

// Page returns the page that shows the figures, in Markdown, beside their files NAME.svg
// and NAME.csv. figures must be all figures, in order.
func Page(figures []*Figure) ([]byte, error) {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, f := range figures {
		e, ok := find(f.Name)
		if !ok {
			return nil, fmt.Errorf("no such figure: %q", f.Name)
		}
		paper, number, _ := strings.Cut(f.Name, ".")
		fmt.Fprintf(&b, "\n## [%s] figure %s\n\n![%s](%s.svg)\n\n%s\n\n", paper, number, f.Title, f.Name, e.remarks(f))
		for _, s := range f.Setting {
			fmt.Fprintf(&b, "- %s\n", s)
		}
		fmt.Fprintf(&b, "\nData: [%s.csv](%s.csv); `loopc simulate --figure %s`.\n", f.Name, f.Name, f.Name)
	}
	return []byte(b.String()), nil
}

const pageHead = `# The papers' figures, regenerated

Rebuilt by ` + "`go run ./cmd/loopc simulate --figures testdata/figures`" + `; do not edit. [DIVERGENCE.md](../../DIVERGENCE.md) names the papers [P1], [P2], [P3], and says where loopc departs from them and why.

Every figure has two kinds of numbers, and some a third:

- **theory**: the papers' closed forms, in package ` + "`transform/paper`" + `: the number of steps times the time of a step;
- **simulated**: loopc's plan for the same space, grid and assignment, simulated tile by tile and message by message on a described cluster (` + "`cost.Simulate`" + `), with the slots and the order of tiles of a real run;
- **reported**: measurements of a paper's authors, from its text. The available scans lack the drawings, so there are few such numbers.

Simulated runs differ from theory for the same few reasons throughout. A tile waits for its data and for slots, not for a numbered step; the CPUs of a node do not meet at a barrier; and a face usually takes less time than a tile, so that the pipeline fills faster, also between chunks of columns and between the columns of a cluster. So a simulated run never takes longer than the closed form. If every tile takes exactly one step, and with overlap every face too, the two are equal for cyclic and retile with enough nodes. Tests require both. Constants that a paper does not give are marked as assumed; none was fitted to a result.
`
