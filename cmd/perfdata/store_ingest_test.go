package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hourTree returns a folder with the storage layout: a file in each of three hours, and a file that
// is not in the layout.
func hourTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{"2026/11/22/23/a.json", "2026/11/23/00/b.json", "2026/11/23/07/c.json", "notes.txt"} {
		name := filepath.Join(dir, filepath.FromSlash(path))
		text := `{"version":1,"git_hash":"` + path + `","results":[{"key":{"test":"x"},"measurement":1}]}`
		if path == "notes.txt" {
			text = "commit: abc\nBenchmarkX 1 1 ns/op\n"
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour) // so that its time tells it from later versions
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A dry run prints the files that would be read, and stores nothing.
func TestStoreIngestDryRun(t *testing.T) {
	dir := hourTree(t)
	const a, b, c = "2026/11/22/23/a.json\n", "2026/11/23/00/b.json\n", "2026/11/23/07/c.json\n"
	const misfit = "perfdata: notes.txt: no directories YYYY/MM/DD/HH before the name\n"
	for _, test := range []struct {
		name   string
		stored []string // flags of an ingestion before
		flags  []string
		want   string
		errs   string
		status int
	}{
		{"no database", nil, nil, a + b + c + "notes.txt\n", "", statusOK},
		{"everything is stored", []string{}, nil, "", "", statusOK},
		{"verify", []string{}, []string{"--verify"}, a + b + c + "notes.txt\n", "", statusOK},
		{"a part is stored", []string{"--until", "2026-11-23"}, nil, b + c + "notes.txt\n", "", statusOK},
		{"since a day", nil, []string{"--since", "2026-11-23"}, b + c, misfit, statusFailed},
		{"since an hour", nil, []string{"--since", "2026-11-23T01"}, c, misfit, statusFailed},
		{"until an hour", nil, []string{"--until", "2026/11/23/07"}, a + b, misfit, statusFailed},
		{"a range", nil, []string{"--since", "2026-11-23T00:00:00Z", "--until", "2026-11-23T01"}, b, misfit, statusFailed},
		{"another zone", nil, []string{"--since", "2026-11-23T09:30:00+02:00"}, c, misfit, statusFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "perf.db")
			if test.stored != nil {
				runTool(nil, append([]string{"store", "ingest", "-q", db, dir}, test.stored...)...)
			}
			before, _ := os.ReadFile(db)
			stdout, stderr, status := runTool(nil, append([]string{"store", "ingest", "-q", "--dry-run", db, dir}, test.flags...)...)
			if diff := cmp.Diff(test.want, stdout); diff != "" || stderr != test.errs || status != test.status {
				t.Errorf("%d, %q (-want +got):\n%s", status, stderr, diff)
			}
			if after, _ := os.ReadFile(db); !bytes.Equal(before, after) {
				t.Error("the dry run changed the database")
			}
		})
	}
}

// A dry run of a file is about the same version of it as the real run: that of its folder and
// commit, or one that was stored under a path of arrival.
func TestStoreIngestDryRunOfVersions(t *testing.T) {
	t.Chdir(t.TempDir())
	const text, other = "BenchmarkX 1 2 ns/op\n", "BenchmarkX 1 3 ns/op\n"
	for name, content := range map[string]string{"bench.txt": text, "a/x.txt": text, "b/x.txt": other} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		writeOld(t, name, content)
	}
	for _, step := range []struct {
		name   string
		change string // new content of bench.txt
		args   []string
		isRead bool
	}{
		{"new", "", []string{"--commit", "c1", "perf.db", "bench.txt"}, true},
		{"same", "", []string{"--commit", "c1", "perf.db", "bench.txt"}, false},
		{"other commit", "", []string{"--commit", "c2", "perf.db", "bench.txt"}, true},
		{"other content", other, []string{"--commit", "c3", "perf.db", "bench.txt"}, true},
		{"same version", "", []string{"--commit", "c3", "perf.db", "bench.txt"}, false},
		{"verify", "", []string{"--verify", "--commit", "c3", "perf.db", "bench.txt"}, true},
		{"folder", "", []string{"--commit", "c1", "perf.db", "a"}, true},
		{"other folder", "", []string{"--commit", "c1", "perf.db", "b"}, true},
		{"same folder", "", []string{"--commit", "c1", "perf.db", "a/"}, false},
	} {
		t.Run(step.name, func(t *testing.T) {
			if step.change != "" {
				writeOld(t, "bench.txt", step.change)
			}
			planned := runOK(t, append([]string{"store", "ingest", "--dry-run"}, step.args...)...)
			done := runOK(t, append([]string{"store", "ingest"}, step.args...)...)
			if isRead := !strings.Contains(done, "1 file stored already"); isRead != step.isRead || (planned != "") != isRead {
				t.Errorf("dry run: %q, ingestion: %q", planned, done)
			}
		})
	}
}

