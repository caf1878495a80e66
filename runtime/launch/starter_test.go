package launch

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/launch/pmi/pmitest"
	"loopc/runtime/transport/auth"
)

// of returns what looks up variables.
func of(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

// theSecret is what environments with the variable "" lead to.
var theSecret = auth.NewSecret()

// secretIn returns the secret to which env leads.
func secretIn(env map[string]string) auth.Secret {
	if env[""] == "" {
		return auth.Secret{}
	}
	return theSecret
}

// TestFindStarter looks for launchers in environments as they make them.
func TestFindStarter(t *testing.T) {
	for _, c := range []struct {
		env               string
		name              string // "": none
		rank, size, local int
	}{
		{"", "", 0, 0, 0},
		{"LOOPC_RANK=2 LOOPC_SIZE=4 LOOPC_ROOT=a:1 PMI_RANK=0 PMI_SIZE=2", "the environment", 2, 4, 0},
		{"PMI_RANK=1 PMI_SIZE=4 PMI_FD=8 MPI_LOCALNRANKS=4 MPI_LOCALRANKID=1", "the process manager", 1, 4, 4},
		{"PMI_RANK=1 PMI_SIZE=4 PMI_FD=8 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4 SLURM_STEP_ID=0", "the process manager", 1, 4, 0},
		{"OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_SIZE=4", "Open MPI", 3, 8, 4},
		{"SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4 SLURM_STEP_ID=0 SLURM_JOB_ID=7 SLURM_STEP_NODELIST=n[1-4] SLURM_STEP_NUM_NODES=4", "Slurm", 3, 4, 0},
		{"SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4 SLURM_STEP_ID=0 SLURM_JOB_ID=7 SLURM_STEP_NODELIST=n1 SLURM_STEP_NUM_NODES=1", "Slurm", 3, 4, 4},
		{"SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=7", "", 0, 0, 0}, // a batch script, no step
		{"SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 SLURM_JOB_ID=7", "", 0, 0, 0},
		{"SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_ID=3", "", 0, 0, 0}, // a shell in a step
		{"JOB_COMPLETION_INDEX=5 LOOPC_SIZE=6 LOOPC_ROOT=j-0.s:7077", "the Indexed Job", 5, 6, 0},
		{"JOB_COMPLETION_INDEX=5", "", 0, 0, 0}, // an Indexed Job of something else
		{"PALS_RANKID=7 PALS_SIZE=16 PALS_LOCAL_SIZE=8", "PALS", 7, 16, 8},
		{"PMI_RANK=0 PMI_SIZE=1 PMI_FD=8", "", 0, 0, 0},
	} {
		env := map[string]string{}
		for word := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(word, "=")
			env[name] = value
		}
		s, err := FindStarter(of(env), secretIn(env))
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.env, err)
		case (s == nil) != (c.name == ""):
			t.Errorf("%s: found %v", c.env, s)
		case s != nil && (s.Name != c.name || s.Rank != c.rank || s.Size != c.size || s.Local != c.local):
			t.Errorf("%s: found %+v", c.env, s)
		}
	}
	for _, bad := range []map[string]string{
		{"LOOPC_RANK": "4", "LOOPC_SIZE": "4"},
		{"LOOPC_RANK": "x", "LOOPC_SIZE": "4"},
		{"LOOPC_RANK": "0", "LOOPC_SIZE": "99999999"},
		{"LOOPC_RANK": "0"},
		{"PMI_RANK": "-1", "PMI_SIZE": "4"},
	} {
		if s, err := FindStarter(of(bad), auth.Secret{}); err == nil {
			t.Errorf("%v: found %+v", bad, s)
		}
	}
}

