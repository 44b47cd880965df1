package main

import (
	"io"

	"perfdata/bench/workload"
	"perfdata/nanolegacy"
)

// nanolegacyContestants returns the readers of the Skia Perf legacy format.
func nanolegacyContestants() []contestant {
	all := readers(newNanolegacyReader, ways)
	asParams := func(in io.Reader, w way) resetter {
		r := nanolegacy.NewReader(in)
		r.InOrder, r.OptionsAsParams = w.inOrder, true
		return r
	}
	options := readers(asParams, []way{{inOrder: true}})
	options[0].name += ", options as params"
	return append(append(all, options...), jsonPeers[workload.NanolegacyFile]()...)
}

func newNanolegacyReader(in io.Reader, w way) resetter {
	r := nanolegacy.NewReader(in)
	r.InOrder = w.inOrder
	return r
}
