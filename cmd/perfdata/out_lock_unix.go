//go:build unix && !solaris && !aix

package main

import (
	"os"
	"syscall"
)

// canLock says that leftovers can be told from files that are being written.
const canLock = true

// lock locks a file until it is closed. If it does not wait, a file that is locked is an error.
func lock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	return syscall.Flock(int(f.Fd()), how)
}
