package main

import (
	"strings"
	"testing"
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
