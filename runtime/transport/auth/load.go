package auth

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

// The sources of the secret of a run, for a process that was started for the run. The first
// two name a place that holds the secret. The last one is the secret itself, for launchers
// that support nothing better: the same user and root can read it in /proc.
const (
	EnvDescriptor = "LOOPC_SECRET_FD"   // number of a descriptor with the secret as the next line
	EnvFile       = "LOOPC_SECRET_FILE" // name of a file that only its owner can read
	EnvSecret     = "LOOPC_SECRET"
)

// A Source is a place where a secret may be.
type Source struct {
	Name string // for error messages: "the file that LOOPC_SECRET_FILE names"

	// Load returns the secret, or false if there is none here.
	Load func() (Secret, bool, error)

	// Forget, if not nil, removes the variable that led to the secret. It is called even if
	// the secret was found elsewhere.
	Forget func() error
}

// LoadSecret returns the secret of the first source that has one, or zero, and calls Forget
// of all sources.
func LoadSecret(sources ...Source) (Secret, error) {
	var secret Secret
	var errs []error
	found := false
	for _, s := range sources {
		if !found && len(errs) == 0 {
			var err error
			if secret, found, err = s.Load(); err != nil {
				errs = append(errs, fmt.Errorf("the secret of the run, from %s: %w", s.Name, err))
			}
		}
		if s.Forget != nil {
			if err := s.Forget(); err != nil {
				errs = append(errs, fmt.Errorf("the secret of the run: %w", err))
			}
		}
	}
	if len(errs) > 0 {
		return Secret{}, errors.Join(errs...)
	}
	return secret, nil
}

// FromEnvironment returns the sources that the environment may name, in the order in which
// they are tried. The variables are removed from the environment, so that child processes
// do not inherit them; on Linux /proc/PID/environ still shows the initial environment to
// the process's user and to root. Descriptor 0 is read through stdin.
func FromEnvironment(stdin io.Reader) []Source {
	return []Source{
		variable(EnvDescriptor, "the descriptor that %s names", func(text string) (Secret, error) {
			number, err := strconv.Atoi(text)
			if err != nil || number < 0 {
				return Secret{}, fmt.Errorf("%q is not the number of a descriptor", text)
			}
			if number == 0 {
				return readLine(stdin)
			}
			file := os.NewFile(uintptr(number), EnvDescriptor)
			if file == nil {
				return Secret{}, fmt.Errorf("there is no descriptor %d", number)
			}
			secret, err := readLine(file)
			return secret, errors.Join(err, file.Close())
		}),
		variable(EnvFile, "the file that %s names", ReadFile),
		variable(EnvSecret, "%s", ParseSecret),
	}
}

// variable is a source that an environment variable leads to.
func variable(name, where string, load func(value string) (Secret, error)) Source {
	return Source{
		Name: fmt.Sprintf(where, name),
		Load: func() (Secret, bool, error) {
			value, ok := os.LookupEnv(name)
			if !ok || value == "" {
				return Secret{}, false, nil
			}
			secret, err := load(value)
			return secret, err == nil, err
		},
		Forget: func() error { return os.Unsetenv(name) },
	}
}

// readLine reads a secret and the end of its line, and not a byte more, because others read
// the rest.
func readLine(r io.Reader) (Secret, error) {
	var line [2*secretBytes + 1]byte
	if _, err := io.ReadFull(r, line[:]); err != nil {
		return Secret{}, fmt.Errorf("%w: %w", errNoSecret, err)
	}
	if line[2*secretBytes] != '\n' {
		return Secret{}, errNoSecret
	}
	return ParseSecret(string(line[:]))
}

// maxFileBytes bounds the size of a secret's file.
const maxFileBytes = 4096

// ReadFile reads a secret from a file. Its owner must be this user or root, and only the
// owner may have access; a file of root may also be readable by its group, as Kubernetes
// mounts a Secret. On Windows access is not checked.
func ReadFile(name string) (Secret, error) {
	// Check before opening: opening a pipe would block.
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", name)
	}
	if err != nil {
		return Secret{}, err
	}
	file, err := os.Open(name)
	if err != nil {
		return Secret{}, err
	}
	defer file.Close()
	// Check the opened file too: the name may lead elsewhere by now.
	if info, err = file.Stat(); err == nil {
		err = private(name, info)
	}
	if err != nil {
		return Secret{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes))
	if err != nil {
		return Secret{}, err
	}
	secret, err := ParseSecret(string(text))
	if err != nil {
		return Secret{}, fmt.Errorf("%s: %w", name, err)
	}
	return secret, nil
}

// WriteFile writes the secret into a new file that only this user can read.
func (s Secret) WriteFile(name string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, s.Line())
	return errors.Join(err, file.Close())
}
