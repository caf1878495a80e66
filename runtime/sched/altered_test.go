package sched_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
	"loopc/testdata/emit/diffusion"
	"loopc/transform/plan"
)

// A flipper forwards the bytes between rank 1, which connects, and rank 0, except for one
// changed bit of one rank's bytes.
type flipper struct {
	rank  int
	at    int64 // the byte to change; negative: none
	bit   uint
	total [2]chan int64 // bytes that each rank has sent
}

// pass copies from a connection to another one until it ends.
func (f *flipper) pass(rank int, to, from net.Conn) {
	var passed int64
	for b := make([]byte, 4096); ; {
		n, err := from.Read(b)
		if at := f.at - passed; rank == f.rank && f.at >= 0 && at >= 0 && at < int64(n) {
			b[at] ^= 1 << f.bit
		}
		passed += int64(n)
		if _, failed := to.Write(b[:n]); failed != nil {
			_, _ = io.Copy(io.Discard, from) // only its end matters
			break
		}
		if err != nil {
			break
		}
	}
	_ = to.(*net.TCPConn).CloseWrite() // the other side may be gone
	f.total[rank] <- passed
}

// mesh returns two ranks that are connected through f.
func (f *flipper) mesh(t *testing.T) sched.Mesh {
	return func(size int, run string) ([]transport.Transport, error) {
		cfgs, err := tcp.Loopback(size, auth.NewSecret())
		if err != nil {
			return nil, err
		}
		between, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = between.Close() })
		f.total = [2]chan int64{make(chan int64, 1), make(chan int64, 1)}
		real := cfgs[0].Addrs[0]
		go func() {
			conn, err := between.Accept()
			if err != nil {
				return
			}
			zero, err := net.Dial("tcp", real)
			if err != nil {
				_ = conn.Close()
				return
			}
			go f.pass(0, conn, zero)
			f.pass(1, zero, conn)
		}()
		return tcp.Together(cfgs, func(cfg tcp.Config) (transport.Transport, error) {
			cfg.Digest, cfg.Addrs = sha256.Sum256([]byte(run)), []string{between.Addr().String(), ""}
			return tcp.New(t.Context(), cfg)
		})
	}
}

// run runs a nest on two ranks connected through f, and returns the bits of its result.
func (f *flipper) run(t *testing.T) ([]byte, error) {
	t.Helper()
	const n, steps = 60, 12
	p, err := plan.New(diffusion.Program.Nest, []int{steps, n}, plan.Options{Grid: []int{1, 2, 1}, Tile: []int{2, 30, 30}, Map: "t", CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	fields := sched.NewFields(diffusion.Program.Nest)
	for _, v := range []*array.View{&fields.Given[0], &fields.Result[1]} {
		if *v, err = array.Make("float64", []int{0, 0}, []int{n + 1, n + 1}); err != nil {
			t.Fatal(err)
		}
	}
	for k := 0; k < len(fields.Given[0].Data); k += 8 {
		binary.LittleEndian.PutUint64(fields.Given[0].Data[k:], math.Float64bits(1/float64(k+3)))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // a rank that believes a wrong length waits for it
	defer cancel()
	_, err = sched.RunPlans(ctx, diffusion.Program, []*plan.Plan{p}, kernel.Fields(fields), sched.Watch{}, f.mesh(t))
	return fields.Result[1].Data, err
}

// TestAlteredOnTheWay changes a bit between the ranks, at various places. The run must end with
// an error that says so, and that names rank, peer and step if a rank was computing.
func TestAlteredOnTheWay(t *testing.T) {
	whole := &flipper{at: -1}
	want, err := whole.run(t)
	if err != nil {
		t.Fatal(err)
	}
	totals := [2]int64{<-whole.total[0], <-whole.total[1]}
	const handshake = 300 // bytes, which are checked in other ways
	says := regexp.MustCompile(`rank \d: \w+ (from|to) rank \d, edge \d+, step \d+: .*rank \d.* altered.* on the way`)
	noticed := 0
	for rank, total := range totals {
		for part := range int64(12) {
			f := &flipper{rank: rank, at: handshake + (total-handshake)*part/13, bit: uint(part % 8)}
			got, err := f.run(t)
			where := fmt.Sprintf("bit %d of byte %d of %d that rank %d sends", f.bit, f.at, total, rank)
			switch {
			case err == nil && !bytes.Equal(got, want):
				t.Errorf("%s is changed: the values are wrong, and nobody says so", where)
			case err != nil && says.MatchString(err.Error()):
				noticed++
			case err != nil && !strings.Contains(err.Error(), "on the way"):
				t.Errorf("%s is changed: %v", where, err)
			default:
				t.Logf("%s is changed: %v", where, err)
			}
		}
	}
	if noticed < 6 {
		t.Errorf("%d changes were noticed by ranks as they computed, want a quarter of 24 at least", noticed)
	}
}
