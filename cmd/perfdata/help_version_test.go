package main

import (
	"regexp"
	"testing"
)

// TestReleaseVersion holds the version of the tool to the newest section of CHANGELOG.md.
func TestReleaseVersion(t *testing.T) {
	newest := regexp.MustCompile(`(?m)^## ([0-9]+\.[0-9]+\.[0-9]+)\b`).FindStringSubmatch(read(t, "../../CHANGELOG.md"))
	if newest == nil || newest[1] != releaseVersion {
		t.Errorf("CHANGELOG.md begins with version %v, want %s", newest, releaseVersion)
	}
}
