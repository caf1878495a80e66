package bench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A supplier makes the files of given arrays that are not random, such as a matrix that a solver
// can solve. The C program decides their content and writes them: see supplied in peer.h.
type supplier struct {
	nest    *nest
	program string // the C program
	folder  string // of the files, one folder in it for all parameters of a run

	mutex sync.Mutex
	made  map[string][]string // by parameters
}

// args returns the arguments by which loopc's program reads the files. None for a nil supplier.
func (s *supplier) args(ctx context.Context, p params) ([]string, error) {
	if s == nil || !s.nest.supplies {
		return nil, nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if args, ok := s.made[p.String()]; ok {
		return args, nil
	}
	folder := filepath.Join(s.folder, strings.ReplaceAll(p.String(), ",", "-")) // a comma divides arguments
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	words := []string{"inputs=" + folder}
	for _, x := range p {
		words = append(words, x.String())
	}
	var ignored sample
	if err := execute(ctx, processors()[:1], nil, nil, &ignored, s.program, words...); err != nil {
		return nil, err
	}
	var args []string
	for k := range s.nest.program.Arrays {
		name := s.nest.program.Arrays[k].Name
		file := filepath.Join(folder, name+".npy")
		if _, err := os.Stat(file); err == nil {
			args = append(args, "--in", name+"="+file)
		}
	}
	if s.made == nil {
		s.made = map[string][]string{}
	}
	s.made[p.String()] = args
	return args, nil
}
