package skiav1

import (
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

// If everything that records depend on is known before the results, a file is read once, with the
// same records and errors.
func TestForward(t *testing.T) {
	const (
		version = `"version":1`
		hash    = `"git_hash":"a"`
		key     = `"key":{"a":"1"}`
		links   = `"links":{"l":"u"}`
		results = `"results":[{"key":{"t":"x"},"measurement":1},{"key":{"t":"y"}},{"key":{"t":"z"},` +
			`"measurement":2,"links":{"m":"v"}}]`
	)
	large := `"large":[` + strings.Repeat(`{"key":{"a":"2"},"links":{}},`, 3000) + `{}]`
	for _, test := range []struct {
		name    string
		members []string
		forward bool
	}{
		{
			name:    "all before the results",
			members: []string{version, hash, key, links, results},
			forward: true,
		},
		{
			name:    "links after the results",
			members: []string{version, hash, key, results, links},
			forward: true,
		},
		{
			name:    "all after the results",
			members: []string{results, hash, links, key, version},
			forward: true,
		},
		{
			name:    "missing links",
			members: []string{version, hash, key, results},
			forward: true,
		},
		{
			name:    "links only of a measurement",
			members: []string{version, hash, key, strings.Replace(results, "}]", `,"links":{"l":"m"}}]`, 1)},
			forward: true,
		},
		{
			name:    "links with an escape sequence after the results",
			members: []string{version, hash, key, results, `"l\u0069nks":{"a":"b"}`},
			forward: true,
		},
		{
			name:    "missing links and an unknown member twice",
			members: []string{version, hash, key, `"x":1`, results, `"x":2`},
		},
		{
			name:    "version after the results, missing links",
			members: []string{hash, key, results, version},
			forward: true,
		},
		{
			name:    "missing version",
			members: []string{hash, key, results, links},
		},
		{
			name:    "missing links and a large member",
			members: []string{version, hash, key, results, large},
		},
		{
			name:    "links before a large member at the end",
			members: []string{version, hash, key, results, links, large},
		},
		{
			name:    "header before a large member",
			members: []string{version, key, links, results, large, hash, `"issue":"1"`},
			forward: true,
		},
		{
			name:    "header hidden by a large member",
			members: []string{version, key, links, results, hash, `"issue":"1"`, large, `"patchset":"2"`},
		},
		{
			name:    "issue hidden by a large member",
			members: []string{version, hash, key, links, results, `"issue":"1"`, large, `"patchset":"2"`},
			forward: true,
		},
		{
			name:    "links before and after the results",
			members: []string{version, hash, key, links, results, links},
			forward: true,
		},
		{
			name:    "links twice after the results",
			members: []string{version, hash, key, results, links, links},
		},
		{
			name:    "key before and after the results",
			members: []string{version, hash, key, results, links, key},
		},
		{
			name:    "another version",
			members: []string{`"version":2`, hash, key, links, results},
		},
		{
			name:    "another version after the results",
			members: []string{hash, key, results, links, `"version":2`},
		},
		{
			name:    "error after the results",
			members: []string{version, hash, key, results, `"links":{"a":1}`},
		},
		{
			name:    "results twice",
			members: []string{version, hash, key, results, links, results},
		},
		{
			name:    "results of the wrong type",
			members: []string{version, hash, key, links, `"results":{}`},
		},
		{
			name:    "missing results",
			members: []string{version, hash, key, links, `"results":null`, `"issue":"1"`},
		},
		{
			name:    "other members",
			members: []string{`"x":1`, version, hash, key, results, `"y":2`, links, `"z":{"links":1}`},
			forward: true,
		},
		{
			name:    "a nested member at the end",
			members: []string{version, hash, key, results, links, `"z":{"links":{}}`},
		},
		{
			name:    "unknown member twice",
			members: []string{`"x":1`, version, hash, key, links, results, `"x":2`},
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
