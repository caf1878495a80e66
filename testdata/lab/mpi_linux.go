package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// peer is the program in testdata/peers that the row of nodes is compared with.
const peer = "pipeline_whole_mpi"

// mpiMissing names the tools of Open MPI that are not here.
func mpiMissing() (missing []string) {
	for _, tool := range []string{"mpicc.openmpi", "mpirun.openmpi", "nsenter"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing = append(missing, tool)
		}
	}
	return missing
}

// runPeer runs the MPI program of a cell once, a rank on each node: the same tiles,
// waiting for the same time instead of computing.
func (l *lab) runPeer(ctx context.Context, c *cell) (s sample, err error) {
	ctx, stop := context.WithTimeout(ctx, mostTime)
	defer stop()
	program, agent := filepath.Join(l.scratch, peer), filepath.Join(l.scratch, "agent")
	if l.built[peer] == "" {
		build := exec.Command("mpicc.openmpi", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O3", "-o", program, filepath.Join("testdata", "peers", peer+".c"))
		if err := output(build); err != nil {
			return s, err
		}
		// What mpirun takes for ssh: agent HOST COMMAND...
		script := fmt.Sprintf("#!/bin/sh\nhost=$1\nshift\nnode=$((${host##*.} - 1))\nexec nsenter --net=%[1]s/net.$node --uts=%[1]s/uts.$node sh -c \"$*\"\n", l.scratch)
		if err := os.WriteFile(agent, []byte(script), 0o700); err != nil {
			return s, err
		}
		l.built[peer] = program
	}
	var hosts []string
	for k, n := range l.cluster.nodes[:c.nodes] {
		hosts = append(hosts, n.address())
		for name, file := range map[string]*os.File{"net": n.net, "uts": n.uts} {
			link := filepath.Join(l.scratch, fmt.Sprintf("%s.%d", name, k))
			_ = os.Remove(link) // of an earlier cluster
			if err := os.Symlink(fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.Fd()), link); err != nil {
				return s, err
			}
		}
	}
	cmd := exec.CommandContext(ctx, "nice", "-n", afterSwitch, "mpirun.openmpi", "-n", strconv.Itoa(c.nodes), "--host", strings.Join(hosts, ","), "--map-by", "node",
		"--mca", "plm_rsh_agent", agent, "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "btl", "tcp,self", "--mca", "pml", "ob1",
		"--mca", "btl_tcp_if_include", "eth0", "--mca", "oob_tcp_if_include", "eth0", "--mca", "mpi_yield_when_idle", "1", "--bind-to", "none",
		program, "variant="+c.mpi, fmt.Sprintf("X=%d", c.params[0]), fmt.Sprintf("Y=%d", c.params[1]), fmt.Sprintf("Z=%d", c.params[2]),
		fmt.Sprintf("side_k=%d", c.tile[2]), fmt.Sprintf("virtual=%g", c.point*1e9))
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	if err := l.cluster.nodes[0].start(cmd); err != nil {
		return s, err
	}
	if err := cmd.Wait(); err != nil {
		return s, fmt.Errorf("%s: %w\n%s", c.what, err, stderr.String())
	}
	return s, json.NewDecoder(&stdout).Decode(&s)
}
