// Loopc compiles loop nests with carried dependences, written as .loop files,
// to Go programs that run them tiled and overlapped on the CPUs of several
// ranks, with the bits of the sequential loops.
//
// There is one file per subcommand. Files that several commands use:
//
//	source.go   reads a .loop file, and runs the compiler's rooms over it
//	module.go   finds the Go module and package of a folder
//	vendor.go   copies the runtime beside the emitted code
//	shake.go    finds the parts of it that a nest needs in one process
//	merge.go    writes these parts
//	copyversion.go  keeps an older loopc from replacing them
//	file.go     replaces files atomically, and only if they change
//	cache.go    builds emitted programs, and caches them
//	runtimemodule.go  is the copy of the runtime that these share
//	child.go    runs them, and passes on signals and exit status
//	bar.go      shows their progress
//
// The exit status is 0 for done, 1 if the program is wrong or something failed,
// 2 for a wrong command line, 3 for a mistake in loopc, and 4 for a run that a
// signal has ended with a checkpoint.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"loopc/ir"
)

// The exit statuses. A program that loopc runs uses the same, and 4 for the end by a signal.
const (
	exitDone   = 0
	exitFailed = 1 // the program is wrong, or the environment or the run failed
	exitUsage  = 2 // the command line is wrong
	exitBug    = 3 // loopc is wrong
)

// An exitStatus is an error that has already been reported.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// A usageError is a mistake on the command line that kong does not find.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// usagef returns a usageError.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// An app is one invocation of loopc: its streams and its current pass.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	version        string   // of this loopc
	pass           string   // the running pass, for the report of a bug
	temps          []string // folders to be removed at the end
	command        string   // for example run; "": the command line names none
}

// commandLine is the command line of loopc, for kong.
type commandLine struct {
	Compile    compileCommand    `cmd:"" help:"Compile a nest to Go source."`
	Run        runCommand        `cmd:"" help:"Compile a nest, build it, and run it on ranks of this machine."`
	Plan       planCommand       `cmd:"" help:"Explain the plan of a run: why it is as it is, and how long it will take."`
	Simulate   simulateCommand   `cmd:"" help:"Predict a run on a cluster that is described, tile by tile."`
	Check      checkCommand      `cmd:"" help:"Report what is wrong with nests, and write nothing."`
	Fmt        fmtCommand        `cmd:"" help:"Print nests in the canonical layout."`
	Bench      benchCommand      `cmd:"" help:"Race emitted programs against C programs of the same loops."`
	Verify     verifyCommand     `cmd:"" help:"Compare a nest under many plans with the sequential loops, bit for bit."`
	Calibrate  calibrateCommand  `cmd:"" help:"Measure what computation and messages cost on this machine, for the planner."`
	Accuracy   accuracyCommand   `cmd:"" help:"Compare predicted with measured times of many runs on this machine."`
	New        newCommand        `cmd:"" help:"Write a commented .loop file to start from."`
	Completion completionCommand `cmd:"" help:"Print a script that completes command lines: bash, zsh or fish."`
	Version    versionCommand    `cmd:"" help:"Print the version of loopc."`
	Help       helpCommand       `cmd:"" help:"Show help on a command, the reference of the language (loopc help language), or the terms (loopc help words). The tour is examples/README.md, in the clone of loopc."`
}

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // the process ends soon, so collecting garbage would mostly cost time
	}
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, version: ownVersion(), pass: "command line"}
	os.Exit(a.main(os.Args[1:]))
}

// newParser returns the parser of the command line.
func newParser(options ...kong.Option) *kong.Kong {
	parser, err := kong.New(&commandLine{}, append(options,
		kong.Name("loopc"),
		kong.Description("Loopc compiles loop nests with carried dependences to Go programs that run on several ranks."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{
			"transports": strings.Join(transportNames(false), "|"), "links": strings.Join(transportNames(true), "|"),
			"assignments": strings.Join(ir.ScheduleWords("assign"), " or "),
		},
	)...)
	if err != nil {
		panic("BUG: command line: " + err.Error())
	}
	return parser
}

// main runs the command line args and returns the exit status.
func (a *app) main(args []string) (status int) {
	defer a.removeTemps()
	defer func() {
		if r := recover(); r != nil {
			a.reportBug(r, debug.Stack())
			status = exitBug
		}
	}()
	parser := newParser(kong.Writers(a.stdout, a.stderr))
	if len(args) == 1 && slices.Contains([]string{"--version", "-version", "-v", "-V"}, args[0]) {
		args = []string{"version"} // most tools have --version
	}
	if node := commandOf(parser, args); node != nil {
		a.command = node.Name
	}
	context, err := parser.Parse(args)
	if err != nil {
		return a.fail(misused(parser, args, err))
	}
	return a.fail(context.Run(a, parser))
}

// fail reports err, unless it has been reported, and returns the exit status.
func (a *app) fail(err error) int {
	var status exitStatus
	var usage *usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &usage):
		more := "loopc --help shows what there is"
		if a.command != "" {
			more = "loopc help " + a.command + " shows its flags"
		}
		fmt.Fprintf(a.stderr, "loopc: %v\n%s\n", err, more)
		return exitUsage
	}
	fmt.Fprintf(a.stderr, "loopc: %v\n", err)
	return exitFailed
}

// reportBug reports a panic: the broken invariant, the pass, and what the user can do.
func (a *app) reportBug(cause any, stack []byte) {
	message := fmt.Sprint(cause)
	const prefix = "BUG: "
	if len(message) > len(prefix) && message[:len(prefix)] == prefix {
		message = message[len(prefix):]
	}
	fmt.Fprintf(a.stderr, "loopc: BUG: pass %s: %s\n", a.pass, message)
	fmt.Fprintf(a.stderr, "This is a mistake in loopc, not in your program. Please report it with the .loop file, the command,\n"+
		"the output of loopc version, and what follows.\n\n%s", stack)
}
