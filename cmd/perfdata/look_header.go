package main

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/chars"
)

// headerCommand returns the command that prints headers. Readers read the header first, so it is
// fast even for large files.
func (t *tool) headerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "header FILE...",
		Short: "Print file headers as JSON",
		Long: `Print the header of each file as a JSON object. With several files, each object
starts with the file name. Use - for standard input.`,
		Example: "  perfdata header run.json",
		RunE: func(_ *cobra.Command, files []string) error {
			t.readsOnce = true
			t.eachInput(files, func(in *input) error { return t.printHeader(in, t.isSeveral(files)) })
			return nil
		},
	}
	t.addOutputFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

// printHeader prints the header of a file, with its name if there are several files.
func (t *tool) printHeader(in *input, several bool) error {
	r, err := in.open()
	if err != nil {
		return err
	}

	header, err := r.FileHeader()
	if err != nil {
		return err
	}
	// A header is the same in all formats if it is empty. A measurement shows the format.
	if in.doubtful {
		for _, err := range in.records(r) {
			if errors.Is(err, format.ErrUnknown) {
				return err
			}
			break
		}
	}
	// A header is printed as its format has it, and not as what all formats share: it is for people
	// who know the format. The name is added as text, because a map would not keep the order of the
	// other members.
	object, err := json.Marshal(header)
	if err != nil {
		return err
	}

	if several {
		first := chars.AppendJSON([]byte(`{"file":`), in.name)
		object = append(append(first, ','), object[1:]...)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, object, "", "  "); err != nil {
		return err
	}
	pretty.WriteByte('\n')
	_, err = pretty.WriteTo(t.data)
	return err
}
