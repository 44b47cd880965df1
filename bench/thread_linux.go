package main

import (
	"syscall"
	"time"
)

const rusageThread = 1 // RUSAGE_THREAD, which package syscall lacks

// threadTime returns the CPU time of the current thread so far, and whether it is known.
func threadTime() (time.Duration, bool) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &usage); err != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
}
