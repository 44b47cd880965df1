package benchfmt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdata/internal/goname"
	"perfdata/traceid"
)

// A configWriter writes the lines of the configuration where it changes.
type configWriter struct {
	inForce traceid.Params
	last    []traceid.Param // the same configuration, as the last result has it
	results bool            // a result was written: a blank line comes before the configuration
}

// Bounds of the output, so that it can be read with the default limits.
const (
	maxLine   = goname.MaxLine // bytes of a line
	maxParams = 1000           // keys of the configuration, parts of a name, and keys of a unit's metadata
	maxConfig = 6 << 20        // bytes of a configuration; of two, while one is changed to the other
)

// append appends the lines that make config the configuration in force. The config is valid.
func (w *configWriter) append(dst []byte, config []traceid.Param) []byte {
	if slices.Equal(config, w.last) {
		return dst
	}
	next := traceid.FromPairs(config...)
	w.last = append(w.last[:0], config...)
	if next.Equal(w.inForce) {
		return dst // another order makes no difference
	}

	if w.results {
		dst = append(dst, '\n')
	}
	for _, p := range w.inForce {
		if _, ok := next.Get(p.Key); !ok {
			dst = append(append(dst, p.Key...), ":\n"...)
		}
	}

	for _, p := range config {
		value, _ := next.Get(p.Key)
		if have, ok := w.inForce.Get(p.Key); !ok || have != value {
			dst = append(append(dst, p.Key...), ": "...)
			dst = append(dst, value...)
			if strings.HasSuffix(value, "\r") {
				dst = append(dst, '\r') // a Reader takes a single one for part of the line end
			}
			dst = append(dst, '\n')
		}
	}
	dst = append(dst, '\n')
	w.inForce = next
	return dst
}

// checkSize returns why a configuration is too large or has a duplicate key.
func checkSize(config []traceid.Param) error {
	size := 0
	for _, p := range config {
		size += configBytes + len(p.Key) + len(p.Value)
	}
	switch {
	case len(config) > maxParams:
		return fmt.Errorf("the configuration has more than %d keys", maxParams)
	case size > maxConfig:
		return fmt.Errorf("the configuration takes more than %d bytes", maxConfig)
	case len(traceid.FromPairs(config...)) < len(config):
		return errors.New("the configuration has a duplicate key")
	}
	return nil
}
