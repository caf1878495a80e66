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

// EnvSSH names another program than ssh that takes its arguments.
const EnvSSH = "LOOPC_SSH"

const (
	copyTime   = 2 * time.Minute  // within which the program is on a host
	removeTime = 10 * time.Second // within which it is removed
)

// A Remote is a program that was copied to a host.
type Remote struct {
	Host Host
	CPUs int    // that a process there may use
	Boot string // see Member
	Here string // the address of this host, as that one sees it

	ssh      string
	dir      string // there, with the program alone
	patience patience
	watch    *watch
}

// copied begins the line in which the host says where the program is. Other lines
// may come from what a login shell runs.
const copied = "loopc-copied"

// copyScript takes so many bytes of the program from standard input, has the program watch
// over the rest, see Watch, and removes it: when standard input ends or is silent for so
// many seconds, and when a signal ends the program or this shell. Like all scripts here it
// has neither single quotes nor line ends, so that any login shell passes it on.
const copyScript = `umask 077; d=$(mktemp -d "${TMPDIR:-/tmp}/loopc.XXXXXXXX") || exit 1; trap : HUP INT TERM; ` +
	`head -c %d >"$d/program" && [ $(wc -c <"$d/program") -eq %d ] && chmod 700 "$d/program" || { rm -rf "$d"; exit 1; }; ` +
	`b=$(cat /proc/sys/kernel/random/boot_id 2>&1) || b=-; n=$(nproc 2>&1) || n=$(getconf _NPROCESSORS_ONLN); ` +
	envWatch + `="%v ` + copied + ` $d $n $b $SSH_CONNECTION" "$d/program"; s=$?; rm -rf "$d"; exit $s`

// CopyTo copies a program, which calls Watch, to a new folder on the host. The folder goes
// away by itself when this process ends, or the host does not hear of it any more.
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
		_ = r.watch.end(removeTime) // the first error is the one to tell
		return nil, fmt.Errorf("host %s: %w", h, err)
	}
	return r, nil
}

// parse reads what copyScript says.
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

// pathLetters are what names of temporary folders consist of.
const pathLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+"

// command returns the ssh that runs a script on the host. It asks nobody for
// anything, and notices if the host is gone.
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

// run runs a script and returns what it prints. What it complains of is in the
// error.
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

// Start returns the command that runs the program with the variables, each of the
// form NAME=value, in its environment. They are seen by everybody there who may
// see processes: the secret comes by standard input.
func (r *Remote) Start(env []string) (*exec.Cmd, error) {
	for _, v := range env {
		if strings.Trim(v, pathLetters+"=:[]%") != "" {
			return nil, fmt.Errorf("%.100q cannot be passed on to %s", v, r.Host)
		}
	}
	// No exec: the shell stays, and says by its status which signal ends the program.
	return r.command(context.Background(), `env "`+strings.Join(env, `" "`)+`" "`+r.dir+`/program"; exit $?`), nil
}

// Remove removes the program: by the end of the watch over it, or where that fails by
// another ssh.
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

// Lost explains how an ssh has ended: its status is that of the shell there, which
// is above 128 if a signal has ended the program; 255 is ssh's own.
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
