//go:build !amd64

package simd

func laceCodeFor(_, _ int) *laceCode { return nil }

func cellCodeFor(_ string) (in, out cellCode, ok bool) { return in, out, false }
