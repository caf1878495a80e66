package asmtest

import "fmt"

func init() {
	for name, f := range map[string]form{
		"VMOVUPS": move(4), "VMOVUPD": move(8), "VMOVDQU8": move(1), "VMOVDQU16": move(2),
		"VMOVAPS": atAligned(move(4)), "VMOVNTPS": atAligned(move(4)),
		"VMASKMOVPS": maskedMove(4), "VMASKMOVPD": maskedMove(8),
		// The low bytes of a vector. The others become zeros.
		"VMOVD": part(4, 0), "VMOVQ": part(8, 0), "VMOVSS": part(4, 0), "VMOVSD": part(8, 0),
		"VMOVHPD": part(8, 8), "VEXTRACTPS": part(4, 0), "VEXTRACTF128": part(16, 0), "VEXTRACTI128": part(16, 0), "VEXTRACTF64X4": part(32, 0),
		"VINSERTF128": embed(8, 16), "VINSERTF32X4": embed(4, 16), "VINSERTF64X4": embed(8, 32),
		"VBROADCASTSS": broadcast(4, 4), "VBROADCASTSD": broadcast(8, 8), "VBROADCASTF128": broadcast(8, 16), "VBROADCASTF32X4": broadcast(4, 16),
		"VPBROADCASTB": broadcast(1, 1), "VPBROADCASTW": broadcast(2, 2), "VPBROADCASTD": broadcast(4, 4), "VPBROADCASTQ": broadcast(8, 8),

		"VBLENDPS": blend(4, 2, byBits), "VBLENDPD": blend(8, 2, byBits),
		"VBLENDVPS": blend(4, 3, bySigns), "VBLENDVPD": blend(8, 3, bySigns), "VPBLENDVB": blend(1, 3, bySigns),
		"VBLENDMPS": blend(4, 2, byMask), "VBLENDMPD": blend(8, 2, byMask), "VPBLENDMB": blend(1, 2, byMask), "VPBLENDMW": blend(2, 2, byMask),

		"VPERMPS": permute(4, 2, byLanes), "VPERMPD": permute(8, 0, byFours), "VPERMQ": permute(8, 1, byFours),
		"VPERMI2D": permute(4, 2, byResult), "VPERMI2Q": permute(8, 2, byResult), "VPERMT2D": permute(4, 2, byOperand), "VPERMT2Q": permute(8, 2, byOperand),
		"VALIGND": permute(4, 2, byCount), "VALIGNQ": permute(8, 2, byCount),
		"VPERM2I128": quarters(4, func(imm, part int) (k int, second bool) { return imm >> (4 * part) & 1, imm>>(4*part)&2 != 0 }),
		"VSHUFI64X2": quarters(8, func(imm, part int) (k int, second bool) { return imm >> (2 * part) & 3, part >= 2 }),

		"VUNPCKLPS": unpack(4, 0), "VUNPCKHPS": unpack(4, 8), "VUNPCKLPD": unpack(8, 0), "VUNPCKHPD": unpack(8, 8),
		"VPUNPCKLDQ": unpack(4, 0), "VPUNPCKLWD": unpack(2, 0),
		"VPSHUFB": within(2, func(_ int, a, b []byte, k int) byte {
			if b[k] >= 0x80 {
				return 0
			}
			return a[b[k]&15]
		}),
		"VPALIGNR":   within(2, func(imm int, a, b []byte, k int) byte { return byteOf(imm+k, b, a) }),
		"VPSLLDQ":    within(1, func(imm int, a, _ []byte, k int) byte { return byteOf(k-imm, a) }),
		"VPGATHERDD": gather(4), "VPGATHERDQ": gather(8),
	} {
		forms[name] = f
	}
}

// move copies lanes. Only lanes of the mask are read from memory.
func move(lane int) form {
	return form{lane: lane, sources: 1, stores: true, do: func(x *step) { x.load() }}
}

func atAligned(f form) form {
	f.aligned = true
	return f
}

