package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"loopc/runtime/checkpoint"
)

// makeFolder makes the folder of checkpoints, and in it that of incomplete ones.
func (w *saving) makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	var file *os.File
	if w.to.Temp, file, w.hold, err = newTemporary(dir, partsName, partsLock); err != nil {
		return err
	}
	return file.Close()
}

// lockFolder takes the lock of the folder of the checkpoints that are kept, if the system has locks:
// two runs with one folder would remove each other's checkpoints. The lock is kept when ranks start
// again.
func (w *saving) lockFolder() error {
	if w.dir == "" || w.lock != nil {
		return nil
	}
	f, err := os.Open(w.dir)
	if err != nil {
		return err
	}
	if err := lock(f); errors.Is(err, errLocked) {
		return errors.Join(fmt.Errorf("another run writes its checkpoints into %s", w.dir), f.Close())
	}
	w.lock = f
	return nil
}

// named waits until all snapshots have their names.
func (w *saving) named() {
	if w != nil {
		w.shown.wait()
	}
}

// close ends what openSaving has begun.
func (w *saving) close() {
	if w == nil {
		return
	}
	w.discard()
	if w.collector != nil && w.dir != "" {
		checkpoint.RemoveInputs(w.dir, &checkpoint.Run{})
	}
	if w.lock != nil {
		_ = w.lock.Close() // nothing was written to it
	}
}

// discard ends what begin has begun: it removes what is left of incomplete checkpoints.
func (w *saving) discard() {
	if w.to.Temp != "" {
		_ = removeTemporary(w.to.Temp, partsLock) // the next run would, too
	}
	if w.hold != nil {
		_ = w.hold.Close() // nothing was written to it
	}
	for _, f := range w.opened {
		_ = f.Close() // it was only read
	}
}
