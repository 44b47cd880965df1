package series

import (
	"errors"
	"strings"
	"testing"

	"perfdata/format"
)

func TestListLimits(t *testing.T) {
	for _, test := range []struct {
		name, list string
		limits     listLimits
		want       string
	}{
		{"as many commits as may be", "a\nb\n\n", listLimits{commits: 2, bytes: 100}, ""},
		{"too many commits", "a\nb\nc\n", listLimits{commits: 2, bytes: 100}, "list:3:1: too many commits: want at most 2"},
		{"as many bytes as may be", "a\nbb\n", listLimits{commits: 9, bytes: 5}, ""},
		{"too many bytes", "a\nbb\nc", listLimits{commits: 9, bytes: 5}, "list:3:1: list is too long: want at most 5 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readCommits(strings.NewReader(test.list), "list", test.limits)
			if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, format.ErrLimit) || err.Error() != test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
