package main

// A verifyCommand compares a nest under many plans with the sequential loops.
type verifyCommand struct {
	File      string   `arg:"" help:"The .loop file."`
	Params    []string `short:"p" name:"param" sep:"none" placeholder:"X=64,Y=64" help:"Values of parameters; small ones that make uneven tiles by default."`
	Plans     string   `placeholder:"N" help:"How many plans to try at most; 60 by default."`
	Seed      string   `placeholder:"N" help:"The seed of the data, and of the choice of plans."`
	Transport string   `placeholder:"${transports}" help:"Try this transport only, by default all that need no library."`
	Provider  string   `placeholder:"NAME" help:"The provider of libfabric for --transport ofi."`
	Kernel    string   `placeholder:"portable|avx2|avx512" help:"Try this kernel only, by default all that the processor has."`
	TLS       bool     `name:"tls" help:"With --transport tcp: try it with TLS only."`
	tilingFlag
	externFlag
	Werror  bool `help:"Treat warnings of the compiler as errors."`
	Verbose bool `short:"v" help:"Print what was decided, to stderr."`
}

// Run runs the program's own verification and passes on its exit status.
func (c *verifyCommand) Run(a *app) error {
	program, err := a.prepare(c.File, c.Params, &c.tilingFlag, c.Extern, c.Transport, c.Werror, c.Verbose)
	if err != nil {
		return err
	}
	args := []string{"--verify"}
	for _, p := range c.Params {
		args = append(args, "-p", p)
	}
	if c.Plans != "" {
		args = append(args, "--plans", c.Plans)
	}
	if c.Seed != "" {
		args = append(args, "--seed", c.Seed)
	}
	if c.Transport != "" {
		args = append(args, "--transport", c.Transport)
	}
	if c.Provider != "" {
		args = append(args, "--provider", c.Provider)
	}
	if c.Kernel != "" {
		args = append(args, "--kernel", c.Kernel)
	}
	if c.TLS {
		args = append(args, "--tls")
	}
	return a.start(program, args, "none")
}
