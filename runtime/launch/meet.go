package launch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopc/runtime/launch/pmi"
	"loopc/runtime/transport/auth"
)

// MeetTime is how long ranks that another launcher has started wait for one another. Pods
// wait for podTime, because their nodes have to download the image.
const (
	MeetTime = 60 * time.Second
	podTime  = 10 * time.Minute
)

// meetPause is the time between two attempts to find rank 0.
const meetPause = 50 * time.Millisecond

// Meet finds the address of the rendezvous and the shared secret. Rank 0 also gets the
// listener of the rendezvous. The methods, in this order:
//
//   - Starter.Tell;
//   - LOOPC_ROOT has the address, and the file LOOPC_SECRET_FILE has the secret;
//   - over PMI, rank 0 tells the others;
//   - under Open MPI, if all ranks are on one host, by a file in its session folder;
//   - under Slurm, on the first node of the step, at a port computed from the numbers
//     of job and step, with the secret in LOOPC_SECRET_FILE.
func (s *Starter) Meet(ctx context.Context) (info Info, listener net.Listener, err error) {
	info = Info{Rank: s.Rank, Size: s.Size, Meeting: MeetTime}
	if s.pod {
		info.Meeting = podTime
	}
	switch {
	case s.Tell != nil:
		listener, err = s.meetByTell(&info)
	case s.root != "":
		listener, err = s.meetAt(s.root, &info)
	case s.pmi:
		listener, err = s.meetByPMI(&info)
	case s.sessionDir != "" && s.Local == s.Size:
		listener, err = s.meetByFile(ctx, &info)
	case s.nodes != "" && !s.secret.IsZero():
		var hosts []string
		if hosts, err = HostList(s.nodes); err == nil {
			listener, err = s.meetAt(net.JoinHostPort(hosts[0], fmt.Sprint(s.port)), &info)
		}
	case s.Name == "Slurm":
		err = fmt.Errorf("srun must pass on a secret: srun --mpi=pmi2, or %s, a file that only you can read and every node sees", auth.EnvFile)
	default:
		err = fmt.Errorf("%s has started %d ranks, which need %s, host:port of rank 0, and %s, a file that only you can read with a secret", s.Name, s.Size, envRoot, auth.EnvFile)
	}
	if err != nil {
		return Info{}, nil, fmt.Errorf("launch: rank %d: %w", s.Rank, err)
	}
	return info, listener, nil
}

// meetAt meets at an address that every rank knows. Rank 0 may listen at another address,
// because a pod may not be able to resolve its own name yet.
func (s *Starter) meetAt(root string, info *Info) (net.Listener, error) {
	if s.secret.IsZero() {
		return nil, fmt.Errorf("%s is not set: it names a file with the secret of the run, 64 hexadecimal digits, which only you can read", auth.EnvFile)
	}
	info.Root, info.Secret = root, s.secret
	if s.Rank > 0 {
		return nil, nil
	}
	if s.Listen != "" {
		_, port, err := net.SplitHostPort(root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", envRoot, err)
		}
		root = net.JoinHostPort(s.Listen, port)
	}
	listener, err := net.Listen("tcp", root)
	if err != nil {
		return nil, fmt.Errorf("cannot meet the other ranks at %s (%s=host:port names another place): %w", root, envRoot, err)
	}
	return listener, nil
}

// pmiKey is the PMI key under which rank 0 publishes address and secret, separated by a
// slash.
const pmiKey = "loopc-root"

// meetByPMI: rank 0 publishes address and secret through the process manager.
func (s *Starter) meetByPMI(info *Info) (net.Listener, error) {
	client, err := pmi.Dial(s.getenv)
	if err != nil {
		return nil, err
	}
	var listener net.Listener
	if s.Rank == 0 {
		if listener, err = s.listen(info); err == nil {
			err = client.Put(pmiKey, info.Root+"/"+info.Secret.Text())
		}
	}
	if err == nil {
		err = client.Barrier()
	}
	if err == nil && s.Rank > 0 {
		var value string
		if value, err = client.Get(pmiKey); err == nil {
			err = info.parse(value)
		}
	}
	if err = errors.Join(err, client.Finalize()); err != nil && listener != nil {
		_ = listener.Close() // the first error is the one to report
	}
	return listener, err
}

