package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionCommand returns the command that prints what --version prints: people try both.
func (t *tool) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version, the revision that the program was built from and the version of
Go. --version prints the same.`,
		Example: "  perfdata version",
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(t.stdout, versionText())
			return nil
		},
	}
}

// releaseVersion is the version of the newest section of CHANGELOG.md. The module of the tool has
// none of its own that a build in a clone could know.
const releaseVersion = "0.1.0"

// versionText returns a line such as "perfdata 0.1.0, revision 1f6e9a4, go1.26.8". A program that
// was not built in a clone, or without Git, does not know its revision.
func versionText() string {
	text := "perfdata " + releaseVersion
	if revision := buildSetting("vcs.revision"); revision != "" {
		text += ", revision " + revision
	}
	if buildSetting("vcs.modified") == "true" {
		text += " (modified)"
	}
	return text + ", " + runtime.Version()
}

// buildSetting returns what the go command recorded in the program, or the empty string.
func buildSetting(key string) string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}
