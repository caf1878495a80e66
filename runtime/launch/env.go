// Package launch answers three questions of a rank: who am I, how many are we,
// where are the others. It also starts ranks as processes of this host and
// watches over them.
//
// Whoever starts the ranks runs a rendezvous (Serve), and tells each rank by
// its environment which number it has and where the rendezvous is. A rank
// registers there (Join) with the address at which it listens, and learns all
// addresses once the last one has. The connection stays open as a control
// channel: progress, results and failures go up, and down comes the word to
// cancel or to commit. If it breaks, the launcher is gone and the rank ends.
package launch

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// The environment of a rank.
const (
	envRank = "LOOPC_RANK" // this rank's number
	envSize = "LOOPC_SIZE" // number of ranks
	envRoot = "LOOPC_ROOT" // host:port of the rendezvous
	envJob  = "LOOPC_JOB"  // the token that the ranks of this run share
)

// maxRanks bounds the ranks of a run.
const maxRanks = 1 << 16

// Info is what a rank is told when it is started.
type Info struct {
	Rank, Size int
	Root       string // host:port of the rendezvous, "" if there is none
	Job        string // token that the ranks of this run share; a secret

	// Patience is how long a rank goes on trying to reach the rendezvous, which
	// may open after it: zero if that was there before the rank.
	Patience time.Duration
}

// FromEnv reads Info from the environment. It returns false if this process was
// not started as a rank by a launcher of ours, which tells it a token: see
// FindStarter for others. The token is removed from the environment, so that
// what this process starts does not learn it.
func FromEnv() (Info, bool, error) {
	rank, size := os.Getenv(envRank), os.Getenv(envSize)
	_, isRank := os.LookupEnv(envJob)
	info := Info{Root: os.Getenv(envRoot), Job: os.Getenv(envJob)}
	if err := os.Unsetenv(envJob); err != nil {
		return Info{}, false, fmt.Errorf("launch: cannot remove %s from the environment: %w", envJob, err)
	}
	if !isRank {
		return Info{}, false, nil
	}
	var err error
	if info.Size, err = strconv.Atoi(size); err != nil || info.Size < 1 || info.Size > maxRanks {
		return Info{}, false, fmt.Errorf("launch: %s is %q, want a number from 1 to %d", envSize, size, maxRanks)
	}
	if info.Rank, err = strconv.Atoi(rank); err != nil || info.Rank < 0 || info.Rank >= info.Size {
		return Info{}, false, fmt.Errorf("launch: %s is %q, want a number from 0 to %d", envRank, rank, info.Size-1)
	}
	if info.Size > 1 && info.Root == "" {
		return Info{}, false, fmt.Errorf("launch: %s ranks and no %s, where they would meet", size, envRoot)
	}
	return info, true, nil
}

// Env returns the environment variables that tell a process that it is this
// rank.
func (i Info) Env() []string {
	return []string{
		envRank + "=" + strconv.Itoa(i.Rank),
		envSize + "=" + strconv.Itoa(i.Size),
		envRoot + "=" + i.Root,
		envJob + "=" + i.Job,
	}
}
