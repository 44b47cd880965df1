package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"perfdata/internal/chars"
	"perfdata/internal/compressed"
)

// addOutputFlag adds -o to a command that prints results.
func (t *tool) addOutputFlag(cmd *cobra.Command) {
	name := ""
	cmd.Flags().StringVarP(&name, "output", "o", "-",
		"write to `FILE`, which is replaced atomically unless the exit status is 2; .gz, .zst and .zz compress it")

	// The command itself knows nothing of the file: it prints as to standard output.
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if isStdout(name) {
			err = run(cmd, args)
		} else {
			err = t.printTo(name, func() error { return run(cmd, args) })
		}
		if errors.Is(err, errNothing) {
			return nil
		}
		return err
	}
}

// printTo runs a command whose results go to the named file instead of standard output. If the
// command fails, the file stays as it was.
func (t *tool) printTo(name string, run func() error) error {
	return t.writeFile(name, func(w io.Writer) error {
		stdout, data, out, color := t.stdout, t.data, t.out, t.colorOut
		// What is printed after the file is written goes to standard output.
		defer func() { t.stdout, t.data, t.out, t.colorOut = stdout, data, out, color }()
		t.out, t.prints = w, true
		err := compress(w, name, func(packed io.Writer) error {
			t.stdout = bufio.NewWriterSize(packed, 64<<10)
			t.setData()
			return firstError(t.setColor(), run(), t.flushData()) // the value of --color is known to be valid
		})

		// A command that prints some results and fails returns no error, as its results are of use
		// on standard output. In a file they would look complete.
		if err == nil && t.status == statusFailed {
			err = fmt.Errorf("%s: not written", chars.Visible(name))
			if t.failure != nil {
				err = fmt.Errorf("%w: %s", err, shown(t.failure))
			}
		}
		return err
	})
}

// compress calls write with a writer that compresses what goes to out, as the name of the file
// says.
func compress(out io.Writer, name string, write func(io.Writer) error) error {
	packed, err := compressed.NewWriter(out, compressed.ByName(name))
	if err != nil {
		return err
	}
	// Close writes the data that the compressor still holds, so its error matters.
	return firstError(write(packed), packed.Close())
}

// These end a command without a result.
var (
	errBinary  = errors.New("the output is binary, and standard output is a terminal: use -o FILE")
	errNothing = errors.New("nothing to write") // the reason was reported
	errLost    = errors.New("nothing written (--strict)")
)

// otherCompressions are the ends of the names of files that other programs compress.
var otherCompressions = []string{".bz2", ".xz", ".lz4", ".br"}

// isStdout reports whether the name of an output file means standard output.
func isStdout(name string) bool {
	// Standard output may have many names, and a link to one of them.
	target, err := followLinks(name)
	fd, ok := descriptor(target)
	return name == "-" || err == nil && ok && fd == 1
}

// setData makes data from files go to standard output, escaped if that is a terminal. A file gets
// data as it is, since a program reads it.
func (t *tool) setData() {
	t.data = t.stdout
	if t.isTerminal(t.out) {
		t.data = &screen{out: t.stdout}
	}
}

// flushData writes the rest of the output. The end of the data may be a part of a character.
func (t *tool) flushData() error {
	if screen, ok := t.data.(*screen); ok {
		screen.flush()
	}
	return t.stdout.Flush()
}
