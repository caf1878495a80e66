//go:build !amd64

package simd

func laceCodeFor(_, _ int) *laceCode { return nil }
