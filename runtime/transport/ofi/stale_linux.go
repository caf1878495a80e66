//go:build ofi && cgo

package ofi

func removeStale(string) {}
func raiseLockLimit()    {}

const shmFolder = "/dev/shm"