// load copies the lanes of the mask from the first operand.
func (x *step) load() {
	o, lane := &x.from[0], x.form.lane
	if o.kind != memory {
		copy(x.out[:], x.operand(len(x.from)-1, x.bytes))
		return
	}
	address := x.m.address(o)
	x.check(address)
	for l := range x.lanes {
		if x.mask>>l&1 != 0 {
			copy(x.out[l*lane:], at(address+uint64(l*lane), lane))
		}
	}
}

// maskedMove copies lanes under a mask, the signs of the lanes of a vector register. Loaded lanes that
// the mask leaves out are zeros.
func maskedMove(lane int) form {
	return form{lane: lane, sources: 2, stores: true, do: func(x *step) {
		x.mask = 0
		for l := range x.lanes {
			x.mask |= get(x.operand(0, x.bytes), lane, l) >> (8*lane - 1) << l
		}
		x.load()
	}}
}

// gather loads the lanes of the mask, each from its own place; the others stay. It clears the mask, which is a mask
// register or, as the first operand, the signs of a vector's lanes.
func gather(lane int) form {
	return form{lane: lane, do: func(x *step) {
		table, last := &x.from[len(x.from)-1], len(x.i.operands)-1
		if len(x.from) == 2 {
			x.mask = 0
			for l := range x.lanes {
				x.mask |= get(x.operand(1, x.bytes), lane, l) >> (8*lane - 1) << l
			}
			clear(x.m.vectors[x.from[0].reg][:])
		} else {
			x.m.masks[x.i.operands[last-1].reg] = 0
		}
		index, scale := x.m.vectors[table.index], table.scale
		copy(x.out[:], x.old())
		base := *table
		base.scale = 0
		for l := range x.lanes {
			if x.mask>>l&1 != 0 {
				copy(x.out[l*lane:], at(x.m.address(&base)+uint64(signed(get(index[:], 4, l), 4)*int64(scale)), lane))
			}
		}
	}}
}

// part returns a form that moves a part of a vector: so many bytes, from byte first + constant·bytes on. The constant
// is 0 if the instruction has none. A vector gets bytes from another vector only if that is longer.
func part(bytes, first int) form {
	return form{lane: min(bytes, 8), bytes: bytes, sources: 1, stores: true, do: func(x *step) {
		if first > 0 && x.to.kind != memory || x.i.op[:5] == "VMOVS" && x.to.kind == x.from[0].kind {
			panic("it has no such result")
		}
		first := first + int(x.imm)*bytes
		copy(x.out[:bytes], x.operand(0, bytes)[first:])
	}}
}

// embed returns a form that replaces one part of the first operand, so many bytes, by the second operand. The constant is the
// number of the part.
func embed(lane, bytes int) form {
	return form{lane: lane, sources: 2, do: func(x *step) {
		copy(x.out[:], x.operand(0, x.bytes))
		copy(x.out[bytes*int(x.imm):][:bytes], x.operand(1, bytes))
	}}
}

// broadcast returns a form that fills a vector with copies of the operand's first bytes.
func broadcast(lane, bytes int) form {
	return form{lane: lane, sources: 1, do: func(x *step) {
		a := x.operand(0, bytes)
		for b := range x.bytes {
			x.out[b] = a[b%bytes]
		}
	}}
}

// blend takes lanes of the second operand where chosen says so, else of the first.
func blend(lane, sources int, chosen func(x *step, l int) bool) form {
	return form{lane: lane, sources: sources, picks: true, do: func(x *step) {
		a, b := x.operand(0, x.bytes), x.operand(1, x.bytes)
		for l := range x.lanes {
			from := a
			if chosen(x, l) {
				from = b
			}
			put(x.out[:], lane, l, get(from, lane, l))
		}
	}}
}

func byBits(x *step, l int) bool { return x.imm>>l&1 != 0 }
func byMask(x *step, l int) bool { return x.mask>>l&1 != 0 }
func bySigns(x *step, l int) bool {
	return signed(get(x.operand(2, x.bytes), x.form.lane, l), x.form.lane) < 0
}

