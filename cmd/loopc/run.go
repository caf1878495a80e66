package main

import (
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// endDelay is how long the output of a program may stay open after the program has ended: its ranks
// end a moment later.
const endDelay = 5 * time.Second

// A runCommand compiles a nest, builds it and runs it.
type runCommand struct {
	File string `arg:"" help:"The .loop file."`
	programFlags
	tilingFlag
	externFlag
	Werror  bool `help:"Treat warnings of the compiler as errors."`
	Verbose bool `short:"v" help:"Print what was decided, and the plan of this run, to stderr."`
}

// Help implements kong.HelpProvider.
func (c *runCommand) Help() string {
	return `Results get their names when the run has succeeded. Until then each is a file .NAME.XXXXXXXX.tmp in the same folder. Space
for it is reserved before anything is computed; where the file system cannot reserve space, a warning says if too little is
free. At the end all results are synced, and all of them get their names or none does. A symbolic link stays a link: the
file that it leads to is replaced. A file without permission to be written is refused.

A run that is killed leaves its files .tmp, and the next one that writes the same names removes them. If it is killed
while several results get their names, some are new and some are not: what the new ones have replaced is in files
.NAME.XXXXXXXX.old. The next run that writes the same names removes these too, or, where no file has the name any more,
gives the name back.

` + wordsHint
}

// programFlags are the flags that emitted programs take; runtime/cli interprets them and
// checks their values.
type programFlags struct {
	Ranks     string   `short:"n" name:"ranks" placeholder:"N" help:"Ranks; 1 by default."`
	CPUs      string   `name:"cpus" placeholder:"N" help:"Worker CPUs of each rank: a number, or a mesh such as 2x1x2, one entry per loop; by default all of the machine, or fewer if more are predicted to be of no use."`
	Tile      string   `placeholder:"AxBxC|none" help:"Tile sides, in iterations, one per loop; 0 or - leaves one open. With none, the loops run as they are written, if they can, whatever is predicted."`
	First     string   `placeholder:"AxBxC" help:"Sides of the first tile, when CPUs take tiles cyclically, one per loop. 0 or - means the same as the other tiles."`
	Grid      string   `placeholder:"AxBxC" help:"Ranks, one entry per loop."`
	Map       string   `placeholder:"LOOP" help:"The loop along which the tiles of a worker follow one another; the longest by default."`
	Group     string   `placeholder:"hyperplane|vertical" help:"How the tiles of a step are given to the CPUs of a rank."`
	Sub       string   `placeholder:"N" help:"Sub-tiles of a tile, with vertical grouping."`
	Epoch     string   `placeholder:"LEVELS" help:"Cut the run into epochs of this many values of the outermost loop. By default, a run is cut only to fit the memory, to write checkpoints, or if it is very long and faster that way."`
	Assign    string   `placeholder:"NAME" help:"How columns of tiles are given to the ranks: ${assignments}."`
	Comm      string   `placeholder:"overlap|blocking|buffered" help:"Whether messages travel while tiles are computed."`
	Shape     string   `placeholder:"NAME" help:"The criterion by which the grid is chosen: model, communication or scheduling."`
	Machine   string   `placeholder:"FILE" help:"What computation and messages cost, as loopc calibrate measured it; the plan is chosen by it."`
	Transport string   `placeholder:"${transports}" help:"How ranks exchange faces: within one process (inproc), through shared memory, by TCP, or by a library for RDMA or MPI. If there are several ranks, by default shm within a host and tcp between hosts."`
	Provider  string   `placeholder:"NAME" help:"The provider of libfabric for --transport ofi; the first that can do RDMA by default."`
	Patience  string   `placeholder:"30s" help:"How long a silent rank is waited for, 5s by default; an outage of the network of half that time does no harm."`
	TLS       bool     `name:"tls" help:"Encrypt what ranks send over TCP, with certificates made up for the run, or those of --tls-cert."`
	TLSCert   string   `name:"tls-cert" placeholder:"FILE" help:"The certificate that ranks show, in PEM."`
	TLSKey    string   `name:"tls-key" placeholder:"FILE" help:"The key of that certificate, in PEM."`
	TLSCA     string   `name:"tls-ca" placeholder:"FILE" help:"The authorities that must have signed the certificates of others."`
	MAC       string   `name:"mac" placeholder:"auto|on|off" help:"Whether what ranks send over TCP carries MACs; between hosts and without TLS by default."`
	Listen    string   `placeholder:"ADDRESS" help:"The address of this host where ranks and launcher accept connections; 127.0.0.1 by default."`
	Hosts     string   `placeholder:"FILE" help:"Start the ranks on these hosts, by ssh: a line host[:port] [slots=N] for each."`
	Slurm     bool     `help:"Start the ranks by srun, in the current allocation or a new one."`
	Script    string   `name:"slurm-script" placeholder:"FILE" help:"Write a script for sbatch, and run nothing; - is standard output."`
	Options   []string `name:"slurm-option" sep:"none" placeholder:"NAME=VALUE" help:"An option for srun or sbatch, such as partition=short."`
	Pods      string   `name:"k8s" placeholder:"FILE" help:"Write the manifest of an Indexed Job of Kubernetes, and run nothing; - is standard output."`
	Image     string   `name:"k8s-image" placeholder:"IMAGE" help:"The image for --k8s, whose entry point is the emitted program."`
	Claim     string   `name:"k8s-claim" placeholder:"VOLUME" help:"The volume claim for --k8s, mounted as the working folder."`
	Job       string   `placeholder:"NAME" help:"Name of the job of Slurm or Kubernetes."`
	Kernel    string   `placeholder:"portable|avx2|avx512" help:"The kernel that computes, in tiles or entire arrays; by default the fastest that the processor has, or the loops in Go where these take less time."`
	Params    []string `short:"p" name:"param" sep:"none" placeholder:"X=64,Y=64" help:"Values of parameters."`
	In        []string `sep:"none" placeholder:"ARRAY=FILE.npy" help:"Files of given arrays, separated by commas: .npy, a member of an archive as in u=state.npz:u, cells without a header in .raw or .bin, or - for standard input; a number instead, for an array of one cell."`
	Out       []string `sep:"none" placeholder:"ARRAY=FILE.npy" help:"Files for arrays that are given back, separated by commas: .npy, cells without a header in .raw or .bin, or - for standard output."`
	Random    string   `placeholder:"SEED" help:"Fill given arrays that have no file with pseudo-random values."`
	Keep      string   `name:"checkpoint" placeholder:"FOLDER" help:"Keep the state of the run in this folder now and then, so that a run that is ended can continue. SIGUSR1 asks for a checkpoint, and SIGTERM for a last one: the exit status is then 4."`
	Every     string   `name:"checkpoint-every" placeholder:"10m|N" help:"How much a lost run computes again, at most: so much time, or so many values of the outermost loop or, of several nests, repetitions of the outermost repeats; 10m by default. A checkpoint begins earlier, by a quarter at most, and is written while the run goes on."`
	Resume    string   `placeholder:"FOLDER" help:"Begin with the newest state in this folder, on any number of ranks and CPUs, with the same results. It has the parameters, and the arrays that the run changes, so -p and --in may be left out. A greater end of the outermost loop, as in -p T=2000, makes the run longer, also if it had ended."`
	Snapshot  []string `sep:"none" placeholder:"ARRAY=FILE-%06d.npy" help:"Write the content of an array to a new file after each --every values of the outermost loop (of several nests: repetitions of the outermost repeats), while the run goes on. The number in the file's name says how many are done."`
	ShowEvery string   `name:"every" placeholder:"N" help:"How many values of the outermost loop, or repetitions, lie between two snapshots."`
	Restarts  string   `placeholder:"N" help:"Start all ranks again from the last checkpoint if one is lost, at most so often."`
	Check     bool     `help:"Compare the result with the sequential loops, bit for bit."`
	Plan      bool     `help:"Print the plan, and run nothing."`
	Summary   string   `placeholder:"FILE" help:"Write a JSON summary of the run, with the repetitions that each repeat ran; - is standard output."`
	Trace     string   `placeholder:"FILE" help:"Write what each CPU and message did when, for ui.perfetto.dev."`
	Metrics   string   `placeholder:"PORT" help:"Show metrics of the run at this port of 127.0.0.1, or ADDRESS:PORT, in the format of Prometheus."`
	Log       string   `placeholder:"text|json" help:"Log what launcher and ranks do, on stderr, with time, rank and step."`
	Progress  string   `placeholder:"auto|json|lines|none" help:"How progress is reported, on stderr."`
}

// arguments returns the flags as arguments for an emitted program.
func (f *programFlags) arguments() []string {
	var args []string
	flag := func(name, value string) {
		if value != "" {
			args = append(args, name, value)
		}
	}
	flags := func(name string, values []string) {
		for _, v := range values {
			flag(name, v)
		}
	}
	toggle := func(name string, on bool) {
		if on {
			args = append(args, name)
		}
	}
	flag("-n", f.Ranks)
	flag("--cpus", f.CPUs)
	flag("--tile", f.Tile)
	flag("--first", f.First)
	flag("--grid", f.Grid)
	flag("--map", f.Map)
	flag("--group", f.Group)
	flag("--sub", f.Sub)
	flag("--epoch", f.Epoch)
	flag("--assign", f.Assign)
	flag("--comm", f.Comm)
	flag("--shape", f.Shape)
	flag("--machine", f.Machine)
	flag("--transport", f.Transport)
	flag("--provider", f.Provider)
	flag("--patience", f.Patience)
	toggle("--tls", f.TLS)
	flag("--tls-cert", f.TLSCert)
	flag("--tls-key", f.TLSKey)
	flag("--tls-ca", f.TLSCA)
	flag("--mac", f.MAC)
	flag("--listen", f.Listen)
	flag("--hosts", f.Hosts)
	toggle("--slurm", f.Slurm)
	flag("--slurm-script", f.Script)
	flags("--slurm-option", f.Options)
	flag("--k8s", f.Pods)
	flag("--k8s-image", f.Image)
	flag("--k8s-claim", f.Claim)
	flag("--job", f.Job)
	flag("--kernel", f.Kernel)
	flags("-p", f.Params)
	flags("--in", f.In)
	flags("--out", f.Out)
	flag("--random", f.Random)
	flag("--checkpoint", f.Keep)
	flag("--checkpoint-every", f.Every)
	flag("--resume", f.Resume)
	flags("--snapshot", f.Snapshot)
	flag("--every", f.ShowEvery)
	flag("--restarts", f.Restarts)
	toggle("--check", f.Check)
	toggle("--plan", f.Plan)
	flag("--summary", f.Summary)
	flag("--trace", f.Trace)
	flag("--metrics", f.Metrics)
	flag("--log", f.Log)
	flag("--progress", f.Progress)
	return args
}

// Run runs the program with the given flags and passes on its exit status.
func (c *runCommand) Run(a *app) error {
	program, err := a.prepare(c.File, c.Params, &c.tilingFlag, c.Extern, c.Transport, c.Werror, c.Verbose)
	if err != nil {
		return err
	}
	args := c.arguments()
	if c.Verbose && !c.Plan {
		args = append(args, "--verbose")
	}
	return a.start(program, args, c.Progress)
}

// prepare compiles and builds the nest in the file, which is to run with these values of parameters, and returns the path of
// the program.
func (a *app) prepare(file string, params []string, tiling *tilingFlag, externs []string, transport string, werror, verbose bool) (string, error) {
	s, err := tiling.read(file)
	if err != nil {
		return "", err
	}
	s.externs = externs
	l, err := a.lower(s, werror)
	if err != nil {
		return "", err
	}
	if err := l.notConstants(params); err != nil {
		return "", err
	}
	k, err := a.buildKey(l, transport, a.generateWarned)
	if err != nil {
		return "", err
	}
	if verbose {
		a.decisions(l)
	}
	return a.built(k)
}

// start runs the program and waits for it. On a terminal, start shows the progress as a bar, unless
// wanted, the value of --progress, asks for something else.
func (a *app) start(program string, args []string, wanted string) error {
	child := exec.Command(program, args...)
	if f, ok := a.stdin.(*os.File); ok { // another reader would be read although nobody wants its content
		child.Stdin = f
	}
	child.Stdout, child.Stderr = a.stdout, a.stderr
	child.WaitDelay = endDelay
	if !isTerminal(a.stderr) || wanted != "" && wanted != "auto" {
		return a.supervise(child)
	}
	child.Args = append(child.Args, "--progress", "json")
	bar := newProgressBar(a.stderr)
	errors := bar.stream()
	defer bar.close()
	defer errors.end()
	child.Stderr = errors
	if isTerminal(a.stdout) {
		// Both outputs go to one screen, and the bar must know about every line there.
		results := bar.stream()
		defer results.end()
		child.Stdout = results
	}
	return a.supervise(child)
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}
