package skiav1

import (
	"strings"
	"testing"

	"perfdata/internal/formattest"
)

// Where all that counts for records is known before the results are needed, they are read once,
// and nothing else changes.
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
			name:    "all before",
			members: []string{version, hash, key, links, results},
			forward: true,
		},
		{
			name:    "links behind",
			members: []string{version, hash, key, results, links},
			forward: true,
		},
		{
			name:    "all behind",
			members: []string{results, hash, links, key, version},
			forward: true,
		},
		{
			name:    "no links",
			members: []string{version, hash, key, results},
		},
		{
			name:    "links behind something large",
			members: []string{version, hash, key, results, links, large},
		},
		{
			name:    "before something large",
			members: []string{version, key, links, results, large, hash, `"issue":"1"`},
			forward: true,
		},
		{
			name:    "hidden by something large",
			members: []string{version, key, links, results, hash, `"issue":"1"`, large, `"patchset":"2"`},
			forward: true,
		},
		{
			name:    "links again",
			members: []string{version, hash, key, links, results, links},
			forward: true,
		},
		{
			name:    "links twice behind",
			members: []string{version, hash, key, results, links, links},
		},
		{
			name:    "key around",
			members: []string{version, hash, key, results, links, key},
		},
		{
			name:    "another version",
			members: []string{`"version":2`, hash, key, links, results},
		},
		{
			name:    "another version behind",
			members: []string{hash, key, results, links, `"version":2`},
		},
		{
			name:    "a fault behind",
			members: []string{version, hash, key, results, `"links":{"a":1}`},
		},
		{
			name:    "results twice",
			members: []string{version, hash, key, results, links, results},
		},
		{
			name:    "results of another kind",
			members: []string{version, hash, key, links, `"results":{}`},
		},
		{
			name:    "no results",
			members: []string{version, hash, key, links, `"results":null`, `"issue":"1"`},
		},
		{
			name:    "other members",
			members: []string{`"x":1`, version, hash, key, results, `"y":2`, links, `"z":{"links":{}}`},
			forward: true,
		},
		{
			name:    "another member twice",
			members: []string{`"x":1`, version, hash, key, links, results, `"x":2`},
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
