package formattest

import (
	"io"
	"runtime"
	"runtime/debug"
	"slices"
)

// A HeapReader reads from In. After every Every bytes, and at the end, it measures the memory in
// use. Garbage is not in use.
type HeapReader struct {
	In    io.Reader
	Every int

	before, peak uint64 // before is 0 at first
	left         int
}

func (r *HeapReader) Read(p []byte) (int, error) {
	if r.before == 0 {
		r.before, r.left = heapInUse(), r.Every
	}
	n, err := r.In.Read(p)
	if r.left -= n; r.left <= 0 || err != nil {
		r.left = r.Every
		r.peak = max(r.peak, heapInUse())
	}
	return n, err
}

// Growth returns the largest increase of the memory in use since the first byte was read.
func (r *HeapReader) Growth() int64 {
	return max(0, int64(r.peak)-int64(r.before))
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Race reports whether the race detector is on. The longest tests then take larger steps, and do
// not count allocations.
var Race = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()
