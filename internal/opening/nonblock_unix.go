//go:build unix

package opening

import "syscall"

// nonblock makes opening a FIFO or a device return at once.
const nonblock = syscall.O_NONBLOCK
