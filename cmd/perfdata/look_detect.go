package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/chars"
)

// detectCommand returns the command that names the formats of files. Its output is one line for
// each file, like the output of file(1), so that scripts can parse it.
func (t *tool) detectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "detect FILE...",
		Short: "Print the format of each file",
		Long: `Print "FILE: FORMAT" for each file, followed by the compression if any, or "FILE:
unknown". For a single file of an unknown format, the reason is printed on
standard error. The exit status is 1 if any format is unknown. Use - for
standard input.`,
		Example: "  perfdata detect *.json",
		RunE:    t.detect,
	}
	t.addOutputFlag(cmd)
	t.addLimitFlag(cmd)
	t.addFolderFlag(cmd)
	return cmd
}

// detect prints the format of each file. It reads no more than detection needs, so it can be asked
// about large files.
func (t *tool) detect(_ *cobra.Command, files []string) error {
	t.readsOnce = true
	show := func(name string, formats ...string) {
		fmt.Fprintf(t.stdout, "%s: %s\n", chars.Visible(name), strings.Join(formats, ", "))
	}
	t.setRepeated(files)
	for i, name := range files {
		err := t.withInput(i, name, func(in *input) error {
			show(in.name, append([]string{in.info.Name}, in.compression...)...)
			return nil
		})
		isUnknown := errors.Is(err, format.ErrUnknown)
		if isUnknown {
			show(inputName(name), "unknown")
		}
		switch {
		case err == nil:
		// Among several files, "unknown" is the answer to the question, and a reason for each
		// would be noise. The exit status is the status of the reason.
		case isUnknown && t.isSeveral(files):
			t.countError(err)
		default:
			t.report(err)
		}
	}
	return nil
}
