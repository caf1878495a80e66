package launch

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"loopc/runtime/transport/auth"
)

// The environment of a rank, without the secret: see auth.FromEnvironment.
const (
	envRank = "LOOPC_RANK" // this rank's number
	envSize = "LOOPC_SIZE" // number of ranks
	envRoot = "LOOPC_ROOT" // host:port of the rendezvous
)

// maxRanks bounds the ranks of a run.
const maxRanks = 1 << 16

// Info is the information that a rank gets when it is started.
type Info struct {
	Rank, Size int
	Root       string      // host:port of the rendezvous, "" without a rendezvous
	Secret     auth.Secret // shared by the processes of this run
	TLS        *auth.TLS   // how control channels are encrypted; nil if they are not

	// Meeting is how long a rank tries to reach the rendezvous, which may open after the
	// rank starts; zero if it is open before.
	Meeting time.Duration

	// Patience is how long ranks wait for a silent process; DefaultPatience if zero.
	Patience time.Duration
}

// FromEnv reads Info from the environment. It returns false if this process was not started
// by our own launcher; then the Info has at most a secret, and FindStarter looks for
// another launcher. Our launcher passes the secret as the first line of standard input, and
// says so in the environment. Variables that lead to the secret are removed from the
// environment, so that child processes do not learn it.
func FromEnv(stdin io.Reader) (Info, bool, error) {
	rank, size, isRank := os.Getenv(envRank), os.Getenv(envSize), os.Getenv(auth.EnvDescriptor) == "0"
	secret, err := auth.LoadSecret(auth.FromEnvironment(stdin)...)
	if err != nil {
		return Info{}, false, fmt.Errorf("launch: %w", err)
	}
	if !isRank {
		return Info{Secret: secret}, false, nil
	}
	info := Info{Root: os.Getenv(envRoot), Secret: secret}
	if info.Size, err = strconv.Atoi(size); err != nil || info.Size < 1 || info.Size > maxRanks {
		return Info{}, false, fmt.Errorf("launch: %s is %q, want a number from 1 to %d", envSize, size, maxRanks)
	}
	if info.Rank, err = strconv.Atoi(rank); err != nil || info.Rank < 0 || info.Rank >= info.Size {
		return Info{}, false, fmt.Errorf("launch: %s is %q, want a number from 0 to %d", envRank, rank, info.Size-1)
	}
	if info.Size > 1 && info.Root == "" {
		return Info{}, false, fmt.Errorf("launch: %s ranks and no %s, where they would meet", size, envRoot)
	}
	if info.Size > 1 && secret.IsZero() {
		return Info{}, false, fmt.Errorf("launch: %s ranks and no secret to know one another by: %s names a file with one", size, auth.EnvFile)
	}
	return info, true, nil
}

// Env returns the environment variables with which a process becomes this rank and reads
// the secret from the first line of standard input.
func (i Info) Env() []string {
	return []string{
		envRank + "=" + strconv.Itoa(i.Rank),
		envSize + "=" + strconv.Itoa(i.Size),
		envRoot + "=" + i.Root,
		auth.EnvDescriptor + "=0",
	}
}
