package cli

import (
	"context"
	"fmt"
)

// prefill fills inout results with the given content. Ranks compute the initial content of
// other results.
func (c *command) prefill(ctx context.Context, givens []*given, files *results) error {
	for _, res := range files.all {
		g := givens[res.arr]
		if g == nil {
			continue
		}
		if err := copyGiven(ctx, g, res); err != nil {
			return fmt.Errorf("result %s: %w", c.prog.Nest.Arrays[res.arr].Name, err)
		}
	}
	return nil
}

// copyGiven writes the given content of an inout array into its result.
func copyGiven(ctx context.Context, g *given, res *result) error {
	return eachPart(res.elem, res.lo, res.extent, func(lo, hi []int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, err := g.box(lo, hi)
		if err != nil {
			return err
		}
		return res.write(&v)
	})
}
