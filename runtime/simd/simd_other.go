//go:build !amd64

package simd

func features() set { return set{} }
