// Command perfdata inspects, validates and converts performance-result files.
//
//	perfdata validate run.json
//	perfdata records --as text run.json
//	perfdata convert --to skiav1 -o run.json.gz bench.txt
//	perfdata id match 'arch=x86&stat=!max' < ids
//
// "perfdata help" lists the commands. The exit status is 0 on success, 1 if any input is invalid, 2
// for usage and I/O errors, and 3 if a command that judges finds something worse. Results go to
// standard output, everything else to standard error.
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
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/hint"
)

func main() { os.Exit(runProcess()) }

// runProcess runs the tool as all of this process does, and returns the exit status.
func runProcess() int {
	t := newTool(os.Stdin, os.Stdout, os.Stderr)
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // GOMEMLIMIT is not set
		t.setMemoryLimit = func(n int64) { debug.SetMemoryLimit(n) }
	}
	if os.Getenv("GOGC") == "" {
		t.setGCPercent = func(percent int) { debug.SetGCPercent(percent) }
	}
	// A Go program lets its memory double before it collects garbage. Near the limit, it collects
	// more often.
	t.setMemoryLimit(roomToRead)
	t.signals.listen()
	return t.run(os.Args[1:])
}

// roomToRead is the memory that suffices for reading with the default limits.
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
	data   io.Writer // stdout, for data from files
	out    io.Writer // the destination of stdout
	stderr io.Writer
	errs   io.Writer // the destination of stderr
	last   [2]*lastWriter

	inputs
	display
	selection

	quiet          bool // the value of --quiet
	limits         format.Limits
	setMemoryLimit func(int64)
	setGCPercent   func(int)
	sortMemory     int64 // for rows that are sorted
	signals        signals

	reading reading
	invalid bool // some input is invalid
	status  int
	failure error // that made the status statusFailed, and is only in the results
}

// inputs opens files.
type inputs struct {
	open      func(name string) (file, error)
	stdinFile io.ReadSeeker    // standard input, if it is seekable
	pipes     map[string]*pipe // by the names on the command line
	readsOnce bool             // the command reads each file once
	repeated  map[string]bool  // names that occur twice on the command line

	readsFolders bool // the command has -r
	readsStores  bool // withInput opens stores
	recursive    bool // the value of -r
	walk         walk // of the folders, with -r
}

// A display decides what is shown on terminals.
type display struct {
	isTerminal         func(io.Writer) bool
	color              string // the value of --color
	colorOut, colorErr bool

	bar          *progressbar.ProgressBar // the current one
	passes       map[int]int              // how often each file was read, by its index
	progressFrom int64                    // the size of files that get a progress bar
	prints       bool                     // the command prints only at the end, so a progress bar may be shown
}

func newTool(stdin io.Reader, stdout, stderr io.Writer) *tool {
	t := &tool{
		stdin: stdin, out: stdout, errs: stderr,
		inputs:  inputs{open: openFile, pipes: make(map[string]*pipe)},
		display: display{isTerminal: isTerminal, passes: make(map[int]int), progressFrom: showProgressFrom},
		limits:  toolLimits(), setMemoryLimit: func(int64) {}, setGCPercent: func(int) {}, sortMemory: sortMemory,
	}
	t.last = [2]*lastWriter{newLastWriter(t, stdout, &t.colorOut), newLastWriter(t, stderr, &t.colorErr)}
	t.stdout, t.stderr = bufio.NewWriterSize(t.last[0], 64<<10), t.last[1]
	return t
}

func (t *tool) run(args []string) int {
	root := t.rootCommand()
	root.SetArgs(args)
	err := root.Execute()
	if err := firstError(err, t.flushData()); err != nil {
		t.fail(err)
	}
	for _, w := range t.last {
		w.screen.flush()
	}
	for _, p := range t.pipes {
		p.copy.Close()
	}
	return t.status
}

func (t *tool) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "perfdata",
		Short: "Inspect, validate, convert and compare performance-result files",
		Long: `Inspect, validate, convert and compare performance-result files: Skia Perf
(version 1 and legacy), Go benchmarks, Autotest keyvals, Perun profiles, and what
Google Benchmark, JMH, hyperfine, pytest-benchmark and other runners write:
"perfdata formats" lists all. Formats, gzip, zstd and zlib compression, and UTF-16
are detected automatically.

A FILE may be a pipe, - for standard input, or the results folder of an Autotest
job or of Criterion.rs. With -r, it may be any folder: all files in it are read.

Exit status: 0 success, 1 invalid input, 2 usage or I/O error, 3 a judgment: worse
or drift. Results go to standard output, diagnostics to standard error.`,
		Example: "  perfdata validate run.json\n  go test -bench . | perfdata convert --to skiav1 -\n" +
			"  perfdata compare old.json new.json",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if output := cmd.Flags().Lookup("output"); output != nil && output.Changed {
				if err := checkOutput(output.Value.String()); err != nil {
					return err
				}
			}
			t.setData()
			return t.setColor()
		},
	}

	root.SetIn(t.stdin)
	root.SetOut(t.stdout)
	root.SetErr(t.stderr)
	root.PersistentFlags().StringVar(&t.color, "color", "auto", "`WHEN` to use color: auto, always or never")
	root.PersistentFlags().BoolVarP(&t.quiet, "quiet", "q", false, "print no notes and no warnings")
	complete(root, "color", "auto", "always", "never")

	root.AddCommand(t.validateCommand(), t.recordsCommand(), t.headerCommand(), t.infoCommand(), t.detectCommand(),
		t.convertCommand(), t.idCommand(), t.lsCommand(), t.flameCommand(), t.tableCommand(), t.plotCommand(),
		t.compareCommand(), t.driftCommand(), t.checkCommand(), t.changesCommand(), t.reportCommand(),
		t.storeCommand(), t.formatsCommand(), t.versionCommand(), t.manCommand(), verdictsTopic())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	refuseUnknown(root)
	explainArgs(root)
	root.SetFlagErrorFunc(explainFlag)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 100"))
	root.Version = versionText()
	root.SetVersionTemplate("{{.Version}}\n")

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
				if shell.Name() == "bash" {
					t.standaloneBash(shell)
				}
			}
		}
	}
	return root
}

