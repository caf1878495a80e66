package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"loopc/codegen"
	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/transform"
	"loopc/transform/plan"
)

// extension is the extension of the files that loopc reads.
const extension = ".loop"

// A source is a .loop file that has been read.
type source struct {
	path string // as the user typed it
	name string // the last element of path without the extension
	text []byte

	tiling  *transform.Tiling // given by the user; nil: chosen
	externs []string          // Go files with functions that the nest calls
}

// readSource reads the file at path. A path that does not name a .loop file is a
// usageError.
func readSource(path string) (*source, error) {
	base := filepath.Base(path)
	name, ok := strings.CutSuffix(base, extension)
	if !ok {
		return nil, usagef("%q is not the name of a %s file%s", path, extension, fileMeant(path))
	}
	if fault := nameFault(name); fault != "" {
		return nil, usagef("the name of %q %s: it becomes that of a Go package, and can have letters, digits, _, - and .", path, fault)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w%s", err, fileMeant(path))
		}
		return nil, err
	}
	return &source{path: path, name: name, text: text}, nil
}

// tilingFlag is the flag of every command that compiles a nest.
type tilingFlag struct {
	Tiling string `placeholder:"H=1/8,0;1/8,1/8" help:"The tiling matrix H, with rows separated by semicolons. Each row is an integer vector divided by a tile side; the integer vectors must form a unimodular matrix. A row of integers leaves its side to the planner; --tile overrides all sides."`
}

// read is readSource with the tiling of the flag.
func (f *tilingFlag) read(path string) (*source, error) {
	s, err := readSource(path)
	if err != nil || f.Tiling == "" {
		return s, err
	}
	if s.tiling, err = transform.ParseTiling(f.Tiling); err != nil {
		return nil, usagef("--tiling: %v", err)
	}
	return s, nil
}

// A lowered is a compiled file, and everything that is decided before launch. lower and nests have
// an entry for each nest of program; whole has the parameters, arrays and reductions of all nests.
type lowered struct {
	source  *source
	program *ir.Program
	lower   []*ir.Lowered
	nests   []*plan.Nest
	whole   *plan.Nest
}

// single reports whether the file is one nest, and nothing else.
func (l *lowered) single() bool { return l.program.Single() }

// requireOneNest returns an error unless the file is one nest. what is the command or flag that needs a
// single nest; the error names it and says why.
func (l *lowered) requireOneNest(what, why string) error {
	if !l.single() {
		return usagef("%s is for one nest, and %s has several: %s", what, l.source.path, why)
	}
	return nil
}

// lower runs the frontend and the transformations over s. Diagnostics go to stderr. It fails if
// there is an error among them or, with werror, a warning.
func (a *app) lower(s *source, werror bool) (*lowered, error) {
	a.pass = "frontend"
	program, diags := frontend.CompileProgram(s.path, s.text)
	l := &lowered{source: s, program: program}
	if program != nil {
		diags = append(diags, unknownSymbols(s, program.Externs)...)
	}
	if !diag.HasErrors(diags) {
		if s.tiling != nil && !l.single() {
			return nil, usagef("--tiling is for one nest, and %s has several", s.path)
		}
		a.pass = "transform"
		var more []diag.Diagnostic
		l.lower, l.nests, l.whole, more = transform.LowerProgram(program, s.tiling)
		diags = append(diags, more...)
	}
	a.pass = "command"
	return l, a.report(s, diags, werror)
}

// report shows diags that no comment in s silences. It returns exitFailed if there is an error among them, and another error if,
// with werror, there are only warnings.
func (a *app) report(s *source, diags []diag.Diagnostic, werror bool) error {
	diags = diag.Heard(s.text, diags)
	if err := diag.Render(a.stderr, s.path, s.text, diags); err != nil {
		return err
	}
	switch {
	case diag.HasErrors(diags):
		return exitStatus(exitFailed)
	case werror && len(diags) > 0:
		return fmt.Errorf("%s: warnings count as errors", s.path)
	}
	return nil
}

// slow warns of nests without vector kernels, and of nests that would have more vector kernels if they
// were written otherwise. These warnings never count as errors: a nest may have no other form.
func (a *app) slow(l *lowered) error {
	a.pass = "codegen"
	var found []diag.Diagnostic
	for k, n := range l.program.Nests {
		if d := codegen.Slow(n, l.lower[k], l.nests[k]); d != nil {
			found = append(found, d.Reworded(l.program.Words))
		}
	}
	a.pass = "command"
	return a.report(l.source, found, false)
}

// generate returns the Go source of l.
func (a *app) generate(l *lowered, o codegen.Options) []codegen.File {
	a.pass = "codegen"
	text, err := codegen.Generate(l.program, l.lower, l.nests, l.whole, o)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	a.pass = "command"
	return text
}

// generateWarned is generate with the warnings of slow.
func (a *app) generateWarned(l *lowered, o codegen.Options) ([]codegen.File, error) {
	var found []diag.Diagnostic
	o.Warn = func(d diag.Diagnostic) { found = append(found, d) }
	files := a.generate(l, o)
	return files, a.report(l.source, found, false)
}

// decisions prints the decisions about a nest that precede the plan of a run.
func (a *app) decisions(l *lowered) {
	a.pass = "codegen"
	fmt.Fprint(a.stderr, codegen.Decisions(l.program, l.lower, l.nests))
	a.pass = "command"
}

// explain prints the decisions about a nest, and an example of a plan.
func (a *app) explain(l *lowered) {
	a.pass = "codegen"
	fmt.Fprint(a.stderr, codegen.Explain(l.program, l.lower, l.nests))
	a.pass = "command"
}
