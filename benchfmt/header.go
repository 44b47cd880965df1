package benchfmt

import (
	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/traceid"
)

// A Header is the configuration and the unit metadata before a file's first result. Both may
// change later in the file: see [Result] and [Reader.Units].
type Header struct {
	Config traceid.Params // the configuration
	Units  []UnitMetadata // in the order of the file
}

// UnitMetadata is one key and value of a unit. By convention, better is higher or lower, and
// assume is exact or nothing.
type UnitMetadata struct {
	Unit       string // as spelled in the file
	Key, Value string

	format.Position // of the line; Writers ignore it
}

// fileHeader returns h as the type that all formats share.
func (h Header) fileHeader() format.Header {
	commit, _ := h.Config.Get(commitConfig)
	return format.Header{Commit: commit, Params: h.Config, Native: h}
}

// MarshalJSON returns the header as an object with the member config and, if there is any unit
// metadata, the member units.
func (h Header) MarshalJSON() ([]byte, error) {
	dst := append([]byte(nil), `{"config":`...)
	dst = chars.AppendJSONObject(dst, h.Config.All())

	for i, u := range h.Units {
		if i == 0 {
			dst = append(dst, `,"units":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"unit":`...)
		dst = chars.AppendJSON(dst, u.Unit)
		dst = append(dst, `,"key":`...)
		dst = chars.AppendJSON(dst, u.Key)
		dst = append(dst, `,"value":`...)
		dst = chars.AppendJSON(dst, u.Value)
		dst = append(dst, '}')
	}
	if len(h.Units) > 0 {
		dst = append(dst, ']')
	}

	return append(dst, '}'), nil
}
