// Command perfdata checks, looks at, converts and names the measurements in files of performance results.
//
//	perfdata validate run.json
//	perfdata records -o text run.json
//	perfdata convert --to skiav1 -o run.json.gz bench.txt
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

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/spool"
)

func main() {
	os.Exit(newTool(os.Stdin, os.Stdout, os.Stderr).run(os.Args[1:]))
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
	out    io.Writer // that stdout writes to
	stderr io.Writer

	stdinFile io.ReadSeeker // see openStdin
	stdinPipe *spool.Spool

	isTerminal         func(io.Writer) bool
	color              string // that --color says
	colorOut, colorErr bool

	bar          *progressbar.ProgressBar // that is shown
	progressFrom int64
	prints       bool // little on standard output, and at the end: a progress bar doesn't get in its way

	reading reading
	invalid bool // some input is
	status  int
}

func newTool(stdin io.Reader, stdout, stderr io.Writer) *tool {
	return &tool{
		stdin: stdin, stdout: bufio.NewWriterSize(stdout, 64<<10), out: stdout, stderr: stderr,
		isTerminal: isTerminal, progressFrom: showProgressFrom,
	}
}

func (t *tool) run(args []string) int {
	root := t.rootCommand()
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		err = t.stdout.Flush()
	} else {
		t.stdout.Flush()
	}
	if err != nil {
		t.fail(err)
	}
	if t.stdinPipe != nil {
		t.stdinPipe.Close()
	}
	return t.status
}

func (t *tool) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "perfdata",
		Short: "Check, look at, convert and name the measurements in files of performance results",
		Long: `Check, look at, convert and name the measurements in files of performance results.
Files may be compressed with gzip, zstd or zlib; their format is detected.

The exit status is 0 if all went well, 1 if some input is invalid, and 2 after
wrong usage or an I/O error. Results go to standard output, everything else to
standard error.`,
		Example:       "  perfdata validate run.json\n  go test -bench . | perfdata convert --to skiav1 -",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return t.setColor()
		},
	}
	root.SetIn(t.stdin)
	root.SetOut(t.stdout)
	root.SetErr(t.stderr)
	root.PersistentFlags().StringVar(&t.color, "color", "auto", "`when` to print in colour: auto, always or never")
	complete(root, "color", "auto", "always", "never")
	root.AddCommand(t.validateCommand(), t.recordsCommand(), t.headerCommand(), t.infoCommand(), t.detectCommand(), t.convertCommand(), t.idCommand(),
		t.flameCommand(), t.tableCommand(), t.plotCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Example = "  perfdata help convert"
		case "completion":
			cmd.Example = "  source <(perfdata completion bash)"
			for _, shell := range cmd.Commands() {
				shell.Example = "  perfdata completion " + shell.Name()
			}
		}
	}
	return root
}

// fail reports wrong usage, or what prevented the work.
func (t *tool) fail(err error) {
	t.hideProgress()
	fmt.Fprintf(t.stderr, "perfdata: %v\n", err)
	t.status = statusFailed
}

// report prints what is wrong with an input.
func (t *tool) report(err error) {
	t.stdout.Flush() // so that on a terminal it comes where it belongs
	t.hideProgress()
	fmt.Fprintln(t.stderr, t.styledError(err))
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
