package main

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
)

// commitFileName returns the name, without extension, of the file for the measurements of a commit.
// Different commits have different names, even where case does not matter, and every system takes
// them. The hash of a commit is its own name; other texts get a digest.
func commitFileName(commit string) string {
	// With the digest and the extension, a name stays below the 143 bytes that encrypted file
	// systems take.
	const longest = 80
	// Upper case becomes lower case: two names that differ in case only are one file on some
	// systems. The digest keeps their commits apart.
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
		strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") || device.MatchString(name)
	if name == commit && !odd {
		return name
	}
	digest := sha256.Sum256([]byte(commit))
	return strings.TrimLeft(name, ".-") + fmt.Sprintf("_%x", digest[:10])
}

// device is the name of a device on Windows, which has it with any extension.
var device = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
