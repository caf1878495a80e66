package cost

import (
	"fmt"
	"strings"

	"loopc/transform/plan"
)

// Describe returns the text of p, its messages between ranks, and its warnings.
func Describe(p *plan.Plan) string {
	var b strings.Builder
	b.WriteString(p.String())
	if p.Empty {
		return b.String()
	}
	messages, bytes, exact := Volume(p)
	about := "about "
	if exact {
		about = ""
	}
	fmt.Fprintf(&b, "%-16s%s%d between ranks, %d bytes\n", "messages", about, messages, bytes)
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "%-16s%s\n", "warning", w)
	}
	return b.String()
}
