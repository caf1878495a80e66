#include "textflag.h"

// Every amd64 processor has the instructions (SSE2).

// func copyPast(to, from unsafe.Pointer, n int)
TEXT ·copyPast(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX

	// Cells before the first line.
head:
	TESTQ $63, DI
	JZ    lines
	MOVL  (SI), AX
	MOVL  AX, (DI)
	ADDQ  $4, SI
	ADDQ  $4, DI
	SUBQ  $4, CX
	JMP   head

lines:
	SUBQ $64, CX
	JLT  tail

line:
	MOVOU  (SI), X0
	MOVOU  16(SI), X1
	MOVOU  32(SI), X2
	MOVOU  48(SI), X3
	MOVNTO X0, (DI)
	MOVNTO X1, 16(DI)
	MOVNTO X2, 32(DI)
	MOVNTO X3, 48(DI)
	ADDQ   $64, SI
	ADDQ   $64, DI
	SUBQ   $64, CX
	JGE    line

	// Cells behind the last line.
tail:
	ADDQ $64, CX

cell:
	JZ   done
	MOVL (SI), AX
	MOVL AX, (DI)
	ADDQ $4, SI
	ADDQ $4, DI
	SUBQ $4, CX
	JMP  cell

done:
	SFENCE
	RET
