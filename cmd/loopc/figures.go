package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"loopc/cmd/loopc/figure"
	"loopc/ir/diag"
	"loopc/runtime/files"
)

// figureFlags ask for figures of the papers.
type figureFlags struct {
	Figure  string `xor:"figures" placeholder:"NAME" help:"Regenerate a figure of the papers that loopc builds on: P1.13, P1.14, P2.6, P2.8, P2.9, P3.2 to P3.7. Its data go to standard output, unless --csv or --plot says where."`
	Figures string `xor:"figures" placeholder:"FOLDER" help:"Regenerate all of them: NAME.csv and NAME.svg, and a page README.md that shows and judges them."`
	CSV     string `name:"csv" placeholder:"FILE" help:"Write a table instead: a line of names and a line with the values of the run, or the data of --figure; - is standard output."`
	Plot    string `placeholder:"FILE" help:"Draw --figure, as .svg or .png."`
}

// wanted reports whether the user asked for a figure.
func (f *figureFlags) wanted() bool { return f.Figure != "" || f.Figures != "" }

// checkFigures refuses unknown figures, and files with unknown extensions.
func (f *figureFlags) checkFigures() error {
	switch ext := strings.ToLower(filepath.Ext(f.Plot)); {
	case f.Figures != "" && (f.CSV != "" || f.Plot != ""):
		return usagef("--figures writes a table and a drawing of each figure; --csv and --plot go with --figure")
	case f.Plot != "" && ext != ".svg" && ext != ".png":
		return usagef("--plot %s: the name must end in .svg or .png", f.Plot)
	case f.Figure != "" && !figure.Known(f.Figure):
		names := figure.Names()
		suggestion := ""
		if near := diag.Nearest(strings.ToUpper(f.Figure), names); near != "" {
			suggestion = "did you mean " + near + "? "
		}
		return usagef("no such figure: %s; %sthere are %s", f.Figure, suggestion, strings.Join(names, ", "))
	}
	return nil
}

// figures regenerates the figures that the user asked for.
func (f *figureFlags) figures(a *app) error {
	if err := f.checkFigures(); err != nil {
		return err
	}
	a.pass = "figures"
	if f.Figures != "" {
		return writeFigures(a, f.Figures)
	}
	// Fail before the work is done if a file cannot be written.
	for _, path := range []string{f.CSV, f.Plot} {
		if path == "" || path == "-" {
			continue
		}
		if err := files.CheckWritable(path); err != nil {
			return err
		}
	}
	fig, err := figure.Build(f.Figure)
	if err != nil {
		return err
	}
	if f.Plot != "" {
		draw := fig.SVG
		if strings.EqualFold(filepath.Ext(f.Plot), ".png") {
			draw = fig.PNG
		}
		drawing, err := draw()
		if err != nil {
			return err
		}
		if err := writeFile(f.Plot, drawing); err != nil {
			return err
		}
	}
	switch {
	case f.CSV != "":
		return a.write(f.CSV, fig.CSV())
	case f.Plot == "":
		return a.write("-", fig.CSV())
	}
	return nil
}

// write writes content to the file at path; "-" is standard output.
func (a *app) write(path string, content []byte) error {
	if path == "-" {
		_, err := a.stdout.Write(content)
		return err
	}
	return writeFile(path, content)
}

// writeFigures writes tables, drawings and page of all figures into a folder,
// which it makes.
func writeFigures(a *app, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := files.CheckWritable(filepath.Join(folder, "README.md")); err != nil {
		return err
	}
	var all []*figure.Figure
	for _, name := range figure.Names() {
		fig, err := figure.Build(name)
		if err != nil {
			return err
		}
		drawing, err := fig.SVG()
		if err != nil {
			return err
		}
		path := filepath.Join(folder, name)
		if err := errors.Join(writeFile(path+".csv", fig.CSV()), writeFile(path+".svg", drawing)); err != nil {
			return err
		}
		all = append(all, fig)
	}
	page, err := figure.Page(all)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(folder, "README.md"), page); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%d figures and README.md are in %s\n", len(all), folder)
	return err
}
