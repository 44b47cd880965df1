package main

import (
	"strings"
	"testing"

	changepoint "perfdata/series/change"
)

func TestShortCommit(t *testing.T) {
	for name, want := range map[string]string{
		"03bce9493615bfcacfaa992d9e4a4e72c3d9156b":   "03bce9493615",
		strings.Repeat("a", 64):                      "aaaaaaaaaaaa",
		"03bce9493615bfcacfaa992d9e4a4e72c3d9156":    "03bce9493615bfcacfaa992d9e4a4e72c3d9156",
		"release-2026-11-22-with-a-name-of-40-bytes": "release-2026-11-22-with-a-name-of-40-bytes",
		"": "",
	} {
		if got := shortCommit(name); got != want {
			t.Errorf("shortCommit(%q) = %q, want %q", name, got, want)
		}
	}
}

// A median of what got worse and what got better says nothing.
func TestMixedChange(t *testing.T) {
	ratio := func(r float64) foundSeries {
		return foundSeries{Series: changepoint.Series{Points: []changepoint.Point{{Ratio: r}}}}
	}
	c := changeSearch{found: []foundSeries{ratio(1.1), ratio(0.5), ratio(1.3)}}
	f := changepoint.Finding{Changes: []changepoint.Change{{Series: 0}, {Series: 1}, {Series: 2}}, Ratio: 1.1, Worse: 3}
	if got, want := c.change(f), "+10.0%"; got != want {
		t.Errorf("all worse: %s, want %s", got, want)
	}
	f.Worse, f.Better = 2, 1
	if got, want := c.change(f), "-50.0% to +30.0%"; got != want {
		t.Errorf("worse and better: %s, want %s", got, want)
	}
}
