//go:build !linux

package main

import "time"

// threadTime returns the CPU time of the current thread so far, and whether it is known.
func threadTime() (time.Duration, bool) { return 0, false }

// processTime is threadTime for all threads of the process.
func processTime() (time.Duration, bool) { return 0, false }
