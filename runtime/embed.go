package runtime

import "embed"

// Sources holds the Go, C and assembly files of every package below this folder,
// tests included, by their paths relative to it ("sched/run.go").
//
//go:embed */*.go */*/*.go */*/*.c */*/*.h */*.s
var Sources embed.FS

// License is the text under which the sources may be copied. It goes with every
// copy.
//
//go:embed LICENSE
var License []byte
