// Package npy reads and writes boxes of the arrays in .npy files, the format of
// NumPy: a header that names type, order and shape, and the cells.
//
// It reads files of format 1, 2 or 3 in any byte order, in C or Fortran order, and only the
// requested cells of them. It writes little-endian files in C order; several processes can
// write to one file simultaneously, each its own cells.
//
// References:
//
//	[npy]  The NumPy project. NumPy Reference, numpy.lib.format: Format Version
//	       1.0, 2.0 and 3.0.
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"loopc/runtime/element"
)

const (
	magic          = "\x93NUMPY"
	maxHeaderBytes = 1 << 16 // of the dictionary; NumPy writes about a hundred
	maxDims        = 64
	headerAlign    = 64 // cells in written files begin at a multiple
)

// A Header is the header of a file.
type Header struct {
	Elem      string // the name of a type of package element
	Size      int    // bytes of a cell
	BigEndian bool
	Fortran   bool // the first index runs fastest, not the last
	Shape     []int
	Start     int64 // offset of the first cell in the file, in bytes
}

// Cells is the number of cells of the array.
func (h *Header) Cells() int64 {
	n := int64(1)
	for _, e := range h.Shape {
		n *= int64(e)
	}
	return n
}

// elemOf returns the type of cells that a descr names without its byte order, nil for one
// that is not supported.
func elemOf(descr string) *element.Type {
	all := element.All()
	if t := alike[descr]; t != nil {
		return t
	}
	if k := slices.IndexFunc(all, func(t *element.Type) bool { return t.NumPy() == descr }); k >= 0 {
		return all[k]
	}
	return nil
}

// descrs lists what descrs name of NumPy's types.
func descrs() string {
	var all []string
	for _, t := range element.All() {
		all = append(all, t.NumPy())
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// ReadHeader reads the header of a file from its beginning. It guarantees that the size of
// the array in bytes fits an int64.
func ReadHeader(r io.Reader) (*Header, error) {
	var prefix [12]byte
	n, err := io.ReadFull(r, prefix[:10])
	if short := min(n, len(magic)); string(prefix[:short]) != magic[:short] || n == 0 && err == io.EOF {
		return nil, errors.New("not a .npy file, as numpy.save writes it")
	}
	if err != nil {
		return nil, errShort(err)
	}
	begin := 10
	length := int(binary.LittleEndian.Uint16(prefix[8:]))
	switch major := prefix[6]; major {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, prefix[10:]); err != nil {
			return nil, errShort(err)
		}
		begin = 12
		long := binary.LittleEndian.Uint32(prefix[8:])
		if long > maxHeaderBytes {
			return nil, fmt.Errorf("header of %d bytes is too long", long)
		}
		length = int(long)
	default:
		return nil, fmt.Errorf("version %d.%d of the .npy format is unknown", major, prefix[7])
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, errShort(err)
	}
	h, err := parseDict(string(text))
	var unsupported unsupportedError
	switch {
	case errors.As(err, &unsupported):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("malformed header: %w", err)
	}
	h.Start = int64(begin + length)
	return h, nil
}

// errShort returns err, or a better error if the file ends inside its header.
func errShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the file ends within its header")
	}
	return err
}

