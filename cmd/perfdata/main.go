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
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
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

// roomToRead is the memory that suffices for reading with the default limits. Commands that hold
// measurements add the bytes that they may hold.
const roomToRead = 192 << 20

// The exit statuses.
const (
	statusOK      = 0
	statusInvalid = 1
	statusFailed  = 2
	statusJudged  = 3 // a judgment that fails a build
)

// A tool is one run of the program.
type tool struct {
	stdin  io.Reader
	stdout *bufio.Writer
	data   io.Writer // stdout, for data from files
	out    io.Writer // the destination of stdout
	stderr io.Writer
	errs   io.Writer  // the destination of stderr
	last   [2]*screen // what everything goes through that is printed

	inputs
	display
	selection

	quiet          bool // the value of --quiet
	setMemoryLimit func(int64)
	setGCPercent   func(int)
	sortMemory     int // for rows that are sorted
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

// A display decides which output terminals show.
type display struct {
	isTerminal         func(io.Writer) bool
	color              string // the value of --color
	colorOut, colorErr bool

	bar          *progressbar.ProgressBar // the current one
	passes       map[int]int              // how often each file was read, by its index
	progressFrom int64                    // the size of files that get a progress bar
	prints       bool                     // the command prints only at the end, so a progress bar may be shown
}

// newTool returns a tool that reads and writes the given streams. It changes nothing of the
// process: main sets the functions that do, so that tests can run tools side by side.
func newTool(stdin io.Reader, stdout, stderr io.Writer) *tool {
	t := &tool{
		stdin: stdin, out: stdout, errs: stderr,
		inputs:         inputs{open: openFile, pipes: make(map[string]*pipe), walk: walk{places: make(map[string]place)}},
		display:        display{isTerminal: isTerminal, passes: make(map[int]int), progressFrom: showProgressFrom},
		setMemoryLimit: func(int64) {}, setGCPercent: func(int) {}, sortMemory: sortMemory,
	}
	t.reading.opener.Limits = toolLimits()
	t.last = [2]*screen{{out: stdout, tool: t, wanted: &t.colorOut}, {out: stderr, tool: t, wanted: &t.colorErr}}
	t.stdout, t.stderr = bufio.NewWriterSize(t.last[0], 64<<10), t.last[1]
	return t
}

// run runs a command line, and returns the exit status. It is called once, because flags set the
// fields of the tool.
func (t *tool) run(args []string) int {
	root := t.rootCommand()
	root.SetArgs(args)
	err := root.Execute()
	// A full disk shows only when the rest is written. If the command failed, its own error says
	// more.
	if err := firstError(err, t.flushData()); err != nil {
		t.hideProgress()
		fmt.Fprintln(t.stderr, shownLine(err))
		t.status = statusFailed
	}
	for _, w := range t.last {
		w.flush()
	}
	// Copies of pipes are kept for commands that read their files twice, so none of them knows
	// which reading is the last.
	for _, p := range t.pipes {
		p.copy.Close()
	}
	return t.status
}

// rootCommand returns all commands. The rest of the function does for all of them what cobra
// would leave to each: errors with suggestions, and examples for the commands that cobra makes.
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
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			for i, name := range args {
				if name == "/dev/stdin" {
					args[i] = stdinName // which is read once, and which some systems cannot open by this name
				}
			}
			// Before anything is read: a long run must not end with an error about the name of its
			// output. A file of such a name that is not compressed would surprise whoever opens it.
			if output := cmd.Flags().Lookup("output"); output != nil && output.Changed {
				name := output.Value.String()
				ext := strings.ToLower(filepath.Ext(name))
				switch {
				case name == "":
					return errors.New("--output: the name of the file is empty; - is standard output")
				case slices.Contains(otherCompressions, ext) || ext == ".zip" || ext == ".7z":
					return fmt.Errorf("--output %q: cannot compress as %s: want .gz, .zst or .zz", name, ext)
				}
			}
			// The list would take all of standard input, and the file would be empty.
			list, _ := cmd.Flags().GetString("commits")
			if (list == stdinName || list == "/dev/stdin") && slices.Contains(args, stdinName) {
				return errors.New("--commits - and the file -: standard input can be read once")
			}
			// A store has read its files, so that flags about reading them are refused for it.
			for _, name := range []string{"from", "format", "param", "commit", "promote", "set", "samples"} {
				if cmd.Flags().Changed(name) {
					t.reading.given = name
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
	complete(root, "color", whenColor...)

	// In the order of the rooms: looking and turning, judging, keeping, and help. Users see them
	// sorted.
	root.AddCommand(t.validateCommand(), t.recordsCommand(), t.headerCommand(), t.infoCommand(), t.detectCommand(),
		t.convertCommand(), t.idCommand(), t.lsCommand(), t.flameCommand(), t.tableCommand(), t.plotCommand(),
		t.compareCommand(), t.driftCommand(), t.checkCommand(), t.changesCommand(), t.reportCommand(),
		t.storeCommand(), t.formatsCommand(), t.versionCommand(), t.manCommand(), verdictsTopic())
	// Cobra makes these two when it runs a command. They are needed now, to be changed like the
	// others.
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	refuseUnknown(root)
	finish(root)
	root.SetFlagErrorFunc(explainFlag)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 100"))
	root.Version = versionText()
	root.SetVersionTemplate("{{.Version}}\n")

	// Each command has an example, including the commands that cobra makes. Its help command
	// prints the usage of the program for an unknown name, and exits with 0.
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Example = "  perfdata help convert"
			cmd.Run = nil
			cmd.RunE = func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				switch {
				case err != nil:
					return err
				case len(rest) > 0:
					return unknownCommand(about, rest[0])
				}
				about.InitDefaultHelpFlag()
				return about.Help()
			}
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
