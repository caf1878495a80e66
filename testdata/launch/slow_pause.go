package main

import (
	"os"
	"time"
)

var length, _ = time.ParseDuration(os.Getenv("PAUSE"))

// pause takes as long as PAUSE in the environment says.
func pause(int32) float64 {
	time.Sleep(length)
	return 0
}
