package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

const faultyRun = `{"version":1,"git_hash":"abc","results":[{"key":{"t":"x"}},{"key":{"a b":"y"},"measurement":1}]}`

// Output has colors on a terminal, or if the user asks for them.
func TestColor(t *testing.T) {
	for _, test := range []struct {
		color             string
		terminal, noColor bool
		want              bool
	}{
		{"auto", true, false, true}, {"auto", false, false, false}, {"auto", true, true, false},
		{"always", false, true, true}, {"never", true, false, false},
	} {
		t.Setenv("NO_COLOR", "")
		t.Setenv("TERM", "xterm")
		if test.noColor {
			t.Setenv("NO_COLOR", "1")
		}
		var out, errs bytes.Buffer
		tool := newTool(strings.NewReader(faultyRun), &out, &errs)
		tool.isTerminal = func(io.Writer) bool { return test.terminal }
		tool.run([]string{"--color", test.color, "records", "--as", "text", "-"})
		wantOut := ",a_b=y, = 1\n"
		wantErr := "<stdin>:1:42: results.0: missing number: measurement or measurements is required\n"
		if test.want {
			wantOut = ",a_b=y, = \x1b[36m1\x1b[0m\n"
			wantErr = "\x1b[1m<stdin>:1:42: \x1b[0m\x1b[31mresults.0: missing number: measurement or measurements is required\x1b[0m\n"
		}
		if out.String() != wantOut || errs.String() != wantErr {
			t.Errorf("%+v: %q, %q", test, out.String(), errs.String())
		}
	}
	valid := `{"version":1,"git_hash":"abc","results":[{"key":{"a b":"y"},"measurement":1}]}`
	stdout, stderr, _ := runTool(strings.NewReader(valid), "validate", "--color=always", "-")
	if stdout != "\x1b[1mHash:\x1b[0m\n  abc\n\x1b[1mMeasurements:\x1b[0m\n  ,a_b=y, = \x1b[36m1\x1b[0m\n\x1b[1mLinks:\x1b[0m\n" ||
		stderr != "\x1b[1m<stdin>:1:50: \x1b[0m\x1b[33mresults.0.key.a b: warning: \"a b\" becomes \"a_b\" in trace ids\x1b[0m\n" {
		t.Errorf("%q, %q", stdout, stderr)
	}
	stdout, stderr, _ = runTool(strings.NewReader("what is this?"), "detect", "--color=always", "-")
	if !strings.HasPrefix(stderr, "\x1b[1m<stdin>:1:1: \x1b[0m\x1b[31munknown format") ||
		!strings.Contains(stderr, "use --from to choose one\x1b[0m\n") {
		t.Errorf("%q, %q", stdout, stderr)
	}
	for _, form := range []string{"jsonl", "csv"} { // for machines
		if stdout, _, _ := runTool(strings.NewReader(valid), "records", "--color=always", "--as", form, "-"); strings.Contains(stdout, "\x1b") {
			t.Errorf("%q", stdout)
		}
	}
	if _, stderr, status := runTool(nil, "detect", "--color=maybe", "-"); status != 2 ||
		!strings.Contains(stderr, "want auto, always or never") {
		t.Errorf("%d, %q", status, stderr)
	}
}

