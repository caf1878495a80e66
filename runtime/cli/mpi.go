package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"loopc/runtime/launch"
	"loopc/runtime/transport/mpi"
)

// envMPIExec names what starts the processes of MPI, with options if need be:
// mpiexec by default.
const envMPIExec = "LOOPC_MPIEXEC"

// envByMPI marks processes that mpiexec was to start, lest one that does not find
// its rank starts mpiexec again.
const envByMPI = "LOOPC_STARTED_BY_MPIEXEC"

// mpiexec has the mpiexec of the user's MPI start this program again, once for each
// rank. That a run with these settings has a plan is certain already.
func (c *command) mpiexec(ctx context.Context) error {
	if os.Getenv(envByMPI) != "" {
		return errors.New("mpiexec has started this process, but its rank is in none of the variables that launchers have: see launch.FindStarter")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	words := strings.Fields(os.Getenv(envMPIExec))
	if len(words) == 0 {
		words = []string{"mpiexec"}
	}
	args := append(words[1:], "-n", fmt.Sprint(c.ranks()), self)
	cmd := exec.CommandContext(ctx, words[0], append(args, c.settings.words...)...)
	cmd.Env = append(os.Environ(), envByMPI+"=1")
	if errors.Is(cmd.Err, exec.ErrNotFound) {
		return fmt.Errorf("--transport mpi needs the mpiexec of the MPI that the program was built with: %w ($%s names another)", cmd.Err, envMPIExec)
	}
	return c.await(ctx, words[0], cmd)
}

// joinMPI begins MPI in a process that its launcher has started, and has the ranks
// meet by it: MPI and our own client cannot both speak with the process manager.
func joinMPI(from *launch.Starter) error {
	rank, size, err := mpi.Init()
	switch {
	case err != nil:
		return err
	case rank != from.Rank || size != from.Size:
		return fmt.Errorf("%s has started this process as rank %d of %d, but its MPI says %d of %d: start the program by the mpiexec of the MPI that it was built with",
			from.Name, from.Rank, from.Size, rank, size)
	}
	from.Tell = mpi.Broadcast
	return nil
}

// leaveMPI ends MPI, if it has begun and all went well, and returns the exit code.
// After a failure mpiexec ends the other processes: waiting for them could be in vain.
func leaveMPI(code int) int {
	if code != exitDone {
		return code
	}
	if err := mpi.Finalize(); err != nil {
		fmt.Fprintln(os.Stderr, "MPI_Finalize:", err)
		return exitFailed
	}
	return code
}
