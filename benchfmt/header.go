package benchfmt

import (
	"perfdata/format"
	"perfdata/internal/jsonenc"
	"perfdata/traceid"
)

// A Header is what a file says before its first result. What it says later counts from there on: see [Result].
type Header struct {
	Config traceid.Params // the configuration
	Units  []UnitMetadata // in the order of the file
}

// UnitMetadata is what a file says about a unit. Two keys have a meaning by convention: better, which is higher or
// lower, and assume, which is exact or nothing.
type UnitMetadata struct {
	Unit       string // as the file spells it
	Key, Value string

	format.Position // of the line
}

// fileHeader returns h in the form of any format.
func (h Header) fileHeader() format.Header {
	commit, _ := h.Config.Get("commit")
	return format.Header{Commit: commit, Params: h.Config, Native: h}
}

// MarshalJSON returns the header as an object with the members config and, if there are any, units.
func (h Header) MarshalJSON() ([]byte, error) {
	dst := append([]byte(nil), `{"config":`...)
	dst = jsonenc.AppendParams(dst, h.Config.All())
	for i, u := range h.Units {
		if i == 0 {
			dst = append(dst, `,"units":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"unit":`...)
		dst = jsonenc.AppendString(dst, u.Unit)
		dst = append(dst, `,"key":`...)
		dst = jsonenc.AppendString(dst, u.Key)
		dst = append(dst, `,"value":`...)
		dst = jsonenc.AppendString(dst, u.Value)
		dst = append(dst, '}')
	}
	if len(h.Units) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}'), nil
}