// A progress bar is shown for large files, only on a terminal, and is removed at the end.
func TestProgress(t *testing.T) {
	file := testdata + "large.json"
	for _, test := range []struct {
		args       []string
		out, errs  bool // is a terminal
		from       int64
		wantsShown bool
	}{
		{[]string{"info", file}, true, true, 1 << 10, true},
		{[]string{"records", "--as", "csv", file}, false, true, 1 << 10, true},
		{[]string{"records", "--as", "csv", file}, true, true, 1 << 10, false},
		{[]string{"convert", "--to", "keyval", "-o", filepath.Join(t.TempDir(), "out"), file}, true, true, 1 << 10, true},
		{[]string{"info", file}, true, true, 1 << 30, false},
		{[]string{"info", file}, true, false, 1 << 10, false},
	} {
		var out, errs bytes.Buffer
		tool := newTool(strings.NewReader(""), &out, &errs)
		tool.progressFrom = test.from
		tool.isTerminal = func(w io.Writer) bool { return w == &out && test.out || w == &errs && test.errs }
		if status := tool.run(test.args); status != 0 {
			t.Errorf("%q: %d", test.args, status)
		}
		shown := strings.Contains(errs.String(), "large.json") && strings.Contains(errs.String(), "\r")
		if shown != test.wantsShown {
			t.Errorf("%q: %q", test.args, errs.String())
		}
		if last := strings.LastIndex(errs.String(), "large.json"); shown && test.args[0] == "info" {
			if rest := errs.String()[last:]; !strings.HasSuffix(strings.TrimRight(rest, " "), "\r") {
				t.Errorf("%q: the bar is still there: %q", test.args, rest)
			}
		}
	}
	if isTerminal(os.Stdin) && isTerminal(&bytes.Buffer{}) {
		t.Error("a buffer is not a terminal")
	}
}

// Only reading is progress. Each pass begins at 0 and has a label.
func TestProgressPasses(t *testing.T) {
	name := testdata + "large.json"
	var errs bytes.Buffer
	tool := newTool(nil, io.Discard, &errs)
	tool.progressFrom = 1
	tool.isTerminal = func(w io.Writer) bool { return w == &errs }
	f, err := openFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	p := tool.newProgress(f, name, 0)
	in := input{file: p}
	check := func(want int64) {
		t.Helper()
		if got := tool.bar.State().CurrentNum; got != want {
			t.Errorf("shows %d, want %d", got, want)
		}
	}
	for _, label := range []string{"large.json", "large.json, pass 2", "large.json, pass 3"} {
		if _, err := in.rewind(); err != nil {
			t.Fatal(err)
		}
		check(0)
		io.CopyN(io.Discard, p, 1000)
		check(1000)
		p.Seek(5000, io.SeekStart)
		check(1000)
		p.Seek(100, io.SeekStart)
		io.CopyN(io.Discard, p, 300)
		check(1000)
		p.Seek(5000, io.SeekStart)
		io.CopyN(io.Discard, p, 1)
		check(1000)
		p.Seek(900, io.SeekStart)
		io.CopyN(io.Discard, p, 200)
		check(1100)
		p.Seek(1100, io.SeekStart)
		io.Copy(io.Discard, p)
		check(p.size)
		if got := tool.bar.State().Description; got != label {
			t.Errorf("the label is %q, want %q", got, label)
		}
	}
	tool.removeBar()
}

// After a reader has looked for the header in all of a file, reading it is a pass of its own.
func TestProgressAfterLook(t *testing.T) {
	var errs bytes.Buffer
	tool := newTool(nil, io.Discard, &errs)
	content := bytes.NewReader(make([]byte, 3*longRun))
	p := &progress{ReadSeeker: content, tool: tool, name: "x", size: content.Size()}
	p.begin()
	buf := make([]byte, longRun/2)
	io.CopyBuffer(io.Discard, struct{ io.Reader }{p}, buf)
	if got := tool.bar.State(); got.CurrentNum != p.size || got.Description != "x" {
		t.Errorf("%+v", got)
	}

	p.Seek(0, io.SeekStart)
	for range 4 {
		io.ReadFull(p, buf)
	}
	if got := tool.bar.State(); got.CurrentNum != 2*longRun || got.Description != "x, pass 2" {
		t.Errorf("%+v", got)
	}
	tool.removeBar()
}

