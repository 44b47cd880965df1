package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"perfdata/perun"
)

// What the commands for Perun profiles share.

// eachProfile opens each Perun profile in turn and calls do with it. Files of other formats are
// reported.
func (t *tool) eachProfile(files []string, do func(*input, *perun.Reader) error) {
	t.eachInput(files, func(in *input) error {
		return in.profile(func(r *perun.Reader) error { return do(in, r) })
	})
}

// profile calls do with a Reader of the input, if it is a Perun profile.
func (in *input) profile(do func(*perun.Reader) error) error {
	r, err := in.open()
	if err != nil {
		return err
	}
	profile, ok := r.Reader.(*perun.Reader)
	if !ok {
		return fmt.Errorf("%s: not a Perun profile: its format is %s (%s)", in.name, in.info.Name, in.info.Title)
	}
	return do(profile)
}

// addProfileFlags adds the flags of a command that reads Perun profiles: flags for other formats
// do not apply to them.
func (t *tool) addProfileFlags(cmd *cobra.Command) {
	t.addFromFlag(cmd, "perun")
	t.addLimitFlag(cmd)
}
