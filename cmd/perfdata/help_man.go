package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand returns the command that writes the man pages, for packagers.
func (t *tool) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write man pages",
		Long: `Write a man page for each command into the folder DIR, which is made if it does
not exist.`,
		Example: "  perfdata man /usr/local/share/man/man1",
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			// GenManTree fails if the folder does not exist.
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}

			root := cmd.Root()
			// Pages must be the same in two builds of one revision, so that packages are
			// reproducible.
			root.DisableAutoGenTag = true // it has the date
			markExamples(root)
			header := &doc.GenManHeader{Section: "1", Source: "perfdata", Manual: "perfdata"}
			if at := versionTime(); !at.IsZero() {
				header.Date = &at
			}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return err
			}
			return writeTopics(root, *header, args[0])
		},
	}
}

// writeTopics writes the pages that are about no command, which GenManTree leaves out.
func writeTopics(root *cobra.Command, header doc.GenManHeader, dir string) error {
	for _, cmd := range root.Commands() {
		if !cmd.IsAdditionalHelpTopicCommand() {
			continue
		}
		// The title and name are formed as GenManTree does for commands.
		var page bytes.Buffer
		header.Title = strings.ToUpper(strings.ReplaceAll(cmd.CommandPath(), " ", "-"))
		if err := doc.GenMan(cmd, &header, &page); err != nil {
			return err
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + "." + header.Section
		if err := os.WriteFile(filepath.Join(dir, name), page.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// markExamples makes the indented lines of help texts preformatted in man pages, which are made
// from Markdown.
func markExamples(cmd *cobra.Command) {
	// Markdown wants four blanks or a tab before preformatted lines; help texts have two.
	var b strings.Builder
	for line := range strings.Lines(cmd.Long) {
		if strings.HasPrefix(line, "  ") {
			line = "  " + line
		}
		b.WriteString(line)
	}
	cmd.Long = b.String()
	for _, sub := range cmd.Commands() {
		markExamples(sub)
	}
}
