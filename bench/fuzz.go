package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// fuzzing says how long each fuzz target runs: this many executions, or until it has found no new
// input for so long.
type fuzzing struct {
	executions int
	patience   time.Duration
}

// A fuzzTarget is a fuzz target of the library.
type fuzzTarget struct {
	pkg  string // its import path
	dir  string // the folder of the package
	name string
}

func (t fuzzTarget) String() string { return strings.TrimPrefix(t.pkg, "perfdata/") + "." + t.name }

// corpus returns the folder of the target's corpus, which is a part of the repository.
func (t fuzzTarget) corpus() string { return filepath.Join(t.dir, "testdata", "fuzz", t.name) }

// A fuzzResult is what a run of a target did.
type fuzzResult struct {
	executions, found int
	elapsed           time.Duration
	end               string // why the run ended
	kept              int    // inputs that were added to the corpus
	failure           string
}

// printFuzz runs the fuzz targets whose names match the pattern, one at a time, prints what each
// did, and adds inputs to their corpora. It returns an error if a target found a failing input,
// which is then in its corpus.
func printFuzz(out io.Writer, pattern string, limits fuzzing) error {
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	targets, err := fuzzTargets(ctx)
	if err != nil {
		return err
	}

	dir, err := os.MkdirTemp("", "perfdata-fuzz-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	fmt.Fprintln(out, "| target | executions | new inputs | kept | time | ended by |")
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- | --- |")

	var failures []error
	for _, t := range targets {
		if !wanted.MatchString(t.String()) {
			continue
		}
		res, err := t.run(ctx, dir, limits)
		if err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
		if res.failure != "" {
			failures = append(failures, fmt.Errorf("%v: %s", t, res.failure))
		}

		fmt.Fprintf(out, "| %v | %d | %d | %d | %v | %s |\n", t, res.executions, res.found, res.kept,
			res.elapsed.Round(time.Second), res.end)
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(append(failures, ctx.Err())...)
}

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w*)\(`)

// fuzzTargets returns all fuzz targets of the library.
func fuzzTargets(ctx context.Context) ([]fuzzTarget, error) {
	list, err := goCommand(ctx, "list", "-f",
		`{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{.}} {{$p.Dir}}{{"\n"}}{{end}}`+
			`{{range .XTestGoFiles}}{{$p.ImportPath}} {{.}} {{$p.Dir}}{{"\n"}}{{end}}`, "./...")
	if err != nil {
		return nil, err
	}
	var targets []fuzzTarget
	for line := range strings.Lines(list) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(fields) < 3 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(fields[2], fields[1]))
		if err != nil {
			return nil, err
		}
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			targets = append(targets, fuzzTarget{pkg: fields[0], dir: fields[2], name: string(m[1])})
		}
	}
	return targets, nil
}

// goCommand runs the go command in the root of the library and returns its output.
func goCommand(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = ".."
	out, err := cmd.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, e.Stderr)
	}
	return string(out), err
}

// run runs the target, and adds inputs that it found to its corpus. The folder is for programs.
func (t fuzzTarget) run(ctx context.Context, dir string, limits fuzzing) (fuzzResult, error) {
	program := filepath.Join(dir, "fuzz.test")
	if _, err := goCommand(ctx, "test", "-c", "-fuzz", "^"+t.name+"$", "-o", program, t.pkg); err != nil {
		return fuzzResult{}, err
	}
	cache, err := goCommand(ctx, "env", "GOCACHE")
	if err != nil {
		return fuzzResult{}, err
	}
	// The folder in which the go command keeps new inputs, too.
	cache = filepath.Join(strings.TrimSpace(cache), "fuzz", filepath.FromSlash(t.pkg))

	started := time.Now()
	cmd := exec.CommandContext(ctx, program, "-test.run", "^$", "-test.fuzz", "^"+t.name+"$",
		"-test.fuzztime", strconv.Itoa(limits.executions)+"x", "-test.fuzzminimizetime", "100x",
		"-test.fuzzcachedir", cache)
	cmd.Dir = t.dir
	cmd.Cancel = func() error { return interrupt(cmd) }
	res, err := watch(cmd, limits.patience)
	res.elapsed = time.Since(started)

	switch {
	case ctx.Err() != nil:
		res.end, res.failure = "interrupt", ""
		return res, nil
	case err != nil || res.failure != "":
		return res, err
	}
	if res.kept, err = t.keep(ctx, dir, filepath.Join(cache, t.name)); ctx.Err() != nil {
		res.end, err = "interrupt", nil
	}
	return res, err
}

// progress is a line such as
//
//	fuzz: elapsed: 3s, execs: 20000 (10916/sec), new interesting: 15 (total: 17)
var progress = regexp.MustCompile(`^fuzz: elapsed: .*, execs: (\d+) .*, new interesting: (\d+) `)

// interrupt ends a fuzz target, which then reports its last progress.
func interrupt(cmd *exec.Cmd) error {
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		return cmd.Process.Kill() // a system without interrupts
	}
	return nil
}

// watch runs a fuzz target to its end, or until it finds no new input for so long.
func watch(cmd *exec.Cmd, patience time.Duration) (res fuzzResult, err error) {
	res.end = "executions"
	out, err := cmd.StdoutPipe()
	if err != nil {
		return res, err
	}
	cmd.Stderr = cmd.Stdout // where the progress is
	if err := cmd.Start(); err != nil {
		return res, err
	}

	var rest strings.Builder // of the output
	last, impatient := time.Now(), false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		m := progress.FindStringSubmatch(lines.Text())
		if m == nil {
			if !strings.HasPrefix(lines.Text(), "fuzz: elapsed:") {
				fmt.Fprintln(&rest, lines.Text())
			}
			continue
		}

		res.executions, _ = strconv.Atoi(m[1])
		found, _ := strconv.Atoi(m[2])
		if found > res.found {
			res.found, last = found, time.Now()
		}
		if time.Since(last) > patience && !impatient {
			impatient = true
			res.end = "no new input for " + patience.String()
			interrupt(cmd)
		}
	}

	err = cmd.Wait()
	if _, ok := errors.AsType[*exec.ExitError](err); ok && !impatient {
		res.end, res.failure = "**a failing input**", rest.String()
	}
	if res.failure != "" || impatient {
		return res, nil
	}
	return res, err
}
