//go:build !amd64

package simd

func codeFor(_, _ int) *interleaverCode { return nil }

func cellCodeFor(_ string) (in, out cellCode, ok bool) { return in, out, false }
