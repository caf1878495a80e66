package main

import (
	"fmt"
	"os"
	"os/exec"
)

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
	switch transport {
	case "ofi":
		return flavor{
			tag: "ofi", env: []string{"CGO_ENABLED=1"}, built: os.Getenv("CC"),
			needs: "--transport ofi needs Linux, a C compiler and the headers of libfabric (Debian: gcc, libc6-dev, libfabric-dev)",
		}, nil
	case "mpi":
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
	return flavor{}, nil
}
