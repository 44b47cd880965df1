package main

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
)

func (t *tool) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version, the revision that the program was built from and the version of
Go. --version prints the same.`,
		Example: "  perfdata version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(t.stdout, versionText())
			return nil
		},
	}
}

// releaseVersion is the version of the newest section of CHANGELOG.md. The module of the tool has none of
// its own that a build in a clone could know.
const releaseVersion = "0.1.0"

// versionText returns a line such as "perfdata 0.1.0, revision 1f6e9a4, go1.26.8".
func versionText() string {
	revision, modified, goVersion := "", "", "an unknown version of Go"
	if build, ok := debug.ReadBuildInfo(); ok {
		goVersion = build.GoVersion
		for _, s := range build.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = ", revision " + s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " (modified)"
			}
		}
	}
	return "perfdata " + releaseVersion + revision + modified + ", " + goVersion
}

// versionTime returns the time of the revision that the program was built from, or the zero Time.
func versionTime() time.Time {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "vcs.time" {
				at, _ := time.Parse(time.RFC3339, s.Value)
				return at
			}
		}
	}
	return time.Time{}
}
