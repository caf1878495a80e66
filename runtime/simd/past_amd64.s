#include "textflag.h"

// Every amd64 processor has the instructions (SSE2), but for those of functions of 512 bits
// (AVX-512 F).

// func copyPast(to, from unsafe.Pointer, n int)
TEXT ·copyPast(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX

	// Cells of the first and the last line come last: a store that waits for what others
	// have in its line holds up all that are behind it.

	// Whole lines: from R8 on, from R9 on.
	MOVQ DI, R8
	NEGQ R8
	ANDQ $63, R8           // bytes before the first
	MOVQ CX, R10
	SUBQ R8, R10           // not negative: a row has a line at least
	LEAQ (SI)(R8*1), R9
	MOVQ R8, R11
	ADDQ DI, R8
	SUBQ $64, R10
	JLT  ends

line:
	MOVOU  (R9), X0
	MOVOU  16(R9), X1
	MOVOU  32(R9), X2
	MOVOU  48(R9), X3
	MOVNTO X0, (R8)
	MOVNTO X1, 16(R8)
	MOVNTO X2, 32(R8)
	MOVNTO X3, 48(R8)
	ADDQ   $64, R9
	ADDQ   $64, R8
	SUBQ   $64, R10
	JGE    line

ends:
	ADDQ $64, R10          // bytes behind the last

head:
	SUBQ $4, R11
	JLT  tail
	MOVL (SI)(R11*1), AX
	MOVL AX, (DI)(R11*1)
	JMP  head

tail:
	SUBQ $4, R10
	JLT  done
	MOVL (R9)(R10*1), AX
	MOVL AX, (R8)(R10*1)
	JMP  tail

done:
	RET

// func copyLines128(f *streamedFrame, rows, offset, n int)
TEXT ·copyLines128(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), DI
	MOVQ rows+8(FP), BX
	MOVQ offset+16(FP), DX
	MOVQ n+24(FP), R10
	ADDQ DX, R10           // behind the last byte

row:
	MOVQ 0(DI), R8
	MOVQ 64(DI), R9
	MOVQ DX, CX

line:
	MOVOU (R9)(CX*1), X0
	MOVOU 16(R9)(CX*1), X1
	MOVOU 32(R9)(CX*1), X2
	MOVOU 48(R9)(CX*1), X3
	MOVNTO X0, (R8)(CX*1)
	MOVNTO X1, 16(R8)(CX*1)
	MOVNTO X2, 32(R8)(CX*1)
	MOVNTO X3, 48(R8)(CX*1)
	ADDQ $64, CX
	CMPQ CX, R10
	JLT  line
	ADDQ $8, DI
	DECQ BX
	JNZ  row
	RET

// func copyLines512(f *streamedFrame, rows, offset, n int)
TEXT ·copyLines512(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), DI
	MOVQ rows+8(FP), BX
	MOVQ offset+16(FP), DX
	MOVQ n+24(FP), R10
	ADDQ DX, R10           // behind the last byte

row:
	MOVQ 0(DI), R8
	MOVQ 64(DI), R9
	MOVQ DX, CX

line:
	VMOVDQU64 (R9)(CX*1), Z0
	VMOVNTDQ Z0, (R8)(CX*1)
	ADDQ $64, CX
	CMPQ CX, R10
	JLT  line
	ADDQ $8, DI
	DECQ BX
	JNZ  row
	VZEROUPPER
	RET

// func moveVectors(to, from, n int)
TEXT ·moveVectors(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	ADDQ CX, DI
	ADDQ CX, SI
	NEGQ CX
	JEQ  moved

vector:
	VMOVUPS (SI)(CX*1), Z0
	VMOVUPS Z0, (DI)(CX*1)
	ADDQ    $64, CX
	JNZ     vector
	VZEROUPPER

moved:
	RET

// func fetchEnds(to unsafe.Pointer, n int)
TEXT ·fetchEnds(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ n+8(FP), CX
	PREFETCHT0 (DI)
	PREFETCHT0 -1(DI)(CX*1)
	RET

// func fetchLines(at unsafe.Pointer, lines int)
TEXT ·fetchLines(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), DI
	MOVQ lines+8(FP), CX

line:
	PREFETCHT1 (DI)
	ADDQ       $64, DI
	DECQ       CX
	JNZ        line
	RET

// func fencePast()
TEXT ·fencePast(SB), NOSPLIT, $0-0
	SFENCE
	RET
