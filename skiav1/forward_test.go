package skiav1

import (
	"strings"
	"testing"

	"perfdata/internal/formattest"
)

// Where all that counts for records is known before the results are needed, they are read once, and nothing else changes.
func TestForward(t *testing.T) {
	const (
		version = `"version":1`
		hash    = `"git_hash":"a"`
		key     = `"key":{"a":"1"}`
		links   = `"links":{"l":"u"}`
		results = `"results":[{"key":{"t":"x"},"measurement":1},{"key":{"t":"y"}},{"key":{"t":"z"},"measurement":2,"links":{"m":"v"}}]`
	)
	large := `"large":[` + strings.Repeat(`{"key":{"a":"2"},"links":{}},`, 3000) + `{}]`
	for _, test := range []struct {
		name    string
		members []string
		forward bool
	}{
		{"all before", []string{version, hash, key, links, results}, true},
		{"links behind", []string{version, hash, key, results, links}, true},
		{"all behind", []string{results, hash, links, key, version}, true},
		{"no links", []string{version, hash, key, results}, false},
		{"links behind something large", []string{version, hash, key, results, links, large}, false},
		{"before something large", []string{version, key, links, results, large, hash, `"issue":"1"`}, true},
		{"hidden by something large", []string{version, key, links, results, hash, `"issue":"1"`, large, `"patchset":"2"`}, true},
		{"links again", []string{version, hash, key, links, results, links}, true},
		{"links twice behind", []string{version, hash, key, results, links, links}, false},
		{"key around", []string{version, hash, key, results, links, key}, false},
		{"another version", []string{`"version":2`, hash, key, links, results}, false},
		{"another version behind", []string{hash, key, results, links, `"version":2`}, false},
		{"a fault behind", []string{version, hash, key, results, `"links":{"a":1}`}, false},
		{"results twice", []string{version, hash, key, results, links, results}, false},
		{"results of another kind", []string{version, hash, key, links, `"results":{}`}, false},
		{"no results", []string{version, hash, key, links, `"results":null`, `"issue":"1"`}, false},
		{"other members", []string{`"x":1`, version, hash, key, results, `"y":2`, links, `"z":{"links":{}}`}, true},
		{"another member twice", []string{`"x":1`, version, hash, key, links, results, `"x":2`}, true},
	} {
		in := "{" + strings.Join(test.members, ",\n ") + "}"
		r := newReader(strings.NewReader(in))
		formattest.CheckForward(t, test.name, r, newReader(strings.NewReader(in)))
		if r.doc.OnePass() != test.forward {
			t.Errorf("%s: forward: %v", test.name, r.doc.OnePass())
		}
	}
}
