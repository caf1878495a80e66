package tcp

import (
	"fmt"
	"runtime"

	"loopc/runtime/transport/auth"
)

// service is the purpose of these connections, see auth.Identity.
const service = "tcp"

// A differenceError says how a rank of this run differs from us.
type differenceError string

// Error implements error.
func (e differenceError) Error() string { return string(e) }

// check compares a process of this run with us, rank own. The error is a
// differenceError.
func check(own, other auth.Party) error {
	switch {
	case other.Role != auth.Rank:
		return differenceError("not a rank")
	case other.Size != own.Size:
		return differenceError(fmt.Sprintf("rank %d counts %d ranks, rank %d counts %d", other.Rank, other.Size, own.Rank, own.Size))
	case other.Arch != runtime.GOARCH:
		return differenceError(fmt.Sprintf("rank %d runs on %s, rank %d on %s", other.Rank, other.Arch, own.Rank, runtime.GOARCH))
	case other.Digest != own.Digest:
		return differenceError(fmt.Sprintf("rank %d runs another program or plan than rank %d", other.Rank, own.Rank))
	}
	return nil
}