// meetByTell: rank 0 publishes address and secret through Starter.Tell.
func (s *Starter) meetByTell(info *Info) (listener net.Listener, err error) {
	text := ""
	if s.Rank == 0 {
		if listener, err = s.listen(info); err == nil {
			text = info.Root + "/" + info.Secret.Text()
		} // otherwise the other ranks report that they learned nothing
	}
	heard, failed := s.Tell(text)
	if err = errors.Join(err, failed); err == nil && s.Rank > 0 {
		err = info.parse(heard)
	}
	if err != nil && listener != nil {
		_ = listener.Close() // the first error is the one to report
	}
	return listener, err
}

// parse reads the address of the rendezvous and the secret.
func (i *Info) parse(text string) error {
	root, text, _ := strings.Cut(text, "/")
	secret, err := auth.ParseSecret(text)
	if err == nil {
		_, _, err = net.SplitHostPort(root)
	}
	if err != nil {
		return fmt.Errorf("rank 0 does not say where the ranks meet: %w", err)
	}
	i.Root, i.Secret = root, secret
	return nil
}

// listen opens a rendezvous with a new secret: on the loopback interface if all ranks are
// on this host, else on an address that other hosts can reach.
func (s *Starter) listen(info *Info) (net.Listener, error) {
	host := "127.0.0.1"
	switch {
	case s.Listen != "":
		host = s.Listen
	case s.Local != s.Size:
		var err error
		if host, err = ownAddress(); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, err
	}
	info.Root, info.Secret = listener.Addr().String(), auth.NewSecret()
	return listener, nil
}

// ownAddress returns an address of this host that other hosts can reach: the one to which
// its name resolves, or else the first address of an interface that is up.
func ownAddress() (string, error) {
	usable := func(ip net.IP) bool { return ip != nil && ip.IsGlobalUnicast() && !ip.IsLoopback() }
	if name, err := os.Hostname(); err == nil {
		found, _ := net.LookupIP(name) // the name often does not resolve
		for _, ip := range found {
			if usable(ip) {
				return ip.String(), nil
			}
		}
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return "", err
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil {
			return "", err
		}
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && usable(n.IP) {
				return n.IP.String(), nil
			}
		}
	}
	return "", fmt.Errorf("this host has no address that others could reach; name one: %s=host:port", envRoot)
}

// meetByFile: rank 0 publishes address and secret in a file, which only this user can read,
// in the folder that the launcher has made for the run on this host.
func (s *Starter) meetByFile(ctx context.Context, info *Info) (net.Listener, error) {
	dir, err := os.OpenRoot(s.sessionDir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	folder, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if err := private(folder); err != nil {
		return nil, err
	}
	const name = "loopc-root"
	if s.Rank > 0 {
		return nil, info.await(ctx, dir, name)
	}
	listener, err := s.listen(info)
	if err != nil {
		return nil, err
	}
	if err := publish(dir, name, info.Root+"/"+info.Secret.Text()); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Join(s.sessionDir, name), err), listener.Close())
	}
	return listener, nil
}

// publish writes a file atomically.
func publish(dir *os.Root, name, text string) error {
	f, err := dir.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return dir.Rename(name+".new", name)
}

// await waits for the file of rank 0 and reads it.
func (i *Info) await(ctx context.Context, dir *os.Root, name string) error {
	ctx, cancel := context.WithTimeout(ctx, MeetTime)
	defer cancel()
	for {
		text, err := dir.ReadFile(name)
		if err == nil {
			return i.parse(string(text))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		select {
		case <-time.After(meetPause):
		case <-ctx.Done():
			return fmt.Errorf("rank 0 does not say in %s where to meet: %w", filepath.Join(dir.Name(), name), context.Cause(ctx))
		}
	}
}
