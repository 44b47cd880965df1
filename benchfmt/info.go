package benchfmt

import (
	"bytes"
	"io"

	"perfdata/format"
)

// Info returns the format's description.
func Info() format.Info {
	return format.Info{
		Name:       "benchfmt",
		Title:      "Go benchmark data format",
		Extensions: []string{".txt", ".bench", ".json"},
		Sniff:      sniff,
		NewReader: func(in io.Reader, name string, limits format.Limits) format.Reader {
			r := NewReader(in)
			r.Name, r.Limits = name, limits
			return r
		},
		Validate: Validate,
	}
}

// sniff looks for a result line without a fault, or an event of "go test -json". Without either,
// the format cannot be distinguished from other text. A line may have any length, so that a Reader
// tells which limit a long one exceeds.
func sniff(prefix []byte) bool {
	r := NewReader(bytes.NewReader(prefix))
	r.Limits.MaxLineBytes = max(len(prefix), 1)
	found := false
	r.forEach(func(_ *result, err *format.Error) bool {
		found = err == nil
		return !found
	})
	return found || r.events.count > 0
}
