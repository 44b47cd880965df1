//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// maxResident returns the peak of a finished process's resident bytes.
func maxResident(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) // in bytes there, in KiB elsewhere
	}
	return int64(usage.Maxrss) << 10
}
