package judging

import (
	"strings"
	"testing"

	"perfdata/series/change"
)

func TestShortCommit(t *testing.T) {
	for name, want := range map[string]string{
		"03bce9493615bfcacfaa992d9e4a4e72c3d9156b":   "03bce9493615",
		strings.Repeat("a", 64):                      "aaaaaaaaaaaa",
		"03bce9493615bfcacfaa992d9e4a4e72c3d9156":    "03bce9493615bfcacfaa992d9e4a4e72c3d9156",
		"release-2026-11-22-with-a-name-of-40-bytes": "release-2026-11-22-with-a-name-of-40-bytes",
		"": "",
	} {
		if got := ShortCommit(name); got != want {
			t.Errorf("ShortCommit(%q) = %q, want %q", name, got, want)
		}
	}
}

// A median of what rose and what fell says nothing.
func TestFindingChange(t *testing.T) {
	f := change.Finding{Ratio: 1.1, Least: 1.05, Greatest: 1.3}
	if got, want := ratioText(&f), "+10.0%"; got != want {
		t.Errorf("all rose: %s, want %s", got, want)
	}
	f.Least = 0.5
	if got, want := ratioText(&f), "-50.0% to +30.0%"; got != want {
		t.Errorf("some fell: %s, want %s", got, want)
	}
}
