// Package files replaces files atomically: at any time, and after any failure, a file has
// either its old or its new content. It also resolves symbolic links, checks whether a file
// may be written, and reserves space.
//
// The new content is written under another name in the same directory, synced, and renamed.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mostLinks is how many symbolic links are followed to a file, as many as Linux follows.
const mostLinks = 40

// Target returns the file to which path leads through symbolic links. The file need not
// exist, but its directory must.
func Target(path string) (string, error) {
	at := path
	for range mostLinks {
		var err error
		if at, err = withoutParents(at); err != nil {
			return "", Unwritable(path, err)
		}
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, nil // writing it will return the error
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", Unwritable(path, err)
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(at)
			to = dir + to
		}
		if isNameless(at, to) {
			return at, nil
		}
		at = to
	}
	return "", fmt.Errorf("cannot write %s: its symbolic links lead in a circle", path)
}

// isNameless reports whether a link leads to something without a name. A link of /proc,
// such as /dev/stdout, may lead to a pipe or to a removed file, and then its text is no
// path.
func isNameless(link, text string) bool {
	if _, err := os.Lstat(text); err == nil {
		return false
	}
	_, err := os.Stat(link)
	return err == nil
}

// withoutParents returns path without .. in its folder. If a folder on the path is a link,
// .. is the parent of the link's target, so .. cannot be removed by looking at the names
// alone.
func withoutParents(path string) (string, error) {
	dir, base := filepath.Split(path)
	if !strings.Contains(dir, "..") {
		return path, nil
	}
	dir, err := filepath.EvalSymlinks(dir)
	return filepath.Join(dir, base), err
}

// Same reports whether two paths lead to one file, which need not exist. A folder may have
// several names.
func Same(a, b string) bool {
	one, err := Target(a)
	other, err2 := Target(b)
	if err != nil || err2 != nil {
		return a == b
	}
	if one == other || sameStat(one, other, fs.FileMode.IsRegular) {
		return true
	}
	dir, base := filepath.Split(one)
	dir2, base2 := filepath.Split(other)
	return base == base2 && sameStat(filepath.Clean(dir), filepath.Clean(dir2), fs.FileMode.IsDir)
}

// sameStat reports whether two paths lead to one existing file or folder of the given kind.
func sameStat(a, b string, kind func(fs.FileMode) bool) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, other) && kind(one.Mode())
}

// Unwritable is the error that path cannot be written. It hides the name of the temporary
// file, which means nothing to the user.
func Unwritable(path string, err error) error {
	var s *SpaceError
	var e *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &s):
	case errors.As(err, &e):
		err = e.Err
	case errors.As(err, &l):
		err = l.Err
	}
	if dir := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) {
		if _, gone := os.Stat(dir); gone != nil {
			err = fmt.Errorf("%w; first make the folder %s", err, dir)
		}
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}

// errReadOnly: a file has no write permission. Directory permissions, or root's privileges,
// would allow to replace the file, but loopc respects its permission.
var errReadOnly = errors.New("it is read-only")

// errMount: the file is a mount point, which cannot be replaced by renaming.
var errMount = errors.New("it is a mount point, which no other file can replace; write to another name, or mount its folder")

// errSticky: only owners may replace files in this folder.
var errSticky = errors.New("its folder has the sticky bit, and neither the folder nor the file is yours; write to another name")

// CheckWritable returns an error if the file at path cannot be replaced, or created if it
// does not exist. A file that is not regular, such as a pipe, is never replaced.
//
// CheckWritable leaves no trace: it creates a temporary file in the folder and removes it. It
// opens nothing but regular files, because opening a pipe would wait for its reader.
func CheckWritable(path string) error {
	at, info, err := checkFile(path)
	switch {
	case err != nil:
		return err
	case info == nil:
		return checkFolder(path, at)
	case !info.Mode().IsRegular():
		return nil
	case isSticky(info, filepath.Dir(at)):
		return Unwritable(path, errSticky)
	case isMount(at):
		return Unwritable(path, errMount)
	}
	return checkFolder(path, at)
}

// CheckInPlace returns an error if the file at path cannot be written in place, or created if
// it does not exist. An existing file may be a mount point, and its folder may be read-only.
func CheckInPlace(path string) error {
	at, info, err := checkFile(path)
	if err != nil || info != nil {
		return err
	}
	return checkFolder(path, at)
}

// checkFile returns the file to which path leads, and what the system says about it, nil if it
// does not exist. An existing file that cannot be written is an error.
func checkFile(path string) (at string, info fs.FileInfo, err error) {
	if at, err = Target(path); err != nil {
		return "", nil, err
	}
	info, err = os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return at, nil, nil
	case err != nil:
		return "", nil, Unwritable(path, err)
	case info.IsDir():
		return "", nil, fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		return at, info, nil
	case info.Mode().Perm()&0o222 == 0:
		return "", nil, Unwritable(path, errReadOnly)
	}
	f, err := os.OpenFile(at, os.O_WRONLY, 0)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return "", nil, Unwritable(path, err)
	}
	return at, info, nil
}

// checkFolder returns an error if no file can be created in the folder of at, the file to which
// path leads.
func checkFolder(path, at string) error {
	f, err := os.CreateTemp(filepath.Dir(at), ".loop-*")
	if err != nil {
		return Unwritable(path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// SyncDir makes renames in dir durable, if the system can do this.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every system lets directories be synced
		_ = d.Close()
	}
}
