package chars

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// A JSONNumber is a number in JSON. NaN and infinities, which JSON does not have, are null.
type JSONNumber float64

// MarshalJSON returns n as JSON.
func (n JSONNumber) MarshalJSON() ([]byte, error) {
	if x := float64(n); x-x != 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// JSON returns v, which has a form in JSON, on one line, without escapes for HTML.
func JSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // there is no error: each value that the callers have can be written, and memory takes all
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// TextOrNull returns a text as a member that is null if the text is empty.
func TextOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
