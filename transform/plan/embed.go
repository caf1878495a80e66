package plan

import "embed"

// Sources holds the Go files of this package and of those below it, tests included, for programs that carry a copy of the runtime instead
// of importing it. Other programs do not mention Sources, and so do not contain the files.
//
//go:embed *.go */*.go
var Sources embed.FS
