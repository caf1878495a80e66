//go:build mpi && cgo && unix

package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
	"loopc/runtime/transport/mpi"
	"loopc/runtime/transport/rma"
	"loopc/runtime/transport/transporttest"
)

// connect connects ranks, goroutines of this process, over MPI: messages of the
// process to itself.
func connect(t testing.TB, size int) []transport.Transport {
	t.Helper()
	ranks, errs := make([]transport.Transport, size), make([]error, size)
	var all sync.WaitGroup
	for k, control := range inproc.NewMesh(size) {
		all.Go(func() { ranks[k], errs[k] = mpi.New(t.Context(), rma.Config{Control: control}) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return ranks
}

func TestMain(m *testing.M) {
	_, _, err := mpi.Init() // its goroutine is not one that a transport leaves behind
	code := 1
	if err == nil {
		code = m.Run()
		err = mpi.Finalize()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func TestConformance(t *testing.T) { transporttest.Run(t, connect) }

// Process 0 tells the others, of which there may be none.
func TestBroadcast(t *testing.T) {
	if text, err := mpi.Broadcast("where we meet"); err != nil || text != "where we meet" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := mpi.Broadcast(string(make([]byte, 1<<16))); err == nil {
		t.Error("64 KiB were broadcast")
	}
}
