package main

import (
	"io"

	"perfdata/bench/workload"
	"perfdata/skiav1"
)

// skiaContestants returns the readers of the Skia Perf format, version 1.
func skiaContestants() []contestant {
	return append(readers(newSkiaReader, ways), jsonPeers[workload.SkiaFile]()...)
}

func newSkiaReader(in io.Reader, w way) resetter {
	r := skiav1.NewReader(in)
	r.InOrder = w.inOrder
	return r
}