// meet has all ranks of environments meet, and checks that they know the same
// place and secret.
func meet(t *testing.T, envs []map[string]string) {
	t.Helper()
	infos := make([]Info, len(envs))
	var all sync.WaitGroup
	for rank, env := range envs {
		all.Go(func() {
			s, err := FindStarter(of(env), secretIn(env))
			if err != nil || s == nil {
				t.Errorf("rank %d: %v, %v", rank, s, err)
				return
			}
			info, listener, err := s.Meet(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			if (listener != nil) != (rank == 0) {
				t.Errorf("rank %d has the listener %v", rank, listener)
			}
			if listener != nil {
				defer listener.Close()
				if got := listener.Addr().String(); got != info.Root {
					t.Errorf("rank 0 listens at %s, and says %s", got, info.Root)
				}
			}
			infos[rank] = info
		})
	}
	all.Wait()
	for rank, info := range infos {
		if info.Rank != rank || info.Size != len(envs) || info.Root != infos[0].Root || info.Secret != infos[0].Secret || info.Secret.IsZero() {
			t.Errorf("rank %d meets at %q as %d of %d", rank, info.Root, info.Rank, info.Size)
		}
	}
}

// TestMeet has ranks meet in every way that there is.
func TestMeet(t *testing.T) {
	const size = 4
	session := t.TempDir()
	if err := os.Chmod(session, 0o700); err != nil {
		t.Fatal(err)
	}
	listener, err := (&Starter{Local: 1, Size: 1}).listen(&Info{})
	if err != nil {
		t.Fatal(err)
	}
	free := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	manager := pmitest.Start(t, size, pmitest.Hydra)
	for name, env := range map[string]func(rank int) map[string]string{
		"variables": func(rank int) map[string]string {
			return map[string]string{"LOOPC_RANK": fmt.Sprint(rank), "LOOPC_SIZE": fmt.Sprint(size), "LOOPC_ROOT": free, "": "secret"}
		},
		"PMI": func(rank int) map[string]string {
			env := manager.Environ(rank)
			env["MPI_LOCALNRANKS"] = fmt.Sprint(size)
			return env
		},
		"Open MPI": func(rank int) map[string]string {
			return map[string]string{
				"OMPI_COMM_WORLD_RANK": fmt.Sprint(rank), "OMPI_COMM_WORLD_SIZE": fmt.Sprint(size), "OMPI_COMM_WORLD_LOCAL_SIZE": fmt.Sprint(size),
				"OMPI_MCA_orte_jobfam_session_dir": session,
			}
		},
		"Slurm": func(rank int) map[string]string {
			return map[string]string{
				"SLURM_PROCID": fmt.Sprint(rank), "SLURM_STEP_NUM_TASKS": fmt.Sprint(size), "SLURM_STEP_ID": "0", "SLURM_JOB_ID": fmt.Sprint(os.Getpid()),
				"SLURM_STEP_NODELIST": "127.0.0.[1-4]", "SLURM_STEP_NUM_NODES": "4", "": "secret",
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var envs []map[string]string
			for rank := range size {
				envs = append(envs, env(rank))
			}
			meet(t, envs)
		})
	}
}

// TestMeetRefused checks the errors of ranks that cannot meet.
func TestMeetRefused(t *testing.T) {
	public := t.TempDir()
	if err := os.Chmod(public, 0o755); err != nil {
		t.Fatal(err)
	}
	step := map[string]string{"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "4", "SLURM_STEP_ID": "0", "SLURM_JOB_ID": "7", "SLURM_STEP_NODELIST": "n[1-4]"}
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"LOOPC_RANK": "1", "LOOPC_SIZE": "4"}, "need LOOPC_ROOT"},
		{map[string]string{"LOOPC_RANK": "1", "LOOPC_SIZE": "4", "LOOPC_ROOT": "a:1"}, "LOOPC_SECRET_FILE is not set"},
		{step, "srun --mpi=pmi2"},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "1", "OMPI_MCA_orte_jobfam_session_dir": public}, "need LOOPC_ROOT"},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "2", "OMPI_MCA_orte_jobfam_session_dir": public}, "open to others"},
	} {
		s, err := FindStarter(of(maps.Clone(c.env)), auth.Secret{})
		if err != nil || s == nil {
			t.Fatalf("%v: %v, %v", c.env, s, err)
		}
		if _, listener, err := s.Meet(t.Context()); err == nil || listener != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.env, err, c.want)
		}
	}
	// Nobody comes.
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	private := t.TempDir()
	if err := os.Chmod(private, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &Starter{Name: "Open MPI", Rank: 1, Size: 2, Local: 2, sessionDir: private}
	if _, _, err := s.Meet(ctx); err == nil || !strings.Contains(err.Error(), "rank 0 does not say") {
		t.Errorf("without rank 0: %v", err)
	}
}
