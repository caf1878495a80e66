package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// EnvSSH names a program to use instead of ssh, with the same arguments.
const EnvSSH = "LOOPC_SSH"

const (
	copyTime   = 2 * time.Minute  // limit for copying the program to a host
	removeTime = 10 * time.Second // limit for removing it
)

// A Remote is a program that was copied to a host.
type Remote struct {
	Host Host
	CPUs int    // available to a process on that host
	Boot string // see Member
	Here string // the address of this host, as seen from that host

	ssh      string
	dir      string // the folder on that host, which holds only the program
	patience patience
	watch    *watch
}

// copied is the prefix of the line in which the host reports the path of the program. A
// login shell's startup files may print other lines.
const copied = "loopc-copied"

// copyScript reads the program, whose length is known, from standard input, and starts it
// to watch the rest of standard input (see Watch). It removes the program when standard
// input ends or is silent for too long, or when a signal ends the program or this shell.
// Like all scripts here it has neither single quotes nor line ends, so that any login shell
// passes it on unchanged.
const copyScript = `umask 077; d=$(mktemp -d "${TMPDIR:-/tmp}/loopc.XXXXXXXX") || exit 1; trap : HUP INT TERM; ` +
	`head -c %d >"$d/program" && [ $(wc -c <"$d/program") -eq %d ] && chmod 700 "$d/program" || { rm -rf "$d"; exit 1; }; ` +
	`b=$(cat /proc/sys/kernel/random/boot_id 2>&1) || b=-; n=$(nproc 2>&1) || n=$(getconf _NPROCESSORS_ONLN); ` +
	envWatch + `="%v ` + copied + ` $d $n $b $SSH_CONNECTION" "$d/program"; s=$?; rm -rf "$d"; exit $s`

// CopyTo copies a program, which calls Watch, to a new folder on the host. The host removes
// the folder when this process ends, or when the connection to it is lost.
func CopyTo(ctx context.Context, h Host, program string, wait time.Duration) (*Remote, error) {
	r := &Remote{Host: h, ssh: os.Getenv(EnvSSH), patience: patience(wait)}
	if r.ssh == "" {
		r.ssh = "ssh"
	}
	file, err := os.Open(program)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	script := fmt.Sprintf(copyScript, info.Size(), info.Size(), r.patience.silence())
	r.watch, err = openWatch(r.command(context.Background(), script), file, copied, r.patience)
	if err != nil {
		return nil, fmt.Errorf("host %s: %w", h, err)
	}
	ctx, cancel := context.WithTimeout(ctx, copyTime)
	defer cancel()
	line, err := r.watch.begun(ctx)
	if err != nil {
		err = fmt.Errorf("the program cannot be copied there: %w", r.Lost(err))
	} else {
		err = r.parse(line)
	}
	if err != nil {
		_ = r.watch.end(removeTime) // the first error is the one to report
		return nil, fmt.Errorf("host %s: %w", h, err)
	}
	return r, nil
}

// parse reads the report of copyScript.
func (r *Remote) parse(out string) error {
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != copied {
			continue
		}
		if len(words) != 8 {
			return errors.New("it does not say by which address it was reached: SSH_CONNECTION is not set")
		}
		if !strings.HasPrefix(words[1], "/") || strings.Trim(words[1], pathLetters) != "" {
			return fmt.Errorf("its temporary folder has the name %.100q, which cannot be passed on", words[1])
		}
		cpus, err := strconv.Atoi(words[2])
		if err != nil || cpus < 1 {
			return fmt.Errorf("it has %.100q CPUs", words[2])
		}
		if net.ParseIP(strings.SplitN(words[4], "%", 2)[0]) == nil {
			return fmt.Errorf("it was reached from %.100q, which is not an address", words[4])
		}
		r.dir, r.CPUs, r.Boot, r.Here = words[1], cpus, oneLine(words[3]), words[4]
		if r.Boot == "-" {
			r.Boot = ""
		}
		return nil
	}
	return errors.New("it does not say where the program is")
}

// pathLetters are the characters allowed in names of temporary folders.
const pathLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+"

// command returns the ssh that runs a script on the host. ssh runs without prompts, and
// with keepalives to notice if the host is gone.
func (r *Remote) command(ctx context.Context, script string) *exec.Cmd {
	args := []string{"-T", "-a", "-x", "-o", "BatchMode=yes",
		"-o", fmt.Sprintf("ServerAliveInterval=%d", max(1, r.patience.wait().Milliseconds()/1000)), "-o", "ServerAliveCountMax=3"}
	if r.Host.Port != 0 {
		args = append(args, "-p", strconv.Itoa(r.Host.Port))
	}
	cmd := exec.CommandContext(ctx, r.ssh, append(args, "--", r.Host.Name, "exec sh -c '"+script+"'")...)
	ownGroup(cmd)
	return cmd
}

// run runs a script and returns what it prints. Its standard error is in the error.
func (r *Remote) run(ctx context.Context, stdin io.Reader, script string) (string, error) {
	cmd := r.command(ctx, script)
	var out, complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &complaints
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if text := oneLine(strings.TrimSpace(complaints.String())); err != nil && text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return out.String(), err
}

// Start returns the command that runs the program with the variables, each of the form
// NAME=value, in its environment. Other users of the host may see the variables, so the
// secret comes through standard input instead.
func (r *Remote) Start(env []string) (*exec.Cmd, error) {
	for _, v := range env {
		if strings.Trim(v, pathLetters+"=:[]%") != "" {
			return nil, fmt.Errorf("%.100q cannot be passed on to %s", v, r.Host)
		}
	}
	// No exec: the shell stays, and its exit status says which signal ended the program.
	return r.command(context.Background(), `env "`+strings.Join(env, `" "`)+`" "`+r.dir+`/program"; exit $?`), nil
}

// Remove removes the program by ending its watch or, if that fails, through another ssh.
func (r *Remote) Remove() error {
	if r.watch.end(removeTime) == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), removeTime)
	defer cancel()
	if _, err := r.run(ctx, nil, `rm -rf "`+r.dir+`"`); err != nil {
		return fmt.Errorf("host %s: %s cannot be removed: %w", r.Host, r.dir, err)
	}
	return nil
}

// Lost explains the exit status of an ssh. It is the remote shell's status, which is above
// 128 if a signal ended the program; 255 is ssh's own error.
func (r *Remote) Lost(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil || !errors.As(err, &exit):
		return err
	case exit.ExitCode() == 255:
		return fmt.Errorf("ssh has not reached %s, or lost it: %w", r.Host, err)
	case exit.ExitCode() > 128:
		return fmt.Errorf("its process on %s was ended by signal %d", r.Host, exit.ExitCode()-128)
	}
	return fmt.Errorf("its process on %s has ended: %w", r.Host, err)
}
