package main

import (
	"strings"
	"testing"
)

// The name of a file is safe on every system, and no other commit has it.
func TestCommitFileName(t *testing.T) {
	for _, test := range []struct{ name, commit, want string }{
		{"a hash", "7cd9055a", "7cd9055a"},
		{"a version", "v1.2-rc.3", "v1.2-rc.3"},
		{"none", "", "no_commit"},
		{"the same text", "no_commit", "no_commit_"},
		{"capital letters", "ABC", "abc_"},
		{"a path", "../x", "_x_"},
		{"a folder", "..", "_"},
		{"a hidden file", ".x", "x_"},
		{"a flag", "-x", "x_"},
		{"a drive", `c:\x`, "c__x_"},
		{"a device", "nul", "nul_"},
		{"a device with a number", "com1.x", "com1.x_"},
		{"a commit number", "CP:727901", "cp_727901_"},
		{"a final point", "x.", "x._"},
		{"control characters", "x\x1b[2J\x00", "x__2j__"},
		{"not UTF-8", "\xff", "__"},
		{"very long", strings.Repeat("x", 1000), strings.Repeat("x", 80) + "_"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := commitFileName(test.commit)
			if strings.HasSuffix(test.want, "_") {
				if rest, ok := strings.CutPrefix(got, test.want); !ok || len(rest) != 20 {
					t.Errorf("%q, want %q and a digest", got, test.want)
				}
			} else if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
