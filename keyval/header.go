package keyval

import (
	"perfdata/format"
	"perfdata/traceid"
)

// A Header is what holds for all measurements of a file. The format has no place for such things: a Header is what the
// one who reads or writes the file knows of it besides.
type Header struct {
	// Params of all measurements, such as test and host. They don't have key and iteration, which are the file's own.
	Params traceid.Params `json:"params"`
}

// fileHeader returns h in the form of any format.
func (h Header) fileHeader() format.Header { return format.Header{Params: h.Params, Native: h} }

// The params that the format itself has.
const (
	paramKey       = "key"
	paramIteration = "iteration"
)

// ownParams returns a copy of p, sorted, without the params that the format itself has.
func ownParams(p traceid.Params) traceid.Params {
	var kept []traceid.Param
	for _, param := range p {
		if param.Key != paramKey && param.Key != paramIteration {
			kept = append(kept, param)
		}
	}
	return traceid.FromPairs(kept...)
}
