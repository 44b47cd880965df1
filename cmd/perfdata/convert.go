package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/convert"
	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/message"
	"perfdata/internal/visible"
	"perfdata/nanolegacy"
	"perfdata/perun"
)

func (t *tool) convertCommand() *cobra.Command {
	c := &conversion{tool: t, tallies: make(map[int]tally)}
	cmd := &cobra.Command{
		Use:   "convert --to FORMAT [-o OUT] FILE...",
		Short: "Convert files to another format",
		Long: `Convert files, of any formats, to one file in one format. Several files are
put one after the other.

What the format can't hold is listed on standard error, each kind once with a
count and an example; so is what the format requires and had to be added. With
--strict, nothing is written then and the exit status is 1, but for additions.

What can't be read is reported; the rest is converted, and the exit status is 1.
After an error that ends the reading of a file, nothing is written. The files
are read twice: if they change meanwhile, the exit status is 2.

OUT appears when it is complete, or stays as it was. It is compressed if its
name ends in .gz, .zst or .zz. - is standard input.`,
		Example: `  go test -bench . | perfdata convert --to skiav1 --git-hash "$(git rev-parse HEAD)" -o run.json.gz -
  perfdata convert --to benchfmt old.json new.json | benchstat -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error { return c.run(files) },
	}
	flags := cmd.Flags()
	flags.StringVar(&c.to, "to", "", "the `format` to convert to: "+strings.Join(formatNames(), ", "))
	flags.StringVarP(&c.outName, "output", "o", "", "the `file` to write, instead of standard output")
	flags.StringVar(&c.survey.GitHash, "git-hash", "", "the `commit` at which was measured, where no file says it and the format requires it")
	flags.BoolVar(&c.strict, "strict", false, "write nothing and fail if the format can't hold everything")
	cmd.MarkFlagRequired("to")
	complete(cmd, "to", formatNames()...)
	complete(cmd, "git-hash")
	t.addMatchFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

// A conversion reads its files twice: first for what their measurements have in common.
type conversion struct {
	*tool
	to, outName string
	strict      bool
	survey      convert.Survey
	tallies     map[int]tally // of the first reading of the files
	samples     convert.Loss  // that legacy files have, and records don't
	models      convert.Loss  // that profiles of Perun have
	failed      bool          // a file can't be read to its end
	failure     error         // of a second reading
}

// errLost ends a strict conversion.
var errLost = errors.New("the format can't hold everything")

func (c *conversion) run(files []string) error {
	to, err := formatNamed(c.to)
	if err != nil {
		return err
	}
	c.to = to
	if c.outName == "-" {
		c.outName = ""
	} else if name, err := followLinks(c.outName); err == nil {
		if fd, ok := descriptor(name); ok && fd == 1 {
			c.outName = ""
		}
	}

	c.prints = c.outName != ""
	c.setMemoryLimit(c.limits.MaxHeldBytes + roomToRead/2) // see main: twice what is held would be too much
	failed, err := c.eachInput(files, c.look)
	switch {
	case err != nil || c.failure != nil:
		return firstError(err, c.failure)
	case failed || c.failed || c.strict && c.invalid:
		return nil // it was reported
	}

	if c.strict {
		// So that nothing is written to standard output, either.
		if err := c.write(files, io.Discard); err != nil {
			return c.end(err)
		}
	}
	if c.outName == "" {
		return c.end(c.write(files, c.data))
	}
	return c.end(c.writeFile(c.outName, func(out io.Writer) error {
		packed, err := compressed.NewWriter(out, compressed.ByName(c.outName))
		if err != nil {
			return err
		}
		return firstError(c.write(files, packed), packed.Close())
	}))
}

// end returns err if it isn't one that was reported.
func (c *conversion) end(err error) error {
	if errors.Is(err, errLost) {
		c.status = max(c.status, statusInvalid)
		return nil
	}
	return err
}

// look learns what the measurements of an input have in common, and reports its errors.
func (c *conversion) look(in *input) {
	r, err := in.open()
	if err != nil {
		c.fatal(err)
		return
	}
	defer r.Close()
	header, err := r.FileHeader()
	if err != nil {
		c.fatal(err)
		return
	}
	c.survey.AddHeader(header)

	n, _ := in.tallyRecords(r, c.selected(func(rec *format.Record) error {
		c.survey.Add(rec)
		return nil
	}), c.report)
	if n.failure != nil {
		c.fatal(n.failure)
		return
	}
	c.tallies[in.index] = n

	switch r.(type) {
	case *nanolegacy.Reader:
		err = c.countSamples(in)
	case *perun.Reader:
		err = c.countModels(in)
	}
	if err != nil {
		c.failure = firstError(c.failure, readAgain(err))
	}
}

func (c *conversion) fatal(err error) {
	c.report(err)
	c.failed = true
}

// countSamples counts the samples of a legacy file, which no record has.
func (c *conversion) countSamples(in *input) error {
	r, err := in.open()
	if err != nil {
		return err
	}
	defer r.Close()
	for s, err := range r.(*nanolegacy.Reader).Samples() {
		switch {
		case err == nil:
			if c.samples.Count == 0 {
				c.samples.Kind = convert.LostSamples
				c.samples.Example = "that of " + s.Params.ID()
			}
			c.samples.Count++
		case !isRecoverable(err): // faults of samples don't matter: none is converted
			return err
		}
	}
	return nil
}

// countModels counts the models of a profile, which no record has.
func (c *conversion) countModels(in *input) error {
	r, err := in.open()
	if err != nil {
		return err
	}
	defer r.Close()
	for _, err := range r.(*perun.Reader).Models() {
		switch {
		case err == nil:
			if c.models.Count == 0 {
				c.models.Kind = convert.LostModels
				c.models.Example = "those of " + in.name
			}
			c.models.Count++
		case !isRecoverable(err):
			return err
		}
	}
	return nil
}

// write converts the files and tells what was lost, once.
func (c *conversion) write(files []string, out io.Writer) error {
	w, err := convert.NewWriter(c.to, out, &c.survey)
	if err != nil {
		return err
	}
	w.Limits = c.limits
	for i, name := range files {
		if err := c.withInput(i, name, func(in *input) error { return c.copy(w, in) }); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}

	losses := w.Losses()
	if c.samples.Count > 0 {
		losses = append(losses, c.samples)
	}
	if c.models.Count > 0 {
		losses = append(losses, c.models)
	}
	lost := false
	for _, l := range losses {
		lost = lost || !l.Kind.Added()
	}

	if c.strict && out != io.Discard {
		return nil // it was told before, or there is nothing but additions
	}

	c.stdout.Flush()
	c.hideProgress()
	for _, l := range losses {
		color := yellow
		if l.Kind.Added() {
			color = ""
		}
		name := c.outName
		if name == "" {
			name = "<stdout>"
		}
		name, text := visible.String(name+": "), visible.String(c.describeLoss(l))
		fmt.Fprintln(c.stderr, styled(c.colorErr, bold, name)+styled(c.colorErr && color != "", color, text))
	}
	if c.strict && lost {
		return errLost
	}
	return nil
}

// describeLoss says what was lost, and what can be done about it.
func (c *conversion) describeLoss(l convert.Loss) string {
	switch l.Kind {
	case convert.AddedOptions:
		return l.String() + "; read them with --options-as-params"
	case convert.AddedGitHash:
		return "the commit isn't known, and is called " + message.Quote(l.Example) + "; --git-hash names it"
	}
	return l.String()
}

// copy writes the records of an input. What the first reading left out was reported then.
func (c *conversion) copy(w *convert.Writer, in *input) error {
	_, err := in.readRecordsAgain(c.tallies[in.index], c.selected(w.Write), func(error) {})
	return err
}
