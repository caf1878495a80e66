package inproc_test

import (
	"testing"

	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
	"loopc/runtime/transport/transporttest"
)

// connect returns a mesh of ranks in this process.
func connect(_ testing.TB, size int) []transport.Transport { return inproc.NewMesh(size) }

func TestConformance(t *testing.T) { transporttest.Run(t, connect) }

func BenchmarkInproc(b *testing.B) { transporttest.Benchmark(b, connect) }
