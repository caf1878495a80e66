package codegen

import (
	"bytes"
	"fmt"
	"strings"

	"loopc/codegen/vector"
)

// An initialKernel computes the initial content of rows of an array in vectors.
type initialKernel struct {
	array     int
	shape     *vector.Shape
	functions []vector.Function
	method    bytes.Buffer // text of the Go method that fills the frame and calls the kernel
}

// vectorInits decides which inits have vector kernels, and adds these to the assembly of the loops.
func (g *generator) vectorInits() {
	v := &g.vector
	if v.shape == nil || len(g.initMethods) == 0 {
		return
	}
	for a := range g.n.Arrays {
		if !g.initial(a) || !g.fillsRow(a) {
			continue
		}
		s, _ := vector.AnalyzeInitial(g.n, a)
		if s == nil {
			continue
		}
		if text, functions, _ := s.Assembly(g.typeKernel+exported(g.initMethods[a]), g.n.File); text != nil {
			const header = "#include \"textflag.h\"\n"
			_, body, _ := bytes.Cut(text, []byte(header))
			v.text = append(v.text, body...)
			v.inits = append(v.inits, &initialKernel{array: a, shape: s, functions: functions})
		}
	}
}

// initOf returns the vector kernel of an array's init, or nil.
func (g *generator) initOf(a int) *initialKernel {
	for _, k := range g.vector.inits {
		if k.array == a {
			return k
		}
	}
	return nil
}

// print prints the method that calls the kernel for a row. checks are Go expressions for all cells that the row reads: Go checks their
// bounds when it evaluates them, and the assembly checks none. names are the names of the array's indices.
func (k *initialKernel) print(g *generator, names, params, checks []string, row string) {
	outer := g.buf
	g.buf = bytes.Buffer{}
	a := &g.n.Arrays[k.array]
	g.blank()
	g.linef("// %s computes the initial content of neighboring cells of %s, of which the first is given.", g.initRow(k.array), a.Name)
	g.linef("func (tile *%sVector) %s(%s int, %s []%s) {", g.typeKernel, g.initRow(k.array), strings.Join(params, ", "), row, a.Elem)
	g.loadLaunched()
	for _, text := range checks {
		g.linef("_ = %s", text)
	}
	g.linef("var frame [%d]int", k.shape.Words())
	g.linef("frame[%d], frame[%d] = 1, len(%s)", vector.FrameRows, vector.FrameWidth, row)
	for s, x := range k.shape.Streams {
		if x.Memory == vector.Result {
			g.linef("frame[%d] = kernel.Address(%s, 0)", k.shape.FrameAt(s), row)
			continue
		}
		array := "tile." + g.givenName(x.Array)
		at := position(array, len(x.Subs), len(x.Subs)-1, func(m int) string { return affine(x.Subs[m], names, g.params) })
		g.linef("frame[%d] = kernel.Address(%s, %s)", k.shape.FrameAt(s), array, at)
	}
	for p, use := range k.shape.Params {
		g.linef("frame[%d] = kernel.Bits(tile.%s)", k.shape.FrameParam(p), g.floats[floatUse{use.Param, use.Type}])
	}
	short, long := k.functions[0].Name, k.functions[len(k.functions)-1].Name
	g.linef("if tile.long {\n%s(&frame[0])\n} else {\n%s(&frame[0])\n}", long, short)
	g.linef("}")
	k.method, g.buf = g.buf, outer
}

// inits prints Init and the methods that it calls.
func (w *vectorWriter) inits() {
	if len(w.vector.inits) == 0 {
		return
	}
	w.blank()
	w.linef("// Init implements kernel.Loops.")
	w.linef("func (tile *%s) Init(arr int, cell []int, dim, n int, dst []byte, at, stride int) {", w.typeVector())
	w.linef("if stride == 1 && n >= %d {", leastRow)
	w.linef("switch {")
	for _, k := range w.vector.inits {
		rank := len(w.n.Arrays[k.array].Lo)
		var cell []string
		for m := range rank {
			cell = append(cell, fmt.Sprintf("cell[%d]", m))
		}
		w.linef("case arr == %d && dim == %d:", k.array, rank-1)
		w.linef("tile.%s(%s, array.Cast[%s](dst)[at:][:n])", w.initRow(k.array), strings.Join(cell, ", "), w.n.Arrays[k.array].Elem)
		w.linef("return")
	}
	w.linef("}\n}")
	w.linef("tile.%s.Init(arr, cell, dim, n, dst, at, stride)", w.typeKernel)
	w.linef("}")
	for _, k := range w.vector.inits {
		w.buf.Write(k.method.Bytes())
	}
}
