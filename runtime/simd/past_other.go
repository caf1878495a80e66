//go:build !amd64

package simd

import "unsafe"

const past = false

func copyPast(_, _ unsafe.Pointer, _ int) { panic("BUG: there is no copyPast here") }

func copyLines(_ *streamedFrame, _, _, _ int) { panic("BUG: there is no copyLines here") }

func moveVectors(_, _, _ int) { panic("BUG: there is no moveVectors here") }

func fencePast() {}

func fetchEnds(_ unsafe.Pointer, _ int) {}

func fetchLines(_ unsafe.Pointer, _ int) {}
