//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

func toolProcess(blockAt string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asTool+"="+blockAt, "GORACE="+noSleep)
	return cmd
}

// startBlocked starts the tool, and waits until it is where it is to block.
func startBlocked(t *testing.T, blockAt string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := toolProcess(blockAt, args...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(stderr).ReadString('\n'); line != "blocked\n" {
		t.Errorf("it says %q", line)
	}
	return cmd
}

// A signal ends the tool as it ends programs that do not handle it, at any time, and no temporary
// file is left.
func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for _, moment := range []struct{ name, blockAt string }{{"surveying", "1"}, {"writing", "2"}} {
			t.Run(sig.String()+" while "+moment.name, func(t *testing.T) {
				if signal.Ignored(sig) {
					t.Skip("it is ignored")
				}
				dir := t.TempDir()
				in, out := filepath.Join(dir, "in.json"), filepath.Join(dir, "out.json")
				if err := errors.Join(os.WriteFile(in, []byte(skiaRun(9, 0)), 0o666), os.WriteFile(out, []byte("old"), 0o666)); err != nil {
					t.Fatal(err)
				}
				cmd := startBlocked(t, moment.blockAt, "convert", "--to", "keyval", "-o", out, in, in)
				if entries, _ := os.ReadDir(dir); len(entries) != 2 && moment.name == "surveying" ||
					len(entries) != 3 && moment.name == "writing" {
					t.Errorf("there are %d files: it isn't where it should be", len(entries))
				}
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				cmd.Wait()
				status := cmd.ProcessState.Sys().(syscall.WaitStatus)
				// On SIGQUIT, a Go program prints its stacks.
				if diesOfIt := status.Signaled() && status.Signal() == sig; !diesOfIt &&
					!(sig == syscall.SIGQUIT && status.ExitStatus() == 128+int(sig)) {
					t.Errorf("%v", cmd.ProcessState)
				}
				entries, _ := os.ReadDir(dir)
				if old, err := os.ReadFile(out); string(old) != "old" || err != nil || len(entries) != 2 {
					t.Errorf("%q, %v, %v", old, err, entries)
				}
			})
		}
	}
}

// Writing to /dev/stdout appends at its current offset, as other programs do.
func TestOutputByDescriptor(t *testing.T) {
	in, err := filepath.Abs(testdata + "example.json")
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := runTool(nil, "convert", "--to", "skiav1", in)
	for _, name := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link", "-", "/dev/fd/3"} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.Symlink("/dev/stdout", "link"); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat("/dev/stdout"); err != nil {
				t.Skip(err)
			}
			out, err := os.Create("out")
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			io.WriteString(out, "before\n")
			cmd := toolProcess("0", "convert", "--to", "skiav1", "-o", name, in)
			cmd.Stdout, cmd.ExtraFiles = out, []*os.File{out}
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			io.WriteString(out, "after\n")
			got, err := os.ReadFile("out")
			if diff := cmp.Diff("before\n"+want+"after\n", string(got)); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// A link stays a link, even if its target does not exist yet.
func TestDanglingLink(t *testing.T) {
	t.Chdir(t.TempDir())
	tool := newTool(nil, io.Discard, io.Discard)
	if err := errors.Join(os.Mkdir("dir", 0o777), os.Symlink("dir/second", "first"), os.Symlink("../target", "dir/second")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"new", "newer"} {
		err := tool.writeFile("first", func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile("target")
		first, _ := os.Readlink("first")
		second, _ := os.Readlink("dir/second")
		if string(got) != text || err != nil || first != "dir/second" || second != "../target" {
			t.Errorf("%q, %v, %s, %s", got, err, first, second)
		}
	}
	os.Symlink("loop", "loop")
	if err := tool.writeFile("loop", func(io.Writer) error { return nil }); err == nil {
		t.Error("a link to itself is not a file")
	}
}

// A FILE that is a pipe works as standard input does, in every command, even if it is named
// several times.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	run := skiaRun(3, 100_000)
	for _, kind := range []string{"FIFO", "process substitution"} {
		for _, command := range [][]string{
			{"records", "--as", "csv"}, {"validate", "-q"}, {"info"}, {"detect"}, {"header"}, {"convert", "--to", "keyval"}, {"convert", "--to", "perun", "--strict"},
		} {
			t.Run(kind+"/"+strings.Join(command, " "), func(t *testing.T) {
				wantOut, _, wantStatus := runTool(strings.NewReader(run), append(command, "-", "-")...)
				var name string
				var w *os.File
				var err error
				if kind == "FIFO" {
					name = filepath.Join(dir, "fifo")
					os.Remove(name)
					if err := syscall.Mkfifo(name, 0o600); err != nil {
						t.Skip(err)
					}
				} else {
					var r *os.File
					if r, w, err = os.Pipe(); err != nil {
						t.Fatal(err)
					}
					defer r.Close()
					name = fmt.Sprintf("/dev/fd/%d", r.Fd())
					if _, err := os.Stat(name); err != nil {
						t.Skip(err)
					}
				}
				done := make(chan error)
				go func() {
					if w == nil {
						w, err = os.OpenFile(name, os.O_WRONLY, 0)
					}
					if err == nil {
						_, err = io.WriteString(w, run)
						w.Close()
					}
					done <- err
				}()
				stdout, stderr, status := runTool(nil, append(command, name, name)...)
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				wantOut = strings.ReplaceAll(wantOut, "<stdin>", name)
				if diff := cmp.Diff(wantOut, stdout); diff != "" || status != wantStatus {
					t.Errorf("%d, want %d: %s (-want +got):\n%.3000s", status, wantStatus, stderr, diff)
				}
			})
		}
	}
}

// A pipe that cannot be copied completely is not read at all, not even the second time.
func TestPipeTooLong(t *testing.T) {
	stdout, stderr, status := runTool(formattest.Stream(skiaRun(100, 0)), "records", "--limit", "max-spool-bytes=1KiB", "-", "-")
	want := "perfdata: <stdin>: bytes of an unseekable input: more than 1024; --limit max-spool-bytes=VALUE raises it\n"
	if stdout != "" || stderr != want+want || status != statusInvalid {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nosuch"))
	stdout, stderr, status = runTool(formattest.Stream(skiaRun(100, 0)), "records", "--limit", "max-spool-memory=1KiB", "-", "-")
	if stdout != "" || strings.Count(stderr, "nosuch: no such file or directory; set TMPDIR to use another folder\n") != 2 || status != statusFailed {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
}
