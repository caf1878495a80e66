//go:build !amd64

package simd

func detect() set { return set{} }
