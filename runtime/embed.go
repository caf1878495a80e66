package runtime

import "embed"

// Sources holds the Go and assembly files of every package below this folder,
// tests included, by their paths relative to it ("sched/run.go").
//
//go:embed */*.go */*/*.go */*.s
var Sources embed.FS

// License is the text under which the sources may be copied. It goes with every
// copy.
//
//go:embed LICENSE
var License []byte
