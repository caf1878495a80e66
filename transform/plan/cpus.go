package plan

import "context"

// NewUpTo is NewContext with o.CPUs as an upper limit: a rank gets at most o.CPUs CPUs, and at
// most as many as the space can use.
func NewUpTo(ctx context.Context, nest *Nest, params []int, o Options) (*Plan, error) {
	p, err := NewContext(ctx, nest, params, o)
	if err != nil {
		return nil, err
	}
	used := max(1, Product(p.Mesh))
	if used >= o.CPUs {
		return p, nil
	}
	o.CPUs = used
	return NewContext(ctx, nest, params, o)
}
