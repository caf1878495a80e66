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

// envMPIExec names the command, with options if necessary, that starts the processes of MPI;
// mpiexec by default.
const envMPIExec = "LOOPC_MPIEXEC"

// envByMPI marks processes that mpiexec has started, so that a process that does not find its
// rank does not start mpiexec again.
const envByMPI = "LOOPC_STARTED_BY_MPIEXEC"

// mpiexec calls the mpiexec of the user's MPI to start this program once for each rank. The
// caller has made sure that a run with these settings has a plan.
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

// joinMPI initializes MPI in a process that its launcher has started, and makes the ranks meet
// by MPI: MPI and our own client cannot both talk to the process manager.
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

// leaveMPI finalizes MPI, if it was initialized and all went well, and returns the exit code.
// After a failure mpiexec ends the other processes; waiting for them could take forever.
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
