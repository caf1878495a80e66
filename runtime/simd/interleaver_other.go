//go:build !amd64

package simd

func interleaveCodeFor(_, _ int) *interleaveCode { return nil }

func cellCodeFor(_ string) (in, out cellCode, ok bool) { return in, out, false }
