package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"loopc/transform/plan/cost"
)

// transports are the values of --transport, as runtime/cli has them. how is what the help adds to the name; link is
// the link of loopc plan, "" if it has no figures; flavor says how a program is built for a transport that needs a library.
var transports = []struct {
	name, how, link string
	flavor          func() (flavor, error)
}{
	{"inproc", " in one process", cost.LinkInproc, nil},
	{"shm", " by shared memory", cost.LinkSHM, nil},
	{"tcp", "", cost.LinkTCP, nil},
	{"ofi", " by RDMA", "", flavorOFI},
	{"mpi", "", "", flavorMPI},
}

// transportList lists the transports in a sentence.
func transportList() string {
	var all []string
	for _, t := range transports {
		all = append(all, t.name+t.how)
	}
	return strings.Join(all, ", ")
}

// transportNames are the names of transports, or of those that have a link.
func transportNames(linked bool) (names []string) {
	for _, t := range transports {
		if !linked || t.link != "" {
			names = append(names, t.name)
		}
	}
	return names
}

// envMPICC names the compiler of the user's MPI, mpicc by default.
const envMPICC = "LOOPC_MPICC"

// A flavor says how a program is built for a transport that needs a library: with a build
// tag and a C compiler. The zero flavor is for all other transports.
type flavor struct {
	tag   string
	env   []string // of the Go command
	built string   // further dependencies of the program, for the cache key
	needs string   // advice if the build fails
}

// flavorFor returns how to build a program for a transport.
func flavorFor(transport string) (flavor, error) {
	for _, t := range transports {
		if t.name == transport && t.flavor != nil {
			return t.flavor()
		}
	}
	return flavor{}, nil
}

func flavorOFI() (flavor, error) {
	return flavor{
		tag: "ofi", env: []string{"CGO_ENABLED=1"}, built: os.Getenv("CC"),
		needs: "--transport ofi needs Linux, a C compiler and the headers of libfabric (Debian: gcc, libc6-dev, libfabric-dev)",
	}, nil
}

func flavorMPI() (flavor, error) {
	compiler := os.Getenv(envMPICC)
	if compiler == "" {
		compiler = "mpicc"
	}
	shown, err := exec.Command(compiler, "-show").Output()
	if err != nil {
		return flavor{}, fmt.Errorf("--transport mpi builds the program with the compiler of your MPI: %s -show: %w ($%s names another)", compiler, err, envMPICC)
	}
	return flavor{
		tag: "mpi", env: []string{"CGO_ENABLED=1", "CC=" + compiler}, built: compiler + string(shown),
		needs: "--transport mpi needs the headers and the compiler of an MPI (Debian: mpich, or libopenmpi-dev and openmpi-bin)",
	}, nil
}
