package nanolegacy

import (
	"strings"
	"testing"

	"perfdata/internal/formattest"
)

// Where all that counts for records is known before the results are needed, they are read once, and nothing else changes.
func TestForward(t *testing.T) {
	const (
		hash    = `"gitHash":"a"`
		key     = `"key":{"a":"1"}`
		options = `"options":{"system":"UNIX"}`
		results = `"results":{"T":{"c":{"ms":1,"options":{"x":"y"}}},"U":{"c":{"ms":"2"},"d":{"ms":3}}}`
	)
	large := `"large":[` + strings.Repeat(`{"key":{"a":"2"},"options":{}},`, 3000) + `{}]`
	for _, test := range []struct {
		name    string
		members []string
		forward bool
	}{
		{"all before", []string{hash, key, options, results}, true},
		{"options behind", []string{hash, key, results, options}, true},
		{"all behind", []string{results, options, key, hash}, true},
		{"no options", []string{hash, key, results}, false},
		{"behind something large", []string{hash, key, results, options, large}, false},
		{"hidden by something large", []string{key, options, results, hash, large, `"issue":"1"`}, true},
		{"options twice", []string{hash, key, options, results, options}, true},
		{"options twice behind", []string{hash, key, results, options, options}, false},
		{"a fault behind", []string{hash, key, results, `"options":{"a":1}`}, false},
		{"results of another kind", []string{hash, key, options, `"results":[]`}, false},
		{"other members", []string{`"x":1`, hash, key, results, `"y":2`, options, `"z":{"options":{}}`}, true},
		{"another member twice", []string{`"x":1`, hash, key, options, results, `"x":2`}, true},
	} {
		in := "{" + strings.Join(test.members, ",\n ") + "}"
		r := newReader(strings.NewReader(in))
		formattest.CheckForward(t, test.name, r, newReader(strings.NewReader(in)))
		if r.doc.OnePass() != test.forward {
			t.Errorf("%s: forward: %v", test.name, r.doc.OnePass())
		}
	}
}
