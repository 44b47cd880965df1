package main

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// commitFileName returns the name, without extension, of the file for the measurements of a commit.
// Different commits have different names, even where case does not matter, and every system takes
// them. The hash of a commit is its own name; other texts get a digest.
func commitFileName(commit string) string {
	const longest = 80
	isPlain := func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == '-' || r == '.' }
	name := strings.Map(func(r rune) rune {
		switch {
		case isPlain(r):
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, commit[:min(len(commit), longest)])
	if name == "" {
		return "no_commit"
	}

	// A name without a digest has no underscore, so that it cannot be that of another commit.
	odd := strings.Contains(name, "_") || strings.Contains(name, "..") || strings.HasSuffix(name, ".") ||
		strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") || isDevice(name)
	if name == commit && !odd {
		return name
	}
	digest := sha256.Sum256([]byte(commit))
	return strings.TrimLeft(name, ".-") + fmt.Sprintf("_%x", digest[:10])
}

// isDevice reports whether the name is that of a device on Windows, whatever its extension.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	rest, com := strings.CutPrefix(name, "com")
	if !com {
		var lpt bool
		if rest, lpt = strings.CutPrefix(name, "lpt"); !lpt {
			return false
		}
	}
	return len(rest) == 1 && rest[0] >= '0' && rest[0] <= '9'
}
