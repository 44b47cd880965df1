package format

import (
	"encoding/json"

	"perfdata/traceid"
)

// A Header has the data that describe a whole input, of any format. Fields that a format does not
// have are empty. A Header belongs to the caller.
type Header struct {
	Commit   string         // the measured commit: git_hash, gitHash, commit or origin
	Issue    string         // the ID of the code review, if a change under review was measured
	Patchset string         // the ID of the patchset within the issue
	Params   traceid.Params // of the file
	Links    Links          // of the file

	// Native is the Header type of the format's package, by value, such as skiav1.Header. It
	// marshals to JSON.
	Native any
}

// MarshalJSON returns Native as JSON.
func (h Header) MarshalJSON() ([]byte, error) { return json.Marshal(h.Native) }
