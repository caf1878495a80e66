package plan

import "embed"

// Sources holds the Go files of this package and those below it, tests included, for programs that
// carry a copy of the runtime instead of importing it. Programs that do not
// mention it do not contain it.
//
//go:embed *.go */*.go
var Sources embed.FS
