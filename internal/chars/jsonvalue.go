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

// MarshalJSON returns v as JSON on one line, without escapes for HTML.
func MarshalJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// TextOrNull returns a text as a member that is null if the text is empty.
func TextOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
