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
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/visible"
)

func main() {
	t := newTool(os.Stdin, os.Stdout, os.Stderr)
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // GOMEMLIMIT doesn't say it
		t.setMemoryLimit = func(n int64) { debug.SetMemoryLimit(n) }
	}
	// A Go program lets its memory double before it collects garbage. Near this much, it collects more often.
	t.setMemoryLimit(roomToRead)
	t.signals.listen()
	os.Exit(t.run(os.Args[1:]))
}

// roomToRead is how much memory reading takes: less than this with the default limits.
const roomToRead = 192 << 20

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
	data   io.Writer // stdout, for what is data from files
	out    io.Writer // that stdout writes to
	stderr io.Writer

	open      func(name string) (file, error)
	stdinFile io.ReadSeeker    // standard input, if it can seek
	pipes     map[string]*pipe // by the names that were given

	limits         format.Limits
	setMemoryLimit func(int64)
	signals        signals

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
		open: openFile, pipes: make(map[string]*pipe), limits: toolLimits(), setMemoryLimit: func(int64) {},
		isTerminal: isTerminal, progressFrom: showProgressFrom,
	}
}

func (t *tool) run(args []string) int {
	root := t.rootCommand()
	root.SetArgs(args)
	err := root.Execute()
	if screen, ok := t.data.(*screen); ok {
		screen.flush()
	}
	if err := firstError(err, t.stdout.Flush()); err != nil {
		t.fail(err)
	}
	for _, p := range t.pipes {
		p.copy.Close()
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
			t.data = t.stdout
			if t.isTerminal(t.out) {
				t.data = &screen{out: t.stdout}
			}
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
	refuseUnknown(root)
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Example = "  perfdata help convert"
			cmd.Run = nil
			cmd.RunE = func(_ *cobra.Command, args []string) error { return helpAbout(root, args) }
		case "completion":
			cmd.Example = "  source <(perfdata completion bash)"
			refuseUnknown(cmd)
			for _, shell := range cmd.Commands() {
				shell.Example = "  perfdata completion " + shell.Name()
			}
		}
	}
	return root
}

// refuseUnknown makes a command that has nothing but other commands fail if it is called with something else.
func refuseUnknown(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 2
	hint := ""
	if similar := cmd.SuggestionsFor(name); len(similar) > 0 {
		hint = "; did you mean " + strings.Join(similar, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q%s", name, cmd.CommandPath(), hint)
}

// helpAbout prints the help of the command that the arguments lead to.
func helpAbout(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return unknownCommand(cmd, rest[0])
	}
	cmd.InitDefaultHelpFlag()
	return cmd.Help()
}

// fail reports wrong usage, or what prevented the work.
func (t *tool) fail(err error) {
	t.hideProgress()
	fmt.Fprintf(t.stderr, "perfdata: %s\n", shown(err))
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

// shown returns an error as it is printed: with what a user of the tool can do about it, on one line.
func shown(err error) string {
	text := visible.String(err.Error())
	if e, ok := errors.AsType[*format.Error](err); ok && e.Err == format.ErrUnknown {
		text += "; --format names one"
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok && strings.HasPrefix(filepath.Base(e.Path), "perfdata-spool-") {
		text += "; TMPDIR names the folder of temporary files"
	}
	return text + raiseHint(text)
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