// parseDict reads the dictionary of a header, a Python literal with the keys
// descr, fortran_order and shape.
func parseDict(text string) (*Header, error) {
	p := &parser{rest: text}
	h := &Header{}
	seen := map[string]bool{}
	p.want("{")
	for p.err == nil && !p.take("}") {
		key := p.quoted()
		p.want(":")
		if seen[key] {
			p.failf("key %q comes twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			p.descr(h)
		case "fortran_order":
			h.Fortran = p.boolean()
		case "shape":
			h.Shape = p.tuple()
		default:
			p.failf("unknown key %q", key)
		}
		if !p.take(",") {
			p.want("}")
			break
		}
	}
	p.space()
	if p.err == nil && p.rest != "" {
		p.failf("text after the dictionary: %q", clip(p.rest))
	}
	if p.err == nil && len(seen) < 3 {
		p.failf("descr, fortran_order and shape must all be there")
	}
	if p.err != nil {
		return nil, p.err
	}
	bytes := int64(h.Size)
	for _, e := range h.Shape {
		if e > 0 && bytes > math.MaxInt64/2/int64(e) {
			return nil, fmt.Errorf("an array of shape %s is too large", Shape(h.Shape))
		}
		bytes *= int64(e)
	}
	return h, nil
}

// A parser reads a Python literal from left to right and keeps its first error.
type parser struct {
	rest string
	err  error
}

func (p *parser) failf(format string, args ...any) { p.fail(fmt.Errorf(format, args...)) }

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// An unsupportedError is a well-formed header with a property that this package does not
// support.
type unsupportedError string

func (e unsupportedError) Error() string { return string(e) }

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// take skips token if it comes next, and reports whether it did.
func (p *parser) take(token string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) want(token string) {
	if !p.take(token) {
		p.failf("expected %q at %q", token, clip(p.rest))
	}
}

// quoted reads a string. Escapes are not supported: no valid header has any.
func (p *parser) quoted() string {
	for _, mark := range []string{"'", `"`} {
		if !p.take(mark) {
			continue
		}
		text, rest, ok := strings.Cut(p.rest, mark)
		if !ok || strings.ContainsAny(text, "\\\n") {
			break
		}
		p.rest = rest
		return text
	}
	p.failf("expected a string at %q", clip(p.rest))
	return ""
}

func (p *parser) boolean() bool {
	if p.take("True") {
		return true
	}
	if !p.take("False") {
		p.failf("expected True or False at %q", clip(p.rest))
	}
	return false
}

// descr reads the type of the cells, "<f8" for example.
func (p *parser) descr(h *Header) {
	p.space()
	if strings.HasPrefix(p.rest, "[") {
		p.failf("cells with fields are not supported")
		return
	}
	text := p.quoted()
	if p.err != nil {
		return
	}
	var elem *element.Type
	if len(text) > 1 {
		elem = elemOf(text[1:])
	}
	if elem == nil || !strings.ContainsAny(text[:1], "<>=|") || text[0] == '|' && elem.Size > 1 {
		p.fail(unsupportedError(fmt.Sprintf("cells of type %q are not supported: those of NumPy's %s, and bool and S1, are; save %s of the array", clip(text), descrs(), instead(text))))
		return
	}
	h.Elem, h.Size = elem.Name, elem.Size
	h.BigEndian = text[0] == '>' || text[0] == '=' && nativeBig
}

// instead is what to save of an array whose cells have an unsupported type.
func instead(descr string) string {
	descr = strings.TrimLeft(descr, "<>=|")
	switch descr {
	case "f2":
		return `.astype("float32")`
	case "U1": // characters
		return `.astype("S1")`
	case "c8", "c16", "c32":
		return ".real, and .imag for another array,"
	}
	switch strings.TrimRight(descr, "0123456789") {
	case "f", "O":
		return `.astype("float64")`
	case "u", "i":
		return `.astype("int64")`
	}
	return ".astype(...)"
}

// tuple reads a tuple of sizes.
func (p *parser) tuple() []int {
	p.want("(")
	shape := []int{}
	for p.err == nil && !p.take(")") {
		shape = append(shape, p.size())
		if len(shape) > maxDims {
			p.failf("more than %d dimensions", maxDims)
		}
		if !p.take(",") {
			// (3) is a number, not a tuple.
			if len(shape) == 1 {
				p.failf("shape is not a tuple")
			}
			p.want(")")
			break
		}
	}
	return shape
}

// size reads a nonnegative number. Python 2 wrote an L after long numbers.
func (p *parser) size() int {
	p.space()
	n := 0
	for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(p.rest[:n], 10, strconv.IntSize)
	if err != nil {
		p.failf("expected a size at %q", clip(p.rest))
		return 0
	}
	p.rest = strings.TrimPrefix(p.rest[n:], "L")
	return int(v)
}

// clip shortens text that is quoted in an error.
func clip(text string) string {
	if len(text) > 40 {
		return text[:40]
	}
	return text
}

// Shape returns the text of a shape as Python does: "(3, 4)", "(5,)", "()".
func Shape(shape []int) string {
	var b strings.Builder
	b.WriteByte('(')
	for k, e := range shape {
		if k > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, e)
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return b.String()
}

// appendHeader returns the header of a new file: format 1, little-endian, C order, padded
// so that the cells begin at a multiple of align bytes.
func appendHeader(elem string, shape []int, align int) ([]byte, error) {
	t := element.Named(elem)
	if t == nil {
		return nil, fmt.Errorf("no such cell type: %s", elem)
	}
	order := "<"
	if t.Size == 1 {
		order = "|"
	}
	dict := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }", order, t.NumPy(), Shape(shape))
	total := (10 + len(dict) + 1 + align - 1) / align * align
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(total-10))
	b = append(b, dict...)
	for len(b) < total-1 {
		b = append(b, ' ')
	}
	return append(b, '\n'), nil
}