// permute takes lanes of several vectors, as if these were one. index returns these vectors, and the
// function that gives, for lane l of the result, the index of the lane to take.
func permute(lane, sources int, index func(x *step) (from [][]byte, at func(l int) int)) form {
	return form{lane: lane, sources: sources, do: func(x *step) {
		from, at := index(x)
		for l := range x.lanes {
			k := at(l) & (len(from)*x.lanes - 1)
			put(x.out[:], lane, l, get(from[k/x.lanes], lane, k%x.lanes))
		}
	}}
}

// lanesOf are the lanes of a vector.
func (x *step) lanesOf(v []byte) func(l int) int {
	return func(l int) int { return int(get(v, x.form.lane, l)) }
}

// byLanes: the first operand has the lanes' numbers.
func byLanes(x *step) ([][]byte, func(l int) int) {
	return [][]byte{x.operand(1, x.bytes)}, x.lanesOf(x.operand(0, x.bytes))
}

// byFours: the constant has four lane numbers of 2 bits, which apply to each group of four lanes. An instruction without a
// constant permutes as byLanes does.
func byFours(x *step) ([][]byte, func(l int) int) {
	if len(x.from) == 2 {
		return byLanes(x)
	}
	return [][]byte{x.operand(0, x.bytes)}, func(l int) int { return l&^3 | int(x.imm)>>(2*(l&3))&3 }
}

// byResult: the previous content of the result has the lanes' numbers, in both operands.
func byResult(x *step) ([][]byte, func(l int) int) {
	index := x.m.vectors[x.to.reg]
	return [][]byte{x.operand(0, x.bytes), x.operand(1, x.bytes)}, x.lanesOf(index[:])
}

// byOperand: the first operand has the lanes' numbers, in the previous content of the result and the
// second operand.
func byOperand(x *step) ([][]byte, func(l int) int) {
	return [][]byte{x.old(), x.operand(1, x.bytes)}, x.lanesOf(x.operand(0, x.bytes))
}

// byCount: the first operand follows the second one, from a lane on.
func byCount(x *step) ([][]byte, func(l int) int) {
	return [][]byte{x.operand(1, x.bytes), x.operand(0, x.bytes)}, func(l int) int { return l + int(x.imm)&(x.lanes-1) }
}

// quarters takes parts of 16 bytes: the k-th of the first or of the second operand.
func quarters(lane int, from func(imm, part int) (k int, second bool)) form {
	return form{lane: lane, sources: 2, do: func(x *step) {
		for p := range x.bytes / 16 {
			k, second := from(int(x.imm), p)
			source := 0
			if second {
				source = 1
			}
			if x.imm > 0xff || x.bytes == 32 && x.imm&0x88 != 0 || x.bytes == 32 == (lane == 8) {
				panic(fmt.Sprintf("constant %#x for %d bytes", x.imm, x.bytes))
			}
			copy(x.out[16*p:], x.operand(source, x.bytes)[16*k:][:16])
		}
	}}
}

// within computes byte k of each part of 16 bytes from the same parts of the operands.
func within(sources int, f func(imm int, a, b []byte, k int) byte) form {
	return form{lane: 1, sources: sources, do: func(x *step) {
		a := x.operand(0, x.bytes)
		b := a
		if sources > 1 {
			b = x.operand(1, x.bytes)
		}
		for k := range x.bytes {
			p := k &^ 15
			x.out[k] = f(int(x.imm), a[p:p+16], b[p:p+16], k-p)
		}
	}}
}

// unpack returns a form that takes lanes of both operands alternately, within parts of 16 bytes, from byte first of each part on.
func unpack(lane, first int) form {
	f := within(2, func(_ int, a, b []byte, k int) byte {
		at := first + k/(2*lane)*lane + k%lane
		if k/lane%2 == 0 {
			return a[at]
		}
		return b[at]
	})
	f.lane = lane
	return f
}

// byteOf returns byte k of parts that follow one another, or 0 outside of them.
func byteOf(k int, parts ...[]byte) byte {
	if k < 0 || k >= 16*len(parts) {
		return 0
	}
	return parts[k/16][k%16]
}
