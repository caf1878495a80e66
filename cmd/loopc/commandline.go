package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"loopc/ir/diag"
)

// kong finds mistakes in a command line, but it does not know what flags and commands are
// for. The messages here say what the user probably meant, where that is clear.

// commandsElsewhere and flagsElsewhere map other tools' names for commands and flags to
// loopc's.
var (
	commandsElsewhere = map[string]string{
		"build": "compile", "exec": "run", "lint": "check", "vet": "check", "format": "fmt", "explain": "plan",
		"test": "verify", "init": "new", "create": "new", "benchmark": "bench", "predict": "simulate",
	}
	flagsElsewhere = map[string]string{
		"--np": "-n", "--nprocs": "-n", "--procs": "-n", "--processes": "-n", "--ntasks": "-n",
		"--threads": "--cpus", "--jobs": "--cpus", "--workers": "--cpus", "-j": "--cpus", "--cores": "--cpus",
		"--output": "--out", "-o": "--out", "--input": "--in", "-i": "--in", "--seed": "--random", "--define": "--param", "-D": "--param",
		"--host": "--hosts", "--hostfile": "--hosts", "--dry-run": "--plan",
	}
)

var (
	unknownFlag = regexp.MustCompile(`^unknown flag (--?[^\s,]+)(?:, did you mean .*)?$`)
	unexpected  = regexp.MustCompile(`^unexpected argument (.+?)(?:, did you mean (.*)\?)?$`)
	missingFile = regexp.MustCompile(`^expected "<file>(?: \.\.\.)?"`)
	// negative matches kong's message about a negative number, which it takes for a flag;
	// noValue matches its message about a flag without a value.
	negative = regexp.MustCompile(`^(--?[\w-]+): expected .* value but got "(-\d\w*)".*$`)
	noValue  = regexp.MustCompile(`^(--?[\w-]+): (?:expected .* value but got .*|missing value.*)$`)
)

// misused is the error for the command line args, made from the parser's error err.
func misused(parser *kong.Kong, args []string, err error) error {
	said := err.Error()
	command := commandOf(parser, args)
	if m := unknownFlag.FindStringSubmatch(said); m != nil {
		return unknownFlagError(parser, command, args, m[1])
	}
	if m := unexpected.FindStringSubmatch(said); m != nil {
		return extraArgument(parser, command, args, m[1])
	}
	if missingFile.MatchString(said) && command != nil {
		return usagef("%s needs a file, as in loopc %s %s", command.Name, command.Name, exampleFile())
	}
	if m := negative.FindStringSubmatch(said); m != nil {
		flag := m[1]
		if k := slices.Index(args, m[2]); k > 0 && strings.HasPrefix(args[k-1], "-") {
			flag = args[k-1] // the spelling of the user
		}
		if m[1] == "--ranks" || m[1] == "--cpus" || m[1] == "--nodes" {
			return usagef("%s %s: there must be one at least", flag, m[2])
		}
		return usagef("%s: %s is not one of its values", flag, m[2])
	}
	return &usageError{noValue.ReplaceAllString(said, "$1: its value is missing")}
}

// commandOf is the command with which args begins, or nil.
func commandOf(parser *kong.Kong, args []string) *kong.Node {
	for _, node := range parser.Model.Children {
		if len(args) > 0 && node.Name == args[0] {
			return node
		}
	}
	return nil
}

// flagsOf are the flags of a command, with their dashes.
func flagsOf(command *kong.Node) (names []string) {
	for _, group := range command.AllFlags(false) {
		for _, f := range group {
			names = append(names, "--"+f.Name)
			if f.Short != 0 {
				names = append(names, "-"+string(f.Short))
			}
		}
	}
	return names
}