// The shell completes formats.
func TestCompletion(t *testing.T) {
	for _, args := range [][]string{
		{"convert", "--to", ""}, {"convert", "--from", ""}, {"records", "--from", ""}, {"info", "--from", ""},
	} {
		stdout, _, status := runTool(nil, append([]string{"__complete"}, args...)...)
		if !strings.HasPrefix(stdout, "skiav1\nnanolegacy\nbenchfmt\nkeyval\n") || status != 0 {
			t.Errorf("%q: %d, %q", args, status, stdout)
		}
	}
	for want, args := range map[string][]string{
		"jsonl\ncsv\ntsv\ntext\nparquet\n:4\n": {"records", "--as", ""},
		"auto\nalways\nnever\n:4\n":            {"detect", "--color", ""},
		":0\n":                                 {"validate", ""}, // files
	} {
		if stdout, _, _ := runTool(nil, append([]string{"__complete"}, args...)...); stdout != want {
			t.Errorf("%q: %q, want %q", args, stdout, want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if stdout, stderr, status := runTool(nil, "completion", shell); len(stdout) < 1000 || status != 0 {
			t.Errorf("%s: %d, %s", shell, status, stderr)
		}
	}
}

// Every command has an example that begins with the command. A page of the manual that is not a
// command is printed as it is.
func TestExamples(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.IsAdditionalHelpTopicCommand() {
			stdout, _, status := runTool(nil, "help", cmd.Name())
			if status != 0 || !strings.HasPrefix(stdout, cmd.Long) {
				t.Errorf("help %s: %d, %s", cmd.Name(), status, stdout)
			}
			return
		}
		if cmd.Example == "" || !strings.Contains(cmd.Example, strings.TrimSuffix(cmd.CommandPath(), " help")) ||
			!strings.HasPrefix(cmd.Example, "  ") {
			t.Errorf("%s: the example is %q", cmd.CommandPath(), cmd.Example)
		}
		path := strings.Fields(cmd.CommandPath())[1:]
		stdout, _, status := runTool(nil, append(path, "--help")...)
		if status != 0 || !strings.Contains(stdout, "Usage:\n  perfdata") ||
			cmd.Name() != "help" && !strings.Contains(stdout, "Examples:\n"+cmd.Example) {
			t.Errorf("%s --help: %d, %s", cmd.CommandPath(), status, stdout)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newTool(strings.NewReader(""), io.Discard, io.Discard).rootCommand())
}

// A user who waits for a command that waits for standard input is told so, once.
func TestTerminalInput(t *testing.T) {
	for _, args := range [][]string{{"validate", "-"}, {"records", "-", "-"}, {"id", "match", "a=b"}} {
		in := struct {
			io.Reader
			io.Writer
		}{strings.NewReader("BenchmarkX 1 2 ns/op\n"), nil}
		for _, terminal := range []bool{false, true} {
			var errs bytes.Buffer
			tool := newTool(in, io.Discard, &errs)
			tool.isTerminal = func(w io.Writer) bool { return w == io.Writer(in) && terminal }
			tool.run(args)
			note := "perfdata: note: reading standard input, which is a terminal; Ctrl-D ends it\n"
			if got := strings.Count(errs.String(), note); got == 1 != terminal {
				t.Errorf("%q, terminal %t: %s", args, terminal, errs.String())
			}
		}
	}
}

// No line of help is wider than 100 columns.
func TestHelpWidth(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		help, _, _ := runTool(nil, append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		for line := range strings.Lines(help) {
			if n := len(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newTool(strings.NewReader(""), io.Discard, io.Discard).rootCommand())
}

// A misspelled flag gets a suggestion; a flag of other commands, their names.
func TestUnknownFlag(t *testing.T) {
	for _, test := range []struct{ flag, want string }{
		{"--mtach", "perfdata: unknown flag: --mtach; did you mean --match?\n"},
		{"--recursiv", "perfdata: unknown flag: --recursiv; did you mean --recursive?\n"},
		{"--nosuch", "perfdata: unknown flag: --nosuch; see perfdata records --help\n"},
		{"--threshold", "perfdata: records has no flag --threshold; commands with this flag: changes, check, compare, report, store diff\n"},
		{"-F", "perfdata: unknown shorthand flag: 'F' in -F; see perfdata records --help\n"},
	} {
		t.Run(test.flag, func(t *testing.T) {
			if _, stderr, status := runTool(nil, "records", test.flag); stderr != test.want || status != statusFailed {
				t.Errorf("%d, %q", status, stderr)
			}
		})
	}
}
