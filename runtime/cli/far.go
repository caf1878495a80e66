package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/npy"
)

// Ranks of other hosts read and write files of the launcher over their connection to the rendezvous. They name a file by a number:
// first come two for each array, then the ranks' parts of the trace, then the files of checkpoints (jobKeep.File).
func givenFile(arr int) int              { return 2 * arr }
func resultFile(arr int) int             { return 2*arr + 1 }
func tracePartFile(arrays, rank int) int { return 2*arrays + rank }

// A farFile is a file at the rendezvous, as npy.Storage.
type farFile struct {
	service *launch.Service
	place   place
}

// ReadAt implements io.ReaderAt.
func (f *farFile) ReadAt(b []byte, offset int64) (int, error) {
	return f.service.ReadAt(f.place.File, b, offset)
}

// WriteAt implements io.WriterAt.
func (f *farFile) WriteAt(b []byte, offset int64) (int, error) {
	return f.service.WriteAt(f.place.File, b, offset)
}

// Close implements io.Closer. The connection to the rendezvous stays open.
func (f *farFile) Close() error { return nil }

// Name returns the path at the rendezvous.
func (f *farFile) Name() string { return filepath.Join(f.place.Dir, f.place.Name) }

// Stat returns the name and size of the file.
func (f *farFile) Stat() (fs.FileInfo, error) { return farInfo{f.place}, nil }

// A farInfo is the fs.FileInfo of a farFile.
type farInfo struct{ place place }

// Name implements fs.FileInfo.
func (i farInfo) Name() string { return i.place.Name }

// Size implements fs.FileInfo.
func (i farInfo) Size() int64 { return i.place.Bytes }

// Mode implements fs.FileInfo.
func (i farInfo) Mode() fs.FileMode { return 0 }

// ModTime implements fs.FileInfo.
func (i farInfo) ModTime() time.Time { return time.Unix(0, i.place.Modified) }

// IsDir implements fs.FileInfo.
func (i farInfo) IsDir() bool { return false }

// Sys implements fs.FileInfo.
func (i farInfo) Sys() any { return nil }

// mostTraceBytes bounds a rank's part of the trace: the launcher does not rely on the bound of the rank's recorder.
const mostTraceBytes = 1 << 30

// shared are the files of a run that ranks reach through the rendezvous. They read given arrays and the checkpoint with which the run
// begins; they write results, and parts of the trace and of checkpoints.
type shared struct {
	givens  []*given
	results *results
	trace   *traceFile
	saving  *saving
	arrays  int
}

// storage returns the file with a number: a given array, a result, or a file of the checkpoint with which the run begins.
func (s *shared) storage(file int) (npy.Storage, error) {
	arr := file / 2
	if s.saving.has(file) {
		return s.saving.open(file)
	}
	switch {
	case arr >= s.arrays:
	case file == givenFile(arr) && s.givens[arr] != nil && s.givens[arr].file != nil:
		return s.givens[arr].file.Storage(), nil
	case file == resultFile(arr) && s.results.of(arr) != nil && s.results.of(arr).file != nil:
		return s.results.of(arr).file, nil
	}
	return nil, fmt.Errorf("there is no file %d", file)
}

// Size implements launch.Files.
func (s *shared) Size(file int) (int64, error) {
	f, err := s.storage(file)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ReadAt implements launch.Files.
func (s *shared) ReadAt(file int, b []byte, offset int64) (int, error) {
	f, err := s.storage(file)
	if err != nil {
		return 0, err
	}
	return f.ReadAt(b, offset)
}

// WriteAt implements launch.Files. It does not lengthen results.
func (s *shared) WriteAt(file int, b []byte, offset int64) (int, error) {
	if rank := file - tracePartFile(s.arrays, 0); rank >= 0 && s.trace != nil && rank < s.trace.ranks {
		return s.writeTrace(rank, b, offset)
	}
	if s.saving.receives(file) {
		return s.saving.receive(file, b, offset)
	}
	f, err := s.storage(file)
	if err != nil {
		return 0, err
	}
	size, err := s.Size(file)
	switch {
	case err != nil:
		return 0, err
	case file != resultFile(file/2):
		return 0, fmt.Errorf("file %d is not to be written", file)
	case offset > size-int64(len(b)):
		return 0, fmt.Errorf("%d bytes at %d of a file of %d bytes: %w", len(b), offset, size, io.ErrShortWrite)
	}
	return f.WriteAt(b, offset)
}

// writeTrace writes a piece of a rank's part of the trace.
func (s *shared) writeTrace(rank int, b []byte, offset int64) (int, error) {
	if offset > mostTraceBytes-int64(len(b)) {
		return 0, fmt.Errorf("the trace of rank %d is longer than %d bytes", rank, mostTraceBytes)
	}
	dir, err := os.OpenRoot(s.trace.dir)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	f, err := dir.OpenFile(partName(rank), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := f.WriteAt(b, offset)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return n, err
}
