package launch

import (
	"fmt"
	"path/filepath"
	"strconv"

	"loopc/runtime/launch/pmi"
	"loopc/runtime/transport/auth"
)

// podIndex is the variable with the number of a pod of an Indexed Job.
const podIndex = "JOB_COMPLETION_INDEX"

// A Starter is the information that another launcher (mpiexec, srun, Kubernetes and so on)
// gives to a process that it has started as one of several.
type Starter struct {
	Name       string // of the launcher, for messages
	Rank, Size int
	Local      int // ranks on this host, 0 if the launcher does not say

	// Listen is the address of this host at which rank 0 opens the rendezvous; "": see
	// Meet.
	Listen string

	// Tell broadcasts the text of rank 0: all ranks call it. If it is not nil, ranks meet
	// by it.
	Tell func(text string) (string, error)

	root       string      // host:port of the rendezvous, "" if unknown
	secret     auth.Secret // zero if the environment has none
	pmi        bool        // a process manager that speaks PMI-1 exists
	sessionDir string      // a folder of this run, on this host
	nodes      string      // Slurm's list of the nodes
	port       int         // of the rendezvous, on the first of the nodes
	pod        bool        // of an Indexed Job
	getenv     func(string) string
}

// A source reads rank and size from the variables of a launcher.
type source struct {
	name              string
	rank, size, local string
}

// sources are the launchers that give rank and size in variables; the first match counts.
// Slurm's variables are those of a step: a process that a batch script starts directly has
// some of Slurm's variables too, but is not one of several.
var sources = []source{
	{"the environment", envRank, envSize, ""},
	{"the Indexed Job", podIndex, envSize, ""},
	{"the process manager", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
	{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", ""},
	{"PALS", "PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_SIZE"},
}

// FindStarter looks for another launcher in the environment: LOOPC_RANK and LOOPC_SIZE, a
// process manager that speaks PMI-1, Open MPI, Slurm, an Indexed Job of Kubernetes with
// LOOPC_SIZE, Cray PALS. It returns nil if there is none, or if it has started one process
// only. secret is the secret that FromEnv has found, or zero.
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

// meetingPlace finds a place to meet that needs neither LOOPC_ROOT nor PMI.
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

// slurmPort is the port at which rank 0 of a step listens. Steps that may run
// simultaneously on a host, which are steps of one job or of jobs with close numbers, have
// different ports.
func slurmPort(job, step uint64) int {
	const lowest, count = 20000, 12000 // below the ephemeral ports
	return lowest + int((job*61+step)%count)
}
