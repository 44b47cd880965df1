package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"perfdata/internal/testing/faulty"
)

// errTool is the error of a run of the tool that ends with status 2: its standard error.
type errTool string

func (e errTool) Error() string { return string(e) }

// runTo runs the tool with the output file, and returns what it wrote there.
func runTo(stdin io.Reader, out string, args ...string) (string, error) {
	_, stderr, status := runTool(stdin, append(args, "-o", out)...)
	text, err := os.ReadFile(out)
	if status == statusFailed {
		err = errors.Join(err, errTool(stderr))
	}
	return string(text), err
}

// A filePipe is a pipe with the errors of an *os.File.
type filePipe struct{ io.Reader }

func (p filePipe) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = &fs.PathError{Op: "read", Path: "/dev/stdin", Err: err}
	}
	return n, err
}

// outputs are commands with an output file.
var outputs = map[string][]string{
	"convert":      {"convert", "--to", "benchfmt"},
	"records":      {"records"},
	"gzip.gz":      {"records", "--as", "csv"},
	"zstd.zst":     {"records", "--as", "jsonl"},
	"out.parquet":  {"records", "--as", "parquet"},
	"validate.txt": {"validate", "--as", "json"},
}

// A full disk is also an error of the sorted rows' temporary file. The output file is unchanged.
func TestSpillOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.parquet")
	write(t, out, "old")
	for _, size := range []int{0, 1, 2000} {
		var stderr strings.Builder
		cmd := toolProcess("9 spill", "records", "--as", "parquet", "-o", out, "-")
		cmd.Env = append(cmd.Env, fileLimit+"="+strconv.Itoa(size))
		cmd.Stdin, cmd.Stderr = strings.NewReader(skiaRun(200, 0)), &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		want := "perfdata: temporary file in " + dir + ": file too large\n"
		if status := cmd.ProcessState.ExitCode(); status != statusFailed || stderr.String() != want {
			t.Errorf("%d bytes: status %d, %s", size, status, stderr.String())
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 || readFile(t, out) != "old" {
			t.Errorf("%d bytes: %v", size, entries)
		}
	}
}

// Whatever Read of standard input fails, and wherever the disk is full, the output file stays as it
// was, and no temporary file is left.
func TestOutputFaults(t *testing.T) {
	in := skiaRun(200, 0)
	total := 0
	for name, args := range outputs {
		dir := t.TempDir()
		out := filepath.Join(dir, name)
		state := func() string {
			entries, err := os.ReadDir(dir)
			text, err2 := os.ReadFile(out)
			if err := errors.Join(err, err2); err != nil || len(entries) != 1 {
				t.Fatalf("%v, %v", err, entries)
			}
			return string(text)
		}
		reset := func() {
			if err := os.WriteFile(out, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(name, func(t *testing.T) {
			total += faulty.Check(t, faulty.Subject{
				Target: state, Reset: reset,
				IsFault: func(err error) bool { return strings.Contains(err.Error(), faulty.Err.Error()) },
				Try: func(s *faulty.Script) (string, error) {
					return runTo(filePipe{faulty.NewReader(s, in)}, out, append(args, "-")...)
				},
			})
		})

		t.Run(name+", full disk", func(t *testing.T) {
			reset()
			want, err := runTo(strings.NewReader(in), out, append(args, "-")...)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{0, 1, len(want) / 2, len(want) - 1} {
				reset()
				stderr, status := runOnFullDisk(t, size, in, append(args, "-o", out, "-")...)
				if status != statusFailed || !strings.Contains(stderr, "file too large") {
					t.Errorf("%d of %d bytes: status %d, %s", size, len(want), status, stderr)
				}
				if got := state(); got != "old" {
					t.Errorf("%d of %d bytes: the file is now %q", size, len(want), got)
				}
				total++
			}
			if got, err := runTo(strings.NewReader(in), out, append(args, "-")...); err != nil || got != want {
				t.Errorf("the next attempt: %v, %q", err, got)
			}
		})
	}
	t.Logf("%d calls failed", total)
}

// fileLimit is the environment variable that limits how many bytes a file of this process may have.
const fileLimit = "PERFDATA_TEST_FILE_LIMIT"

// The tool's process sets its own limit. The process that runs the tests cannot have it even for a
// moment, because it may write its log then.
func init() {
	size, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 64)
	if err != nil {
		return
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
		panic(err)
	}
}

// runOnFullDisk runs the tool in a process whose files cannot be larger than size.
func runOnFullDisk(t *testing.T, size int, stdin string, args ...string) (stderr string, status int) {
	t.Helper()
	var out strings.Builder
	cmd := toolProcess("0", args...)
	cmd.Env = append(cmd.Env, fileLimit+"="+strconv.Itoa(size))
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	return out.String(), cmd.ProcessState.ExitCode()
}
