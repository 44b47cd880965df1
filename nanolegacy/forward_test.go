package nanolegacy

import (
	"strings"
	"testing"

	"perfdata/internal/formattest"
)

// Where all that counts for records is known before the results are needed, they are read once,
// and nothing else changes.
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
		{
			name:    "all before",
			members: []string{hash, key, options, results},
			forward: true,
		},
		{
			name:    "options behind",
			members: []string{hash, key, results, options},
			forward: true,
		},
		{
			name:    "all behind",
			members: []string{results, options, key, hash},
			forward: true,
		},
		{
			name:    "no options",
			members: []string{hash, key, results},
		},
		{
			name:    "behind something large",
			members: []string{hash, key, results, options, large},
		},
		{
			name:    "hidden by something large",
			members: []string{key, options, results, hash, large, `"issue":"1"`},
			forward: true,
		},
		{
			name:    "options twice",
			members: []string{hash, key, options, results, options},
			forward: true,
		},
		{
			name:    "options twice behind",
			members: []string{hash, key, results, options, options},
		},
		{
			name:    "a fault behind",
			members: []string{hash, key, results, `"options":{"a":1}`},
		},
		{
			name:    "results of another kind",
			members: []string{hash, key, options, `"results":[]`},
		},
		{
			name:    "other members",
			members: []string{`"x":1`, hash, key, results, `"y":2`, options, `"z":{"options":{}}`},
			forward: true,
		},
		{
			name:    "another member twice",
			members: []string{`"x":1`, hash, key, options, results, `"x":2`},
			forward: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := "{" + strings.Join(test.members, ",\n ") + "}"
			r := newReader(strings.NewReader(in))
			formattest.CheckForward(t, test.name, r, newReader(strings.NewReader(in)))
			if r.doc.OnePass() != test.forward {
				t.Errorf("forward: %v", r.doc.OnePass())
			}
		})
	}
}
