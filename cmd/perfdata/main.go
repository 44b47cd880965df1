// Command perfdata checks, looks at and names the measurements in files of performance results.
//
//	perfdata validate run.json
//	perfdata records -o text run.json
//	perfdata id match 'arch=x86&stat=!max' < ids
//
// "perfdata help" lists the commands. The exit status is 0 if all went well, 1 if some input is invalid, and 2
// after wrong usage or an I/O error. Results go to standard output, everything else to standard error.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/spool"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	statusOK      = 0
	statusInvalid = 1
	statusFailed  = 2
)

// A tool is one run of the program.
type tool struct {
	stdin  io.Reader
	stdout *bufio.Writer
	stderr io.Writer

	stdinFile io.ReadSeeker // see openStdin
	stdinPipe *spool.Spool

	format  string // that --format names
	invalid bool   // some input is
	status  int
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t := &tool{stdin: stdin, stdout: bufio.NewWriterSize(stdout, 64<<10), stderr: stderr}
	root := &cobra.Command{
		Use:           "perfdata",
		Short:         "Check, look at and name the measurements in files of performance results",
		SilenceErrors: true,
		SilenceUsage:  true,
		CompletionOptions: cobra.CompletionOptions{
			HiddenDefaultCmd: true,
		},
	}
	root.AddCommand(t.validateCommand(), t.recordsCommand(), t.headerCommand(), t.detectCommand(), t.idCommand(),
		t.flameCommand(), t.tableCommand(), t.plotCommand())
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(t.stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		t.fail(err)
	}
	if err := t.stdout.Flush(); err != nil {
		t.fail(err)
	}
	if t.stdinPipe != nil {
		t.stdinPipe.Close()
	}
	return t.status
}

// fail reports wrong usage, or what prevented the work.
func (t *tool) fail(err error) {
	fmt.Fprintf(t.stderr, "perfdata: %v\n", err)
	t.status = statusFailed
}

// report prints what is wrong with an input.
func (t *tool) report(err error) {
	t.stdout.Flush() // so that on a terminal it comes where it belongs
	fmt.Fprintln(t.stderr, explain(err))
	status := statusOf(err)
	t.invalid = t.invalid || status == statusInvalid
	t.status = max(t.status, status)
}

func statusOf(err error) int {
	if e, ok := errors.AsType[*format.Error](err); ok && e.Warning {
		return statusOK
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return statusFailed
	}
	return statusInvalid
}
