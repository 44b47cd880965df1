package opening

import (
	"io/fs"
	"syscall"
)

// A status is the time of the last change of a file's status, and the number of its names. A program
// can set the time of the last modification back after it has written to a file, but not this one.
type status struct {
	seconds, nanoseconds int64
	links                uint64
}

// statusOf returns the zero status for a file that is not of the operating system.
func statusOf(info fs.FileInfo) status {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return status{int64(stat.Ctim.Sec), int64(stat.Ctim.Nsec), uint64(stat.Nlink)}
	}
	return status{}
}

// same allows another time if the file has another number of names, which changes the time too.
func (s status) same(now status) bool { return s == now || s.links != now.links }
