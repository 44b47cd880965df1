package main

import (
	"io"

	gojson "github.com/goccy/go-json"

	"perfdata/bench/workload"
	"perfdata/perun"
)

// perunContestants returns the readers of Perun profiles.
func perunContestants() []contestant {
	all := readers(newPerunReader, []way{{}, {pipe: true}, {ids: true}})
	all = append(all, jsonPeers[workload.PerunFile]()...)
	return append(all, contestant{name: goJSON + " of any fields", run: func(file []byte) (int, error) {
		return 0, gojson.Unmarshal(file, new(workload.PerunAnyFile))
	}})
}

func newPerunReader(in io.Reader, _ way) resetter { return perun.NewReader(in) }
