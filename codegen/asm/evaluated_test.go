package asm

import (
	"testing"

	"loopc/codegen/asm/asmtest"
)

// TestEvaluated requires that package asmtest knows every instruction of the target.
func TestEvaluated(t *testing.T) {
	for op := range x86Forms {
		if !asmtest.Knows(op) {
			t.Errorf("asmtest does not know %s", op)
		}
	}
}
