//go:build ofi && linux && cgo

package ofi_test

import (
	"context"
	"errors"
	"flag"
	"strings"
	"sync"
	"testing"

	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
	"loopc/runtime/transport/ofi"
	"loopc/runtime/transport/rma"
	"loopc/runtime/transport/transporttest"
)

// providers are those that run on any Linux: the whole path of RDMA without its
// hardware.
var providers = flag.String("providers", "tcp;ofi_rxm shm", "providers of libfabric to test")

// over connects a rank, which control connects already, over a provider.
func over(ctx context.Context, provider string, control transport.Transport) (transport.Transport, error) {
	cfg := ofi.Config{Config: rma.Config{Control: control}, Provider: provider}
	cfg.Address = "127.0.0.1"
	return ofi.New(ctx, cfg)
}

// overProvider connects ranks, goroutines of this process, over a provider.
func overProvider(provider string) transporttest.Connect {
	return func(t testing.TB, size int) []transport.Transport {
		t.Helper()
		ranks, errs := make([]transport.Transport, size), make([]error, size)
		var all sync.WaitGroup
		for k, control := range inproc.NewMesh(size) {
			all.Go(func() { ranks[k], errs[k] = over(t.Context(), provider, control) })
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		return ranks
	}
}

// TestConformance holds the contract over real providers.
func TestConformance(t *testing.T) {
	for provider := range strings.FieldsSeq(*providers) {
		t.Run(provider, func(t *testing.T) { transporttest.Run(t, overProvider(provider)) })
	}
}

// A provider that there is not is an error that names it.
func TestNoSuchProvider(t *testing.T) {
	_, err := over(t.Context(), "pigeons", inproc.NewMesh(1)[0])
	if !errors.Is(err, ofi.ErrUnavailable) || !strings.Contains(err.Error(), "pigeons") {
		t.Errorf("%v", err)
	}
}
