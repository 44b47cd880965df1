package opening

import "io/fs"

// A Stamp is the size of a file and the times of its last changes.
type Stamp struct {
	size     int64
	modified int64 // in nanoseconds since 1970
	status   status
}

// StampOf returns the Stamp of a file, from its Stat.
func StampOf(info fs.FileInfo) Stamp {
	return Stamp{info.Size(), info.ModTime().UnixNano(), statusOf(info)}
}

// Same reports whether a file with the Stamp s was not written to until it had the Stamp now, as far
// as the clock of the file system can tell. To replace or remove the name of a file does not change
// the file, which can be read to its end.
func (s Stamp) Same(now Stamp) bool {
	return s.size == now.size && s.modified == now.modified && s.status.same(now.status)
}
