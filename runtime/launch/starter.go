package launch

import (
	"fmt"
	"path/filepath"
	"strconv"

	"loopc/runtime/launch/pmi"
	"loopc/runtime/transport/auth"
)

// podIndex is the number of a pod of an Indexed Job.
const podIndex = "JOB_COMPLETION_INDEX"

// A Starter is what a launcher that is not ours says to a process that it has
// started as one of several.
type Starter struct {
	Name       string // of the launcher, for messages
	Rank, Size int
	Local      int // ranks on this host, 0 if the launcher does not say

	// Listen is the address of this host at which rank 0 opens the rendezvous; "": see
	// Meet.
	Listen string

	// Tell passes on what rank 0 says: all ranks call it, and get the text of rank 0.
	// If it is not nil, ranks meet by it.
	Tell func(text string) (string, error)

	root       string      // host:port at which to meet, "" if nobody named one
	secret     auth.Secret // zero if there was none in the environment
	pmi        bool        // the process manager passes on strings
	sessionDir string      // a folder of this run, on this host only
	nodes      string      // Slurm's list of the nodes
	port       int         // to meet at on the first of them
	pod        bool        // of an Indexed Job
	getenv     func(string) string
}

// A source reads rank and size from the variables of a launcher.
type source struct {
	name              string
	rank, size, local string
}

// sources are the launchers that say rank and size in variables, the first that
// does counts. Slurm's variables are those of a step: what a batch script starts
// by itself has some of them too, but is not one of several.
var sources = []source{
	{"the environment", envRank, envSize, ""},
	{"the Indexed Job", podIndex, envSize, ""},
	{"the process manager", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
	{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", ""},
	{"PALS", "PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_SIZE"},
}

// FindStarter looks for another launcher in the environment: LOOPC_RANK and
// LOOPC_SIZE, a process manager that speaks PMI-1, Open MPI, Slurm, an Indexed
// Job of Kubernetes with LOOPC_SIZE, Cray PALS. It returns nil if there is none,
// or if it has started one process only. The secret is what
// FromEnv has found, if anything.
func FindStarter(getenv func(string) string, secret auth.Secret) (*Starter, error) {
	for _, from := range sources {
		rank, size := getenv(from.rank), getenv(from.size)
		if rank == "" || size == "" {
			continue
		}
		if from.name == "Slurm" && getenv("SLURM_STEP_ID") == "" {
			continue
		}
		s := &Starter{
			Name: from.name, root: getenv(envRoot), secret: secret,
			pmi: pmi.Offered(getenv), getenv: getenv, pod: from.rank == podIndex,
		}
		var err error
		if s.Size, err = strconv.Atoi(size); err != nil || s.Size < 1 || s.Size > maxRanks {
			return nil, fmt.Errorf("launch: %s is %q, want a number from 1 to %d", from.size, size, maxRanks)
		}
		if s.Rank, err = strconv.Atoi(rank); err != nil || s.Rank < 0 || s.Rank >= s.Size {
			return nil, fmt.Errorf("launch: %s is %q, want a number from 0 to %d", from.rank, rank, s.Size-1)
		}
		if s.Size == 1 {
			return nil, nil
		}
		if n, err := strconv.Atoi(getenv(from.local)); err == nil && n >= 1 && n <= s.Size {
			s.Local = n
		}
		return s, s.meetingPlace(getenv)
	}
	if getenv(envRank) != "" {
		return nil, fmt.Errorf("launch: %s is set, but %s is not", envRank, envSize)
	}
	return nil, nil
}

// meetingPlace finds where the ranks can meet besides LOOPC_ROOT and PMI.
func (s *Starter) meetingPlace(getenv func(string) string) error {
	if dir := getenv("OMPI_MCA_orte_jobfam_session_dir"); s.Name == "Open MPI" && filepath.IsAbs(dir) {
		s.sessionDir = dir
	}
	nodes := getenv("SLURM_STEP_NODELIST")
	if getenv("SLURM_STEP_ID") == "" || nodes == "" {
		return nil
	}
	if getenv("SLURM_STEP_NUM_NODES") == "1" {
		s.Local = s.Size
	}
	job, err := strconv.ParseUint(getenv("SLURM_JOB_ID"), 10, 32)
	step, stepErr := strconv.ParseUint(getenv("SLURM_STEP_ID"), 10, 32)
	if err == nil && stepErr == nil {
		s.nodes, s.port = nodes, slurmPort(job, step)
	}
	return nil
}

// slurmPort is where rank 0 of a step listens. Steps that may run at once on a
// host have different ports: jobs of neighboring numbers, and steps of one job.
func slurmPort(job, step uint64) int {
	const lowest, count = 20000, 12000 // below those that systems give out by themselves
	return lowest + int((job*61+step)%count)
}
