package perun

import (
	"slices"
	"strings"
	"testing"
)

// Records have the unit of their type, and the commit of the profile, whatever the layout.
func TestUnitAndCommit(t *testing.T) {
	const header = `"origin": "abc", "header": {"type": "mixed", "units": {"memory": "B"}}, ` +
		`"collector_info": {"name": "c"}, `
	for name, resources := range map[string]string{
		"snapshots": `"snapshots": [{"resources": [{"type": "memory", "amount": 1}, {"type": "other", "amount": 2}]}]`,
		"types":     `"resources": {}, "global": {"resources": [{"type": "memory", "amount": 1}, {"type": "other", "amount": 2}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for rec, err := range NewReader(strings.NewReader("{" + header + resources + "}")).Records() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rec.Unit+" of "+rec.Commit)
			}
			if want := []string{"B of abc", " of abc"}; !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