// refuseUnknown makes a command that has only subcommands fail for any other argument.
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
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			known = append(known, sub.Name())
		}
	}
	meant := hint.DidYouMean(name, known)
	if meant == "" {
		meant = fmt.Sprintf("; see %s --help", cmd.CommandPath())
	}
	return fmt.Errorf("unknown command %q for %q%s", name, cmd.CommandPath(), meant)
}

// explainFlag adds a suggestion to an error about a flag that the command does not have: a similar
// flag of the command, or the commands that have the flag.
func explainFlag(cmd *cobra.Command, err error) error {
	e, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	name := e.GetSpecifiedName()
	if others := commandsWith(cmd.Root(), name); len(others) > 0 {
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		return fmt.Errorf("%s has no flag %s%s; commands with this flag: %s", commandName(cmd), dashes, name,
			strings.Join(others, ", "))
	}

	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if best := hint.Similar(name, known); best != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, best)
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// commandsWith returns the names of the commands below root that have a flag of this name, or of
// this letter.
func commandsWith(root *cobra.Command, flag string) (names []string) {
	for _, cmd := range root.Commands() {
		f := cmd.Flags().Lookup(flag)
		if f == nil && len(flag) == 1 {
			f = cmd.Flags().ShorthandLookup(flag)
		}
		if f != nil && !f.Hidden && cmd.IsAvailableCommand() {
			names = append(names, commandName(cmd))
		}
		names = append(names, commandsWith(cmd, flag)...)
	}
	return names
}

// commandName returns the name of a command as users type it after that of the program.
func commandName(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), "perfdata ")
}

// helpAbout prints the help of the command that the arguments name.
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

// fail reports a usage error, or an error that prevents the work.
func (t *tool) fail(err error) {
	t.hideProgress()
	fmt.Fprintln(t.stderr, shownLine(err))
	t.status = statusFailed
}

// note prints a line about something that is not an error.
func (t *tool) note(text string, args ...any) {
	if t.quiet {
		return
	}
	t.stdout.Flush() // keep the order of results and notes on a terminal
	t.hideProgress()
	fmt.Fprintf(t.stderr, "perfdata: note: %s\n", chars.Visible(fmt.Sprintf(text, args...)))
}

// report prints an error of an input.
func (t *tool) report(err error) {
	t.stdout.Flush() // keep the order of results and errors on a terminal
	t.hideProgress()
	fmt.Fprintln(t.stderr, t.styledError(err))
	t.count(err)
}

// countError counts an error of an input that is in the results, and was not reported.
func (t *tool) countError(err error) {
	if t.count(err) == statusFailed && t.failure == nil {
		t.failure = err
	}
}

// count makes an error of an input part of the exit status, and returns its own.
func (t *tool) count(err error) int {
	status := statusOf(err)
	t.invalid = t.invalid || status == statusInvalid
	t.status = max(t.status, status)
	return status
}

// shownLine returns an error as it is printed. It begins with the name of the tool, unless it
// begins with a position in a file.
func shownLine(err error) string {
	text := shown(err)
	if _, ok := err.(*format.Error); ok || stdinLine.MatchString(text) {
		return text
	}
	return "perfdata: " + text
}

// stdinLine begins an error about a line of trace IDs.
var stdinLine = regexp.MustCompile(`^<stdin>:[0-9]+: `)

// shown returns the text of an error on one line, with a hint for users of the tool.
func shown(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		file, hint := e.Path, ""
		if strings.HasPrefix(filepath.Base(file), "perfdata-spool-") {
			dir := filepath.Dir(file)
			file = "temporary file in " + dir
			if dir == filepath.Clean(os.TempDir()) { // and not the folder of the output file
				hint = "; set TMPDIR to use another folder"
			}
		}
		text = strings.Replace(text, e.Error(), file+": "+e.Err.Error()+hint, 1)
	}
	if e, ok := errors.AsType[*format.Error](err); ok {
		if strings.HasPrefix(e.Message, "unknown format: ") {
			text += "; use --from to choose one"
		}
		if _, program, ok := strings.Cut(e.Message, ": want it decompressed, with "); ok && e.Name != inputName("-") {
			text += fmt.Sprintf(", such as %sc %s | perfdata COMMAND -", program, e.Name)
		}
	}
	return chars.Visible(withFlag(text))
}

func statusOf(err error) int {
	if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Warning {
		return statusOK
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok || errors.Is(err, format.ErrChanged) {
		return statusFailed
	}
	return statusInvalid
}
