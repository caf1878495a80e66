package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A completionCommand prints a script that completes command lines in a shell.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

// Help tells how to install what the command prints.
func (completionCommand) Help() string {
	return `Bash: put this line into ~/.bashrc

    source <(loopc completion bash)

Zsh: write it to _loopc in a folder of $fpath, before compinit runs in ~/.zshrc

    loopc completion zsh > ~/.zfunc/_loopc

Fish:

    loopc completion fish > ~/.config/fish/completions/loopc.fish`
}

// Run prints the script of the shell.
func (c *completionCommand) Run(a *app, parser *kong.Kong) error {
	words := wordsOf(parser.Model.Node)
	var text strings.Builder
	map[string]func(io.Writer, []commandWords){
		"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion,
	}[c.Shell](&text, words)
	_, err := io.WriteString(a.stdout, text.String())
	return err
}

// commandWords is what may follow the name of one command.
type commandWords struct {
	name, help string
	flags      []flagWords
	words      []string // possible arguments; nil: names of files
}

// flagWords is one flag of a command.
type flagWords struct {
	name   string // without its dashes
	short  string // one letter, or ""
	help   string
	value  bool     // whether a value follows
	values []string // possible values; nil: any, or a file
}

// wordsOf reads the commands and flags off the model of the command line, so that
// completion needs no list of its own.
func wordsOf(root *kong.Node) []commandWords {
	var all []commandWords
	var names []string
	for _, n := range root.Children {
		if !n.Hidden {
			names = append(names, n.Name)
		}
	}
	for _, n := range root.Children {
		if n.Hidden {
			continue
		}
		c := commandWords{name: n.Name, help: firstSentence(n.Help)}
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				c.flags = append(c.flags, wordsOfFlag(f)...)
			}
		}
		for _, arg := range n.Positional {
			c.words = append(c.words, enum(arg)...)
		}
		if n.Name == "help" {
			c.words = slices.Concat(slices.Sorted(maps.Keys(references)), names)
			for _, r := range references {
				c.words = append(c.words, r.titles()...)
			}
			slices.Sort(c.words[len(references)+len(names):])
		}
		all = append(all, c)
	}
	return all
}

