package cost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"loopc/transform/plan"
)

// machineSchema is the version of the file format of a Machine.
const machineSchema = 1

// readMachine reads and checks the file of a machine. Errors name the file and what is wrong in it.
func readMachine(path string) (*Machine, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := parseMachine(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// FindMachine returns the figures to plan with: those of the file; if file is "", those of the file that $LOOPC_MACHINE names; else those
// of loopc/machine.json in the user's configuration folder, where loopc calibrate writes; else those of DefaultMachine. A file that the
// user named must be valid. If the file in the configuration folder is not, there is a warning.
func FindMachine(file string) (m *Machine, warning string, err error) {
	if file == "" {
		file = os.Getenv("LOOPC_MACHINE")
	}
	if file != "" {
		m, err = readMachine(file)
		return m, "", err
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return DefaultMachine(), "", nil // no home directory
	}
	m, err = readMachine(filepath.Join(folder, "loopc", "machine.json"))
	switch {
	case err == nil:
		return m, "", nil
	case !errors.Is(err, fs.ErrNotExist):
		warning = err.Error() + "; built-in figures are used"
	}
	return DefaultMachine(), warning, nil
}

// parseMachine does what readMachine does, for the content of a file.
func parseMachine(data []byte) (*Machine, error) {
	// The schema first: files of a later schema may have any other content.
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("not the figures of a machine: %w", err)
	}
	switch {
	case head.Schema == nil:
		return nil, errors.New("not the figures of a machine: schema is missing")
	case *head.Schema != machineSchema:
		return nil, fmt.Errorf("schema is %d, this program reads %d; measure again with loopc calibrate", *head.Schema, machineSchema)
	}
	m := &Machine{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("not the figures of a machine: %w", err)
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	return m, nil
}

// FormatMachine checks m and returns the content of its file.
func FormatMachine(m *Machine) ([]byte, error) {
	out := *m
	out.Schema = machineSchema
	if err := out.Check(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(&out, "", "\t")
	return append(text, '\n'), err
}

// mostCost bounds every number of a Machine, so that no sum of times overflows.
const mostCost = 1e18

// Check refuses figures without meaning; errors name the field.
func (m *Machine) Check() error {
	if m.Schema != machineSchema {
		return fmt.Errorf("schema is %d, this program knows %d", m.Schema, machineSchema)
	}
	if m.Cores < 1 || m.Cores > plan.MostWorkers {
		return fmt.Errorf("cores is %d, it must be from 1 to %d", m.Cores, plan.MostWorkers)
	}
	if m.Node < 0 || m.Node > plan.MostWorkers {
		return fmt.Errorf("ranks_per_node is %d, it must be from 0 to %d", m.Node, plan.MostWorkers)
	}
	for k, c := range m.Cache {
		if c < 1 || k > 0 && c <= m.Cache[k-1] {
			return fmt.Errorf("cache[%d] is %d bytes: sizes must be positive and ascend", k, c)
		}
	}
	if err := errors.Join(amount("stream", m.Stream), amount("fresh", m.Fresh)); err != nil {
		return err
	}
	if err := m.Kernel.check("kernel"); err != nil {
		return err
	}
	for _, digest := range sortedKeys(m.Kernels) {
		k := m.Kernels[digest]
		if err := k.check(fmt.Sprintf("kernels[%q]", digest)); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(m.Links) {
		l := m.Links[name]
		if err := l.check(fmt.Sprintf("links[%q]", name)); err != nil {
			return err
		}
	}
	for k := range m.Trials {
		if err := m.Trials[k].check(fmt.Sprintf("trials[%d]", k)); err != nil {
			return err
		}
	}
	return nil
}

// amount refuses numbers that cannot be a time or a rate.
func amount(field string, x float64) error {
	if !(x >= 0 && x <= mostCost) {
		return fmt.Errorf("%s is %g, it must be from 0 to %g", field, x, mostCost)
	}
	return nil
}

func (k *Kernel) check(field string) error {
	err := errors.Join(amount(field+".tile", k.Tile), amount(field+".level", k.Level), amount(field+".row", k.Row), amount(field+".byte", k.Byte),
		amount(field+".lone", k.Lone), amount(field+".check", k.Check), amount(field+".fill", k.Fill), amount(field+".store", k.Store),
		amount(field+".open", k.Open), amount(field+".piece", k.Piece), amount(field+".run", k.Run), amount(field+".mask", k.Mask), amount(field+".scalar", k.Scalar), amount(field+".fresh", k.Fresh), amount(field+".move", k.Move))
	if err != nil {
		return err
	}
	if len(k.Point) == 0 {
		return fmt.Errorf("%s.point is empty: an iteration takes some time", field)
	}
	for i, r := range k.Point {
		if r.Bytes < 0 || i > 0 && r.Bytes <= k.Point[i-1].Bytes {
			return fmt.Errorf("%s.point[%d].bytes is %d: footprints must not be negative and must ascend", field, i, r.Bytes)
		}
		if err := amount(fmt.Sprintf("%s.point[%d].seconds", field, i), r.Seconds); err != nil {
			return err
		}
	}
	if k.Rows < 0 || k.Rows > plan.MostWorkers || k.Lanes < 0 || k.Lanes > plan.MostWorkers {
		return fmt.Errorf("%s.rows and lanes are %d and %d, from 0 to %d", field, k.Rows, k.Lanes, plan.MostWorkers)
	}
	if k.Across < plan.AcrossRows || k.Across > plan.AlongRow {
		return fmt.Errorf("%s.across is %d, from %d to %d", field, k.Across, plan.AcrossRows, plan.AlongRow)
	}
	for i, n := range k.Near {
		if !(math.Abs(n.Weight) <= mostWeight) {
			return fmt.Errorf("%s.near[%d].weight is %g, from -%g to %g", field, i, n.Weight, mostWeight, mostWeight)
		}
	}
	for i, b := range k.Contention {
		if !(b > 0 && b <= plan.MostWorkers) {
			return fmt.Errorf("%s.busy[%d] is %g, a factor above 0", field, i, b)
		}
	}
	return nil
}

// mostWeight bounds the weight of a NearTile.
const mostWeight = 100.0

func (l *Link) check(field string) error {
	err := errors.Join(
		amount(field+".start", l.Start), amount(field+".receive", l.Receive), amount(field+".byte", l.Byte),
		amount(field+".open", l.Open), amount(field+".latency", l.Latency), amount(field+".credit", l.Credit), amount(field+".bandwidth", l.Bandwidth),
		amount(field+".spin", l.Spin), amount(field+".wakeup", l.Wakeup), amount(field+".sync", l.Sync),
	)
	if err != nil {
		return err
	}
	if !(l.Overlap >= 0 && l.Overlap <= 1) {
		return fmt.Errorf("%s.overlap is %g, it must be from 0 to 1", field, l.Overlap)
	}
	if l.Bandwidth > 0 && l.Bandwidth < 1e-3 {
		return fmt.Errorf("%s.bandwidth is %g bytes/s, too little for any run", field, l.Bandwidth)
	}
	return nil
}