// unknownFlagError says which flag of the command was meant, if any.
func unknownFlagError(parser *kong.Kong, command *kong.Node, args []string, flag string) error {
	if command == nil {
		for k := range args {
			if later := commandOf(parser, args[k:]); later != nil && slices.Contains(flagsOf(later), flag) {
				return usagef("flag %s stands before the command: flags come behind it, as in loopc %s %s", flag, later.Name, flag)
			}
		}
		return usagef("unknown flag %s", flag)
	}
	names := flagsOf(command)
	for _, arg := range args { // for -ranks kong reports -r
		if !strings.HasPrefix(flag, "--") && strings.HasPrefix(arg, flag) && slices.Contains(names, "-"+arg) {
			flag = arg
		}
	}
	meant := flagsElsewhere[flag]
	switch bare := strings.TrimLeft(flag, "-"); {
	case slices.Contains(names, meant):
	case slices.Contains(names, "-"+bare): // --n
		meant = "-" + bare
	case slices.Contains(names, "--"+bare): // -ranks
		meant = "--" + bare
	case len(bare) > 1:
		meant = nearestOrBegun(flag, names)
	default:
		meant = ""
	}
	if meant == "" {
		return usagef("unknown flag %s", flag)
	}
	return usagef("unknown flag %s, did you mean %q?", flag, meant)
}

// commandNames are the names of all commands.
func commandNames(parser *kong.Kong) (names []string) {
	for _, node := range parser.Model.Children {
		names = append(names, node.Name)
	}
	return names
}

// nearestOrBegun is the name that text misspells, or the only name with the prefix text; or
// "".
func nearestOrBegun(text string, names []string) string {
	if near := diag.Nearest(text, names); near != "" {
		return near
	}
	return onlyOne(names, func(name string) bool { return strings.HasPrefix(name, text) })
}

// onlyOne is the only name for which fits holds, or "" if fits holds for none or for several.
func onlyOne(names []string, fits func(string) bool) (one string) {
	for _, name := range names {
		if fits(name) && one != "" {
			return ""
		} else if fits(name) {
			one = name
		}
	}
	return one
}

// extraArgument says what a surplus argument was probably meant to be: a command, or the
// value of the argument before it.
func extraArgument(parser *kong.Kong, command *kong.Node, args []string, argument string) error {
	if command == nil {
		if strings.HasSuffix(argument, extension) {
			return usagef("%s is not a command: run, check, plan and others take a file, as in loopc run %s", argument, argument)
		}
		meant := commandsElsewhere[strings.ToLower(argument)]
		if meant == "" {
			meant = nearestOrBegun(argument, commandNames(parser))
		}
		if meant == "" {
			return usagef("unknown command %s", argument)
		}
		return usagef("unknown command %s, did you mean %q?", argument, meant)
	}
	k := slices.Index(args, argument)
	if k > 1 && isWord(args[k-1]) && (args[k-2] == "-p" || args[k-2] == "--param") {
		return usagef("%s %s %s: the value of a parameter stands behind a =, as in %s %s=%s", args[k-2], args[k-1], argument, args[k-2], args[k-1], argument)
	}
	if _, err := strconv.Atoi(argument); err == nil && k > 0 && args[k-1] == "-np" {
		return usagef("-np %s: the number of ranks is -n %s", argument, argument)
	}
	if len(command.Positional) == 1 && !command.Positional[0].IsSlice() && strings.HasSuffix(argument, extension) {
		return usagef("unexpected argument %s: %s takes one file", argument, command.Name)
	}
	return usagef("unexpected argument %s", argument)
}

// isWord reports whether text is a name.
func isWord(text string) bool {
	return regexp.MustCompile(`^[\pL_][\pL\d_]*$`).MatchString(text)
}

// exampleFile is the name of a .loop file for examples in messages: the only one in this
// folder, else heat.loop.
func exampleFile() string {
	if files, _ := filepath.Glob("*" + extension); len(files) == 1 {
		return files[0]
	}
	return "heat" + extension
}

// fileMeant suggests a .loop file for path, which does not exist: the file in the same
// folder with another extension, or with the nearest name. It is "" if there is none.
func fileMeant(path string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	var stems []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), extension); ok && entry.Name() != filepath.Base(path) {
			stems = append(stems, name)
		}
	}
	near := stem
	if !slices.Contains(stems, stem) {
		near = diag.Nearest(stem, stems)
	}
	if near == "" {
		return ""
	}
	return "; did you mean " + filepath.Join(filepath.Dir(path), near+extension) + "?"
}
