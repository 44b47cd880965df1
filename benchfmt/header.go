package benchfmt

import (
	"perfdata/format"
	"perfdata/traceid"
)

// A Header is the configuration and the unit metadata before a file's first result. Both may
// change later in the file: see [Result] and [Reader.Units].
type Header struct {
	Config traceid.Params `json:"config"`          // the configuration
	Units  []UnitMetadata `json:"units,omitempty"` // in the order of the file
}

// UnitMetadata is one key and value of a unit. By convention, better is higher or lower, and
// assume is exact or nothing.
type UnitMetadata struct {
	Unit  string `json:"unit"` // as spelled in the file
	Key   string `json:"key"`
	Value string `json:"value"`

	format.Position `json:"-"` // of the line; Writers ignore it
}
