package keyval

import "perfdata/traceid"

// A Header has the params of all measurements of a file. The format cannot store them: the caller
// supplies them.
type Header struct {
	// Params of all measurements, such as test and host. They do not include key and iteration,
	// which the file has.
	Params traceid.Params `json:"params"`
}

// The params that come from the file.
const (
	paramKey       = "key"
	paramIteration = "iteration"
)

// ownParams returns a copy of p, sorted, without the params that come from the file.
func ownParams(p traceid.Params) traceid.Params {
	var kept []traceid.Param
	for _, param := range p {
		if param.Key != paramKey && param.Key != paramIteration {
			kept = append(kept, param)
		}
	}
	return traceid.FromPairs(kept...)
}
