package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"loopc/runtime/sched"
)

// seconds formats a time with three significant digits.
func seconds(s float64) string {
	return (time.Duration(s*1e9) * time.Nanosecond).Round(round(s)).String()
}

func round(s float64) time.Duration {
	switch {
	case s < 1e-3:
		return time.Microsecond / 10
	case s < 1:
		return time.Millisecond / 10
	}
	return 10 * time.Millisecond
}

// writeSummary writes sum as JSON to the place that the command line names.
func (c *command) writeSummary(sum sched.Summary) error {
	if c.settings.summary == "" {
		return nil
	}
	text, err := json.MarshalIndent(sum, "", "\t")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if c.settings.summary == pipe {
		_, err = c.pipe.Write(text)
	} else {
		err = os.WriteFile(c.settings.summary, text, 0o666)
	}
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	return nil
}

// writeLine writes the reductions, and the last line of a run.
func (c *command) writeLine(sum sched.Summary) error {
	for k := range sum.Reductions {
		r := &sum.Reductions[k]
		if _, err := fmt.Fprintf(c.stdout, "%s = %s\n", r.Name, r); err != nil {
			return err
		}
	}
	if err := c.writeRepeats(sum); err != nil {
		return err
	}
	c.writeNests(&sum)
	_, err := fmt.Fprintf(c.stdout, "%s: %d points in %.3g s, %.3g GPts/s on %s x %s (%s, %s, %s)\n",
		c.prog.Nest.Name, sum.Points, sum.Seconds, sum.GPts,
		plural(c.ranks(), "rank"), plural(c.cpus(), "CPU"), c.how(&sum), c.plans[0].Comm, plural(sum.Steps, "step"))
	return err
}

// writeNests says of each of several nests how often it ran, by which kernel, and how long, if the user wants details.
func (c *command) writeNests(sum *sched.Summary) {
	if !c.settings.verbose {
		return
	}
	for k, name := range sum.NestKernels {
		took := ""
		if k < len(sum.NestSeconds) {
			took = " in " + seconds(sum.NestSeconds[k])
		}
		kernel := ", kernel " + cmp.Or(name, "none")
		if sum.Runs[k] == 0 {
			kernel = ""
		}
		fmt.Fprintf(c.stderr, "%s: %s%s%s%s\n", c.prog.Nest.Name, c.prog.Label(k), plural(sum.Runs[k], "run"), took, kernel)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
