package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"perfdata/perun"
)

// What the commands for Perun profiles share.

// eachProfile opens each Perun profile in turn and calls do with it. Files of other formats are reported.
func (t *tool) eachProfile(files []string, do func(*input, *perun.Reader)) error {
	return t.eachInput(files, func(in *input) {
		r, err := in.open()
		if err != nil {
			t.report(err)
			return
		}
		defer r.Close()
		profile, ok := r.(*perun.Reader)
		if !ok {
			t.report(fmt.Errorf("%s: not a Perun profile: its format is %s (%s)", in.name, in.info.Name, in.info.Title))
			return
		}
		do(in, profile)
	})
}

// addProfileFlags adds the flags of a command that reads Perun profiles.
func (t *tool) addProfileFlags(cmd *cobra.Command) { t.addFormatFlag(cmd) }
