//go:build race

package simd

const race = true
