package sched

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
)

// A Panic is a panic in a function of the user's that a nest calls, or in the code of a Coupling. It unwraps to the value of the panic, if that is an error.
type Panic struct {
	Func  string // with its package, and the place of the panic
	Value any
	Stack []byte
}

// Error names the function and the place, without the stack.
func (p *Panic) Error() string { return fmt.Sprintf("%s panicked: %v", p.Func, p.Value) }

// Unwrap returns the value of the panic, or nil.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// failed makes an error of a recovered panic: a *Panic if a function of the user's has panicked, which the emitted code of prog has
// called; otherwise a *Bug. The function that recovers calls it, or calls the one that does.
func failed(prog *Program, rank, tile int, what any) error {
	if name := prog.userFrame(); name != "" {
		return &Panic{Func: name, Value: what, Stack: debug.Stack()}
	}
	return newBug(rank, tile, what)
}

// guardedCall calls the code of the caller, and makes an error of its panic: nobody can recover that in a goroutine of the run.
func (c *coupler) guardedCall(b *Between) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = &Panic{Func: "code between levels", Value: caught, Stack: debug.Stack()}
		}
	}()
	return c.Call(b)
}

// userFrame returns the function of the user's that the emitted code has called on the way to the present panic, and where that was; ""
// if the panic is in emitted code or in the runtime. The emitted code is in one file, that of Sequential.
func (p *Program) userFrame() string {
	if p == nil || p.Parts()[0].Sequential == nil {
		return ""
	}
	first := runtime.FuncForPC(reflect.ValueOf(p.Parts()[0].Sequential).Pointer())
	emitted, _ := first.FileLine(first.Entry())
	own := path.Dir(reflect.TypeFor[Panic]().PkgPath()) + "/" // of the packages of the runtime
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	panicked, called, place := false, "", ""
	for {
		f, more := frames.Next()
		switch {
		case !panicked: // the deferred functions
			panicked = f.Function == "runtime.gopanic"
		case f.Function == own+"arith.Catch": // it has panicked again, with what it does not catch
			panicked, called, place = false, "", ""
		case f.File == emitted:
			return called + place
		case strings.HasPrefix(f.Function, own):
			return ""
		case !strings.HasPrefix(f.Function, "runtime."):
			called = f.Function
			if place == "" {
				place = fmt.Sprintf(" (%s:%d)", path.Base(f.File), f.Line)
			}
		}
		if !more {
			return ""
		}
	}
}

// newBug makes a Bug of a recovered panic. The function that recovers calls it.
func newBug(rank, tile int, what any) *Bug {
	return &Bug{Rank: rank, Tile: tile, What: strings.TrimPrefix(fmt.Sprint(what), "BUG: "), Stack: debug.Stack()}
}

// A Bug is a failure that no input excuses: an error in this project.
type Bug struct {
	Rank  int // -1 outside the ranks' parts
	Tile  int // along the mapping dimension; -1 before the first
	What  string
	Stack []byte
}

// Error begins with "BUG:" and says where the failure occurred, without the stack.
func (b *Bug) Error() string {
	if b.Rank < 0 {
		return "BUG: " + b.What
	}
	if b.Tile < 0 {
		return fmt.Sprintf("BUG: rank %d: %s", b.Rank, b.What)
	}
	return fmt.Sprintf("BUG: rank %d: tile %d: %s", b.Rank, b.Tile, b.What)
}
