package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time of the current thread so far, and whether it is known.
func threadTime() (time.Duration, bool) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
