package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"loopc/transform/plan"
)

// usage prints the flags of the program.
func usage(w io.Writer, nest *plan.Nest) {
	fmt.Fprintf(w, "%s runs a tiled loop nest. Flags take one dash or two.\n\n", nest.Name)
	if len(nest.Params)+len(nest.Floats) > 0 {
		fmt.Fprintln(w, "Parameters:")
		for _, name := range nest.Params {
			if v, ok := nest.Defaults[name]; ok {
				fmt.Fprintf(w, "  %s (%d)\n", name, v)
			} else {
				fmt.Fprintf(w, "  %s\n", name)
			}
		}
		for _, name := range nest.Floats {
			if v, ok := nest.FloatDefaults[name]; ok {
				fmt.Fprintf(w, "  %s float64 (%v)\n", name, v)
			} else {
				fmt.Fprintf(w, "  %s float64\n", name)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "Arrays:")
	for k := range nest.Arrays {
		a := &nest.Arrays[k]
		var roles []string
		if isGiven(a) {
			roles = append(roles, "--in")
		}
		if a.Returned() {
			roles = append(roles, "--out")
		}
		if len(roles) > 0 {
			fmt.Fprintf(w, "  %s %s, %s (%s)\n", a.Name, a.Elem, plural(len(a.Lo), "dimension"), strings.Join(roles, ", "))
		}
	}
	for _, r := range nest.Reduces {
		fmt.Fprintf(w, "  %s %s, %s of all iterations (--out)\n", r.Name, r.Elem, r.Op)
	}
	fmt.Fprintln(w, "\nFlags (defaults in parentheses):")
	for _, f := range examples(nest) {
		describe(w, f[0], f[1])
	}
	describe(w, "--map LOOP", "the loop along which the tiles of a worker lie")
	describe(w, "--group "+oneOf(plan.Group(plan.Any).All()), "how the tiles of a step are given to the CPUs of a rank")
	describe(w, "--sub N", "sub-tiles of a tile, with vertical grouping")
	describe(w, "--epoch LEVELS", "cut the run into epochs of this many values of the outermost loop (a run is cut to fit the memory, to write checkpoints, or if it is very long)")
	describe(w, "--assign "+oneOf(plan.Assign(plan.Any).All()), "how columns of tiles are given to the ranks")
	describe(w, "--comm "+oneOf(plan.Comm(plan.Any).All()), "whether messages travel while tiles are computed")
	describe(w, "--shape "+oneOf(plan.Shape(plan.Any).All()), "the criterion by which the grid of ranks is chosen (model)")
	describe(w, "--machine FILE", "what computation and messages cost, as loopc calibrate measured it; what is open above is chosen by it")
	describe(w, "--transport "+oneOf(transportNames()), transportUsage())
	fmt.Fprint(w, `  --patience 30s             how long a silent rank is waited for (5s); an outage of the
                             network of half that time does no harm
  --tls                      encrypt what ranks send over TCP, each with a certificate
                             made up for the run, or with --tls-cert, --tls-key, --tls-ca
  --mac auto|on|off          whether what they send carries MACs (auto: between hosts)
  --listen ADDRESS           where ranks and launcher accept connections (127.0.0.1)
  --hosts FILE               hosts to start the ranks on, by ssh: a line for each,
                             host[:port] [slots=n]; ranks are as many as slots
  --slurm                    start the ranks by srun, in the current allocation or a
                             new one; --slurm-script FILE writes a script for sbatch
                             instead; --slurm-option partition=short, and the like
  --k8s FILE --k8s-image IMAGE [--k8s-claim VOLUME]
                             write the manifest of an Indexed Job of Kubernetes
  --job NAME                 of the job (loopc- and the name of the program)
  --kernel portable|avx2|avx512
                             what computes, in tiles or entire arrays (the fastest that the
                             processor has, or the loops in Go if these take less time)
  --checkpoint FOLDER        keep the state of the run in this folder now and then, so that
  --checkpoint-every 10m|N   a lost run has at most so much time, or N values of the outermost
                             loop, to compute again (10m); of several nests, N repetitions
                             of the outermost repeats
                             SIGUSR1 asks for one now; SIGTERM, and a terminal that hangs
                             up, for a last one: then the exit status is 4
  --resume FOLDER            begin with the newest state in this folder: on any number of
                             ranks and CPUs, with the same results; it has the parameters
                             and changed arrays, so -p and --in may be left out; a greater
                             end of the outermost loop, as in -p T=2000, makes it longer
  --snapshot ARRAY=frames/u-%06d.npy --every N
                             after each N values of the outermost loop, or repetitions of
                             the outermost repeats, write what the array has then; the
                             number in the name is that of those done
  --restarts N               if a rank is lost, start all again from the last checkpoint,
                             N times at most
  --check                    compare the results with the sequential loops
  --plan                     print the plan and do not run
  --verbose                  print the plan, on standard error, and run it
  --summary FILE             summary in JSON; - is standard output
  --metrics PORT|ADDRESS:PORT
                             what the ranks have done so far, for Prometheus (at 127.0.0.1)
  --log text|json            log of launcher and ranks on standard error
  --trace FILE               what each CPU and message did when, for ui.perfetto.dev
  --progress auto|json|lines|none
  --verify [--plans 60] [--seed N]
                             run many plans and compare each with the sequential loops

Results get their names when all are complete: until then they are .NAME.*.tmp. A run
that is killed while several get theirs leaves what they have replaced in .NAME.*.old.
`)
}

// oneOf lists the choices of a flag, as in retile|cluster.
func oneOf[C any](choices []C) string {
	var words []string
	for _, c := range choices {
		words = append(words, fmt.Sprint(c))
	}
	return strings.Join(words, "|")
}

// examples are flags that depend on the nest, as the user could give them, with descriptions.
func examples(nest *plan.Nest) [][2]string {
	var all [][2]string
	add := func(example, what string) { all = append(all, [2]string{example, what}) }
	var params []string
	for _, name := range nest.Params[:min(2, len(nest.Params))] {
		value := 64
		if v, ok := nest.Defaults[name]; ok {
			value = v
		}
		params = append(params, fmt.Sprintf("%s=%d", name, value))
	}
	for _, name := range nest.Floats[:min(1, len(nest.Floats))] {
		value := 0.5
		if v, ok := nest.FloatDefaults[name]; ok {
			value = v
		}
		params = append(params, fmt.Sprintf("%s=%v", name, value))
	}
	if len(params) > 0 {
		add("-p "+strings.Join(params, ","), "parameters")
	}
	if k := slices.IndexFunc(nest.Arrays, func(a plan.Array) bool { return isGiven(&a) }); k >= 0 {
		add("--in "+nest.Arrays[k].Name+"=file.npy", "files of given arrays")
	}
	if name := firstResult(nest); name != "" {
		add("--out "+name+"=file.npy", "files for results")
	}
	add("--random SEED", "pseudo-random content for given arrays without a file")
	add("-n RANKS", "ranks (1)")
	loops := len(nest.Dims)
	if nest.Levelled {
		loops--
	}
	if loops == 0 {
		loops = 3 // of several nests, which may differ
	}
	add("--cpus N | "+sides(loops, "2", "1"), "CPUs of a rank, or a mesh of them (those available)")
	add("--tile "+sides(loops, "32", "256"), "sides of a tile in iterations; 0 or - leaves one open; none: the loops run as they are written, if they can")
	add("--first "+sides(loops, "0", "64"), "those of the first tile, when CPUs take tiles cyclically (chosen)")
	add("--grid "+sides(loops, "4", "1"), "ranks per loop")
	return all
}

// firstResult is the name of a returned array or of a reduction; "" if there is none.
func firstResult(nest *plan.Nest) string {
	for k := range nest.Arrays {
		if nest.Arrays[k].Returned() {
			return nest.Arrays[k].Name
		}
	}
	if len(nest.Reduces) > 0 {
		return nest.Reduces[0].Name
	}
	return ""
}

// sides joins a number for each loop, where the last one may differ.
func sides(loops int, each, last string) string {
	if loops == 1 {
		return last
	}
	return strings.Repeat(each+"x", loops-1) + last
}

// flagWidth is the width of the column of flags, before their descriptions, and usageWidth that
// of both.
const flagWidth, usageWidth = 29, 88

// describe prints a flag and its description, on separate lines if the flag is long.
func describe(w io.Writer, flag, what string) {
	flag = "  " + flag
	if utf8.RuneCountInString(flag) >= flagWidth {
		fmt.Fprintln(w, flag)
		flag = ""
	}
	for len(what) > usageWidth-flagWidth {
		cut := strings.LastIndexByte(what[:usageWidth-flagWidth+1], ' ')
		fmt.Fprintf(w, "%-*s%s\n", flagWidth, flag, what[:cut])
		flag, what = "", what[cut+1:]
	}
	fmt.Fprintf(w, "%-*s%s\n", flagWidth, flag, what)
}