// writeOld writes a file with a time that tells it from later versions.
func writeOld(t *testing.T, name, text string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(name, []byte(text), 0o666), os.Chtimes(name, old, old)); err != nil {
		t.Fatal(err)
	}
}

func TestStoreIngestFlags(t *testing.T) {
	dir := hourTree(t)
	db := filepath.Join(t.TempDir(), "perf.db")
	for _, test := range []struct {
		flags  []string
		stdout string
		stderr string
		status int
	}{
		{[]string{"--since", "yesterday"}, "", "want a time in UTC", statusFailed},
		{[]string{"--workers", "-1"}, "", "--workers: want at least 1", statusFailed},
		{[]string{"--workers", "0"}, "", "--workers: want at least 1", statusFailed},
		{[]string{"--retries", "-1"}, "", "--retries: want at least 0", statusFailed},
		{[]string{"--since", "2026-11-23", "--workers", "1"}, "stored 2 measurements of 2 files, 1 file failed", "notes.txt", statusFailed},
		{[]string{"--retries", "2"}, "stored 2 measurements of 2 files, 2 files stored already, 0 files failed", "", statusOK},
		{nil, "stored 0 measurements of 0 files, 4 files stored already, 0 files failed", "", statusOK},
	} {
		t.Run(strings.Join(test.flags, " "), func(t *testing.T) {
			stdout, stderr, status := runTool(nil, append([]string{"store", "ingest", db, dir}, test.flags...)...)
			if !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) || status != test.status {
				t.Errorf("%d, %q, %q", status, stdout, stderr)
			}
		})
	}
}

// The number of files that are done is shown on a terminal, and removed at the end.
func TestStoreIngestProgress(t *testing.T) {
	for _, isTerminal := range []bool{false, true} {
		var out, errs bytes.Buffer
		tool := newTool(strings.NewReader(""), &out, &errs)
		tool.isTerminal = func(w io.Writer) bool { return isTerminal && w == &errs }
		if status := tool.run([]string{"store", "ingest", filepath.Join(t.TempDir(), "perf.db"), hourTree(t)}); status != statusOK {
			t.Fatal(status, errs.String())
		}
		text := errs.String()
		if shown := strings.Contains(text, "files/s"); shown != isTerminal {
			t.Errorf("terminal %v: %q", isTerminal, text)
		}
		if rest := text[strings.LastIndex(text, "\r")+1:]; strings.TrimSpace(rest) != "" {
			t.Errorf("the line is still there: %q", text)
		}
	}
}

