package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/convert"
	"perfdata/internal/chars"
	"perfdata/internal/message"
)

// convertCommand returns the command that converts files. Package convert says what becomes of each
// thing that a format has; the command reads the files, and names and writes the outputs.
func (t *tool) convertCommand() *cobra.Command {
	c := &conversion{tool: t, tallies: make(map[int]*tally), byCommit: make(map[string]*convertPart)}
	cmd := &cobra.Command{
		Use:   "convert --to FORMAT [-o OUT] FILE...",
		Short: "Convert files to another format",
		Long: `Convert files of any formats to one file in one format. The records of several
files follow one another. The format tap is a report in the Test Anything
Protocol, which can only be written.

The commit is kept: git_hash, gitHash, origin and a line "commit: 1a2b3c" are
the same thing. Go benchmarks hold several commits, so that benchstat can
compare them: the commits of one file with -col commit, or two files of one
commit each with -ignore commit. The other formats hold one: if the files have
several, write a file for each commit with --split. --commit names the commit of
measurements for which the files name none.

Names depend on the measurement alone, and not on the rest of the file. The
documentation of each format's package says how they are made.

Repetitions stay repetitions: benchmark lines of the same name, iterations of
keyvals, params repetition, and samples are converted to each other. Repetitions
of several files of a commit add up.

Notes on standard error say what the format cannot hold, and what had to be
added. With --strict, nothing is written if the format cannot hold everything
or there are no measurements, and the exit status is 1; additions are allowed.

Unreadable measurements are reported; the rest is converted, and the exit status
is 1. After an error that ends the reading of a file, nothing is written. The
files are read twice: if they change meanwhile, the exit status is 2.

A FILE may also be a database of perfdata store: its measurements of the mainline.

OUT is replaced when it is complete, and otherwise unchanged. It is compressed if its
name ends in .gz, .zst or .zz. - is standard input.`,
		Example: `  go test -bench . | perfdata convert --to skiav1 --commit "$(git rev-parse HEAD)" -o run.json -
  perfdata convert --to benchfmt old.json new.json | benchstat -col commit -
  benchstat -ignore commit old.txt new.txt     # if each has been converted
  perfdata convert --to skiav1 --split runs bench.txt
  perfdata convert --to benchfmt --match arch=x86 -o old.txt perf.db`,
		RunE: func(_ *cobra.Command, files []string) error { return c.run(files) },
	}

	flags := cmd.Flags()
	names := namesOf(targets())
	addFunc(cmd, "to", "output `FORMAT`: "+oneOf(names), func(text string) (err error) {
		c.to, err = formatNamed(text, targets())
		return err
	}, names...)
	flags.StringVarP(&c.outName, "output", "o", "-", "output `FILE`, replaced atomically")
	flags.StringVar(&c.split, "split", "",
		"write a file for each commit to the folder `DIR`; a note says which older files are replaced")
	flags.BoolVar(&c.force, "force", false, "let the output replace an input by another format")
	flags.BoolVar(&c.strict, "strict", false, "write nothing and fail if the format cannot hold everything")

	cmd.MarkFlagRequired("to")
	cmd.MarkFlagsMutuallyExclusive("output", "split")
	cmd.MarkFlagDirname("split")
	t.addMatchFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

// run converts files. Nothing is written before all files were read without an error that ends
// them: an output with a part of the measurements would look complete.
func (c *conversion) run(files []string) error {
	// If the output is a file, a progress bar does not get between results on a terminal.
	c.prints = c.split != "" || !isStdout(c.outName)
	// See main: twice the held records would be too much. On a busy machine, the collector lags by
	// up to a tenth.
	c.setMemoryLimit(min(c.reading.opener.Limits.MaxHeldBytes, math.MaxInt64-roomToRead) + roomToRead/12*5)
	c.readsStores = true
	// This is the first reading. It decides whether a second one follows. All files are read even if
	// one fails, so that one run of the command shows all errors.
	failed := c.eachInput(files, c.look)

	switch {
	case c.failure != nil:
		return c.failure
	case failed:
		return nil // it was reported
	case c.strict && c.invalid:
		return c.end(errLost)
	}
	// From here on, the files can be converted. It remains to check the output, before it is
	// touched.
	if err := c.checkReplaced(files); err != nil {
		return err
	}
	// A file without a measurement is often a mistake, and with --strict an error.
	isEmpty := false
	for i, name := range files {
		if n := c.tallies[i]; n.records+n.extras == 0 {
			c.note("%s: no measurements", inputName(name))
			isEmpty = true
		}
	}
	// A query without a match was probably mistyped: an empty output must not replace an older file.
	if c.reportUnmatched("measurement"); len(c.queries) > 0 && !c.matched {
		return nil
	}

	// Check that all parts can be written before any is. To be strict, write them for nothing.
	for _, part := range c.parts {
		w, err := part.survey.NewWriter(io.Discard)
		if err != nil && c.split != "" {
			err = fmt.Errorf("%s: %w", inputName(files[part.inputs[0]]), err)
		}
		if err == nil && c.strict {
			err = c.writePart(w, part, files)
		}
		if err != nil {
			return c.end(err)
		}
	}

	// Losses are known only after the writing, hence the writing for nothing.
	if c.strict && (c.noteLosses() || isEmpty) {
		return c.end(errLost)
	}
	if err := c.writeParts(files); err != nil {
		return c.end(err)
	}
	if !c.strict { // otherwise the losses were noted
		c.noteLosses()
	}
	return nil
}

// checkReplaced returns an error if an output would replace an input by another format, without
// --force.
func (c *conversion) checkReplaced(files []string) error {
	if c.force {
		return nil
	}
	flag := "file with -o"
	if c.split != "" {
		flag = "folder with --split"
	}
	for _, part := range c.parts {
		// Neither standard output nor a new file replaces an input. Files are compared, and not their
		// names, because a file may have several.
		out, err := os.Stat(c.nameOf(part))
		if err != nil {
			continue
		}
		for i, name := range files {
			// The same file in the same format is likely meant, as with sed -i.
			from := c.tallies[i].format
			if in, err := os.Stat(name); err == nil && os.SameFile(in, out) && from != c.to.Name {
				return fmt.Errorf("%s: the output would replace this input of format %s by %s; "+
					"name another %s, or add --force", inputName(name), from, c.to.Name, flag)
			}
		}
	}
	return nil
}

// nameOf returns the name of the file that a part is written to.
func (c *conversion) nameOf(part *convertPart) string {
	if c.split == "" {
		return c.outName
	}
	return filepath.Join(c.split, commitFileName(part.commit)+c.to.Extensions[0])
}

// end returns err if it is not one of the conversion's own errors, which it prints. They are about
// the choice of the format and its flags, so they say which flag helps, and the status is 1, as
// for an invalid input, and not 2, as for a failure.
func (c *conversion) end(err error) error {
	hints := map[error]string{
		convert.ErrCommits:  ": write a file for each with --split DIR",
		convert.ErrNoCommit: `: add --commit "$(git rev-parse HEAD)"`,
		errLost:             "",
	}
	for cause, hint := range hints {
		if errors.Is(err, cause) {
			c.stdout.Flush()
			c.hideProgress()
			fmt.Fprintf(c.stderr, "perfdata: %s\n", chars.Visible(err.Error()+hint))
			c.status = max(c.status, statusInvalid)
			return nil
		}
	}
	return err
}

// writeParts writes the output: one file, or one for each commit.
func (c *conversion) writeParts(files []string) error {
	// The folder is made only if there is a file for it.
	if c.split != "" && len(c.parts) > 0 {
		if err := os.MkdirAll(c.split, 0o777); err != nil {
			return err
		}
	}
	var replaced []string
	for _, part := range c.parts {
		name := c.nameOf(part)
		// Earlier runs may have written to the same folder, for other commits or the same. This is looked
		// up before the writing, after which the file exists in any case.
		_, missing := os.Stat(name)

		write := func(out io.Writer) error {
			w, err := part.survey.NewWriter(out)
			if err != nil {
				return err
			}
			return c.writePart(w, part, files)
		}
		// Standard output has no name that asks for compression, and cannot be replaced as a whole.
		if isStdout(name) {
			return write(c.data)
		}

		if err := c.writeFile(name, func(out io.Writer) error { return compress(out, name, write) }); err != nil {
			return err
		}
		if c.split != "" && missing == nil {
			replaced = append(replaced, name)
		}
	}
	if len(replaced) > 0 {
		c.note("%s replaced, such as %s", message.Plural(len(replaced), "older file"), replaced[0])
	}
	return nil
}

// commitFileName returns the name, without extension, of the file for the measurements of a commit.
// Different commits have different names, even where case does not matter, and every system takes
// them. The hash of a commit is its own name; other texts get a digest.
func commitFileName(commit string) string {
	// With the digest and the extension, a name stays below the 143 bytes that encrypted file
	// systems take.
	const longest = 80
	// Upper case becomes lower case: two names that differ in case only are one file on some
	// systems. The digest keeps their commits apart.
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r == '-', r == '.':
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
