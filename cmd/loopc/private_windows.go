package main

import "io/fs"

// owners returns the same user twice: folders of a user's profile are that user's.
func owners(fs.FileInfo) (user, owner int) { return 0, 0 }