// A fixed file name, standard input, folders with files of equal names, and the list of commits: what
// each command says, and the values that the database has after the last.
func TestStoreIngestNames(t *testing.T) {
	const head = "commit: %\nBenchmarkX 1 "
	bench := func(commit, value string) string {
		return strings.Replace(head, "%", commit, 1) + value + " ns/op\n"
	}
	type step struct {
		write  map[string]string // files, by name
		stdin  string
		args   []string
		want   string // a part of standard output
		stderr string // a part of standard error
		status int
	}
	bare := "BenchmarkX 1 1 ns/op\n"
	for _, test := range []struct {
		name  string
		steps []step
		want  string // commits and values, in order
	}{
		{
			"a fixed name with --commit, and equal content",
			[]step{
				{write: map[string]string{"b.txt": bare}, args: []string{"--commit", "c2", "DB", "b.txt"}},
				{args: []string{"--commit", "c1", "DB", "b.txt"}},
				{args: []string{"--commit", "c2", "DB", "b.txt"}},
				{
					args:  []string{"--commit", "c3", "--commits", "list", "DB", "b.txt"},
					want:  "list: a list of 3 commits\n",
					write: map[string]string{"list": "c1\nc2\nc3\n"},
				},
			},
			"c1=1 c2=1 c3=1",
		},
		{
			"standard input",
			[]step{
				{stdin: bare, args: []string{"--commit", "c1", "DB", "-"}, want: "<stdin>: stored 1 measurement of 1 file"},
				{stdin: bench("c2", "2"), args: []string{"DB", "/dev/stdin"}},
				{stdin: bench("c2", "2"), args: []string{"DB", "-"}},
				{stdin: "commit", args: []string{"DB", "-"}, stderr: "stdin:1:1: ", status: statusInvalid},
			},
			"c1=1 c2=2",
		},
		{
			"standard input is the list",
			[]step{
				{
					write: map[string]string{"b.txt": bench("c2", "2"), "a.txt": bench("c1", "1")}, stdin: "c2\nc1\n",
					args: []string{"--commits", "-", "DB", "a.txt", "b.txt"}, want: "<stdin>: a list of 2 commits\n",
				},
			},
			"c2=2 c1=1",
		},
		{
			"the list lacks a commit",
			[]step{{
				write: map[string]string{"b.txt": bench("c2", "2"), "a.txt": bench("c1", "1"), "list": "c2\nc3\n"},
				args:  []string{"--commits", "list", "DB", "a.txt", "b.txt"}, stderr: "by the list of commits, which lacks one of them",
			}},
			"c1=1 c2=2",
		},
		{
			"the list has no commit",
			[]step{{
				write:  map[string]string{"a.txt": bench("c1", "1"), "list": "c\nc3\n"},
				args:   []string{"--commits", "list", "DB", "a.txt"},
				stderr: "note: --commits list: it has none of the commits of the database, such as c1: want their hashes",
			}},
			"c1=1",
		},
		{
			"a faulty list",
			[]step{
				{
					write: map[string]string{"b.txt": bench("c2", "2"), "list": "one two\n"}, status: statusInvalid,
					args: []string{"--commits", "list", "DB", "b.txt"}, stderr: "list:1:1: ",
				},
				{args: []string{"--commits", "none", "DB", "b.txt"}, stderr: "none: no such file", status: statusFailed},
				{args: []string{"--commits", "-", "DB", "-"}, stderr: "standard input can be read once", status: statusFailed},
				{args: []string{"DB", "-", "-"}, stderr: "standard input can be read once", status: statusFailed},
				{args: []string{"DB", "b.txt"}},
			},
			"c2=2",
		},
		{
			"folders with equal names",
			[]step{
				{
					write: map[string]string{"one/b.txt": bench("c1", "1"), "two/b.txt": bench("c2", "2")},
					args:  []string{"DB", "one/", "two/"},
				},
				{args: []string{"DB", "one", "two"}},
				{args: []string{"DB", "two"}},
			},
			"c1=1 c2=2",
		},
		{
			"a history that grows",
			[]step{
				{write: map[string]string{"h.txt": bench("c1", "1")}, args: []string{"DB", "h.txt"}},
				{write: map[string]string{"h.txt": bench("c1", "1") + bench("c2", "2")}, args: []string{"DB", "h.txt"}},
				{
					write: map[string]string{"h.txt": bench("c1", "1") + bench("c2", "2") + bench("c3", "3")},
					args:  []string{"DB", "h.txt"}, want: "h.txt: stored 3 measurements of 1 file",
				},
			},
			"c1=1 c2=2 c3=3",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, s := range test.steps {
				for name, text := range s.write {
					write(t, name, text)
				}
				for i, arg := range s.args {
					if arg == "DB" {
						s.args[i] = "perf.db"
					}
				}
				args := append([]string{"store", "ingest"}, s.args...)
				stdout, stderr, status := runTool(strings.NewReader(s.stdin), args...)
				if !strings.Contains(stdout, s.want) || !strings.Contains(stderr, s.stderr) || status != s.status {
					t.Errorf("%v: %d, %q, %q", s.args, status, stdout, stderr)
				}
			}
			stdout, _, _ := runTool(nil, "store", "query", "--as", "text", "perf.db")
			var got []string
			for line := range strings.Lines(stdout) {
				cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
				got = append(got, cells[1]+"="+cells[3])
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

// The content of a FIFO is stored like a file.
func TestStoreIngestFIFO(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := exec.Command("mkfifo", "bench.fifo").Run(); err != nil {
		t.Skip(err)
	}
	go func() {
		if f, err := os.OpenFile("bench.fifo", os.O_WRONLY, 0); err == nil {
			f.WriteString("commit: c1\nBenchmarkX 1 1 ns/op\n")
			f.Close()
		}
	}()
	stdout, stderr, status := runTool(nil, "store", "ingest", "perf.db", "bench.fifo")
	if want := "bench.fifo: stored 1 measurement of 1 file, 0 files failed\n"; stdout != want || status != statusOK {
		t.Errorf("%d, %q, %q", status, stdout, stderr)
	}
}
