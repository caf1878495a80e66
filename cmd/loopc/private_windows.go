package main

import "io/fs"

// owners returns the same user twice: only the user can write to the folders of the user's
// profile.
func owners(fs.FileInfo) (user, owner int) { return 0, 0 }