// enum returns the values that v may have, nil if any value is possible.
func enum(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

// alternatives matches a placeholder that lists all values. Flags that are passed on to
// emitted programs list their values this way and not as kong's enum, because the program
// checks them.
var alternatives = regexp.MustCompile(`^[a-z0-9]+(\|[a-z0-9]+)+$`)

// wordsOfFlag returns the flag, and its opposite if it has one.
func wordsOfFlag(f *kong.Flag) []flagWords {
	w := flagWords{name: f.Name, help: firstSentence(f.Help), value: !f.IsBool() && !f.IsCounter()}
	if f.Short != 0 {
		w.short = string(f.Short)
	}
	w.values = enum(f.Value)
	if alternatives.MatchString(f.PlaceHolder) {
		w.values = strings.Split(f.PlaceHolder, "|")
	}
	if f.Tag != nil && f.Tag.Negatable != "" {
		return []flagWords{w, {name: "no-" + f.Name, help: "Not so: " + w.help}}
	}
	return []flagWords{w}
}

// firstSentence returns help up to its first full stop, colon, semicolon or parenthesis, without
// characters that the shells would interpret.
func firstSentence(help string) string {
	help, _, _ = strings.Cut(help, "\n")
	for _, end := range []string{". ", ": ", "; ", " ("} {
		help, _, _ = strings.Cut(help, end)
	}
	return strings.TrimSuffix(strings.NewReplacer("'", "", "`", "", "[", "(", "]", ")", `"`, "", `\`, "", "$", "").Replace(help), ".")
}

// longs returns the flags of c with their dashes.
func (c commandWords) longs() []string {
	var longs []string
	for _, f := range c.flags {
		longs = append(longs, "--"+f.name)
	}
	return longs
}

// bashCompletion writes the script for bash: a function of the command, the flag before the
// cursor and the word so far.
func bashCompletion(w io.Writer, commands []commandWords) {
	names := make([]string, len(commands))
	for k, c := range commands {
		names[k] = c.name
	}
	fmt.Fprintf(w, `# bash completion for loopc; made by: loopc completion bash
_loopc() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
	local flags= values= words=
	COMPREPLY=()
	if [[ $COMP_CWORD -eq 1 ]]; then
		COMPREPLY=($(compgen -W '%s --help' -- "$word"))
		return
	fi
	case $command in
`, strings.Join(names, " "))
	for _, c := range commands {
		fmt.Fprintf(w, "\t%s)\n\t\tflags='%s' words='%s'\n", c.name, strings.Join(c.longs(), " "), strings.Join(c.words, " "))
		if slices.ContainsFunc(c.flags, func(f flagWords) bool { return f.value }) {
			fmt.Fprint(w, "\t\tcase $before in\n")
			for _, f := range c.flags {
				if !f.value {
					continue
				}
				pattern, values := "--"+f.name, strings.Join(f.values, " ")
				if f.short != "" {
					pattern += "|-" + f.short
				}
				if values == "" {
					values = "*" // any
				}
				fmt.Fprintf(w, "\t\t%s) values='%s' ;;\n", pattern, values)
			}
			fmt.Fprint(w, "\t\tesac\n")
		}
		fmt.Fprint(w, "\t\t;;\n")
	}
	fmt.Fprint(w, `	esac
	if [[ $values == '*' ]]; then
		COMPREPLY=($(compgen -f -- "$word"))
	elif [[ -n $values ]]; then
		COMPREPLY=($(compgen -W "$values" -- "$word"))
	elif [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$flags" -- "$word"))
	elif [[ -n $words ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$word"))
	else
		COMPREPLY=($(compgen -f -X '!*.loop' -- "$word") $(compgen -d -- "$word"))
	fi
}
complete -o filenames -F _loopc loopc
`)
}

// zshCompletion writes the script for zsh, with a description for each word.
func zshCompletion(w io.Writer, commands []commandWords) {
	fmt.Fprint(w, "#compdef loopc\n# zsh completion for loopc; made by: loopc completion zsh\n_loopc() {\n\tlocal -a commands=(\n")
	for _, c := range commands {
		fmt.Fprintf(w, "\t\t'%s:%s'\n", c.name, strings.ReplaceAll(c.help, ":", " -"))
	}
	fmt.Fprint(w, "\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"+
		"\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n")
	for _, c := range commands {
		fmt.Fprintf(w, "\t%s)\n\t\t_arguments", c.name)
		for _, f := range c.flags {
			value := ""
			switch {
			case f.values != nil:
				value = fmt.Sprintf(":value:(%s)", strings.Join(f.values, " "))
			case f.value:
				value = ":value:_files"
			}
			help := strings.ReplaceAll(f.help, ":", " -")
			fmt.Fprintf(w, " \\\n\t\t\t'--%s[%s]%s'", f.name, help, value)
			if f.short != "" {
				fmt.Fprintf(w, " \\\n\t\t\t'-%s[%s]%s'", f.short, help, value)
			}
		}
		if c.words != nil {
			fmt.Fprintf(w, " \\\n\t\t\t'*:word:(%s)'\n\t\t;;\n", strings.Join(c.words, " "))
		} else {
			fmt.Fprint(w, " \\\n\t\t\t'*:file:_files -g \"*.loop\"'\n\t\t;;\n")
		}
	}
	fmt.Fprint(w, "\tesac\n}\nif [[ $funcstack[1] == _loopc ]]; then\n\t_loopc \"$@\"\nelse\n\tcompdef _loopc loopc\nfi\n")
}

// fishCompletion writes the script for fish, a line per command and flag.
func fishCompletion(w io.Writer, commands []commandWords) {
	fmt.Fprint(w, "# fish completion for loopc; made by: loopc completion fish\ncomplete -c loopc -f\n")
	for _, c := range commands {
		fmt.Fprintf(w, "complete -c loopc -n __fish_use_subcommand -a %s -d '%s'\n", c.name, c.help)
	}
	for _, c := range commands {
		in := fmt.Sprintf("complete -c loopc -n '__fish_seen_subcommand_from %s'", c.name)
		for _, f := range c.flags {
			fmt.Fprintf(w, "%s -l %s", in, f.name)
			if f.short != "" {
				fmt.Fprintf(w, " -s %s", f.short)
			}
			switch {
			case f.values != nil:
				fmt.Fprintf(w, " -x -a '%s'", strings.Join(f.values, " "))
			case f.value:
				fmt.Fprint(w, " -r -F")
			}
			fmt.Fprintf(w, " -d '%s'\n", f.help)
		}
		if c.words != nil {
			fmt.Fprintf(w, "%s -a '%s'\n", in, strings.Join(c.words, " "))
		} else {
			fmt.Fprintf(w, "%s -a '(for f in (commandline -ct)*.loop (commandline -ct)*/; echo $f; end)'\n", in)
		}
	}
}
