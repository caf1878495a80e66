//go:build 386 || arm || mips || mipsle

package wideint

var _ int = "loopc needs an int of 64 bits: build for amd64 or arm64"
