package nanolegacy

import (
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

// If everything that records depend on is known before the results, a file is read once, with the
// same records and errors.
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
			name:    "all before the results",
			members: []string{hash, key, options, results},
			forward: true,
		},
		{
			name:    "options after the results",
			members: []string{hash, key, results, options},
			forward: true,
		},
		{
			name:    "all after the results",
			members: []string{results, options, key, hash},
			forward: true,
		},
		{
			name:    "missing options",
			members: []string{hash, key, results},
			forward: true,
		},
		{
			name:    "missing options and a large member",
			members: []string{hash, key, results, large},
		},
		{
			name:    "options before a large member at the end",
			members: []string{hash, key, results, options, large},
		},
		{
			name:    "header hidden by a large member",
			members: []string{key, options, results, hash, large, `"issue":"1"`},
		},
		{
			name:    "issue hidden by a large member",
			members: []string{hash, key, options, results, `"issue":"1"`, large, `"patchset":"2"`},
			forward: true,
		},
		{
			name:    "options before and after the results",
			members: []string{hash, key, options, results, options},
			forward: true,
		},
		{
			name:    "options twice after the results",
			members: []string{hash, key, results, options, options},
		},
		{
			name:    "error after the results",
			members: []string{hash, key, results, `"options":{"a":1}`},
		},
		{
			name:    "results of the wrong type",
			members: []string{hash, key, options, `"results":[]`},
		},
		{
			name:    "other members",
			members: []string{`"x":1`, hash, key, results, `"y":2`, options, `"z":{"options":1}`},
			forward: true,
		},
		{
			name:    "a nested member at the end",
			members: []string{hash, key, results, options, `"z":{"options":{}}`},
		},
		{
			name:    "unknown member twice",
			members: []string{`"x":1`, hash, key, options, results, `"x":2`},
			forward: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := "{" + strings.Join(test.members, ",\n ") + "}"
			r := newReader(strings.NewReader(in))
			formattest.CheckForward(t, test.name, r, newReader(strings.NewReader(in)))

			// After its header, an input that is larger than the window is read a second time.
			twice := newReader(strings.NewReader(in + strings.Repeat(" ", 1<<17)))
			formattest.CheckForward(t, test.name+", twice", newReader(strings.NewReader(in)), twice)
			if twice.frame.OnePass() {
				t.Error("read once")
			}
			if r.frame.OnePass() != test.forward {
				t.Errorf("forward: %v", r.frame.OnePass())
			}
		})
	}
}
