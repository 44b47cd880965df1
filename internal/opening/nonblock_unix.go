//go:build unix

package opening

import "syscall"

// Nonblock makes opening a FIFO or a device return at once.
const Nonblock = syscall.O_NONBLOCK
