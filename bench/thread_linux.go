package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time of the current thread so far, and whether it is known.
func threadTime() (time.Duration, bool) { return timeOf(unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime is threadTime for all threads of the process.
func processTime() (time.Duration, bool) { return timeOf(unix.CLOCK_PROCESS_CPUTIME_ID) }

func timeOf(clock int32) (time.Duration, bool) {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
