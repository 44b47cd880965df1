package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdata/format"
)

// A rewrittenFile is written to, in place, before one of its reads, with as many measurements as
// before.
type rewrittenFile struct {
	file
	before *int // how many reads come before that one; negative after it
	change func()
}

func (f *rewrittenFile) Read(p []byte) (int, error) {
	if *f.before--; *f.before == -1 {
		f.change()
	}
	return f.file.Read(p)
}

// Whenever a file is written to while a command reads it, the command fails, and does not write its
// output file.
func TestRewrittenWhileRead(t *testing.T) {
	// Longer than two reads, by white space, which takes less time than as many measurements.
	old := strings.ReplaceAll(skiaRun(300, 100), "},{", "},"+strings.Repeat(" ", 400)+"{")
	rewritten := strings.ReplaceAll(old, `"measurement":1`, `"measurement":2`)
	earlier := time.Now().Add(-time.Hour)
	for _, command := range []string{
		"convert --to skiav1", "convert --to skiav1 --strict", "convert --to benchfmt", "convert --to tap",
		"records --as jsonl", "records --as text", "records --as csv", "records --as tsv", "records --as parquet",
		"info", "info --as json", "validate", "validate --as json",
	} {
		t.Run(command, func(t *testing.T) {
			n := 0
			for ; ; n++ {
				dir := t.TempDir()
				name, out := filepath.Join(dir, "in.json"), filepath.Join(dir, "out")
				write(t, name, old)
				if err := os.Chtimes(name, earlier, earlier); err != nil {
					t.Fatal(err)
				}
				left := n
				open := func(name string) (file, error) {
					f, err := openFile(name)
					return &rewrittenFile{f, &left, func() { write(t, name, rewritten) }}, err
				}
				args := append(strings.Fields(command), "-o", out, name)
				_, stderr, status := runChanging(open, args...)
				_, statErr := os.Stat(out)
				if left >= 0 {
					if status != statusOK || statErr != nil {
						t.Errorf("unchanged: %d, %s, %v", status, stderr, statErr)
					}
					break
				}
				if status != statusFailed || !os.IsNotExist(statErr) ||
					!strings.Contains(stderr, "changed while it was read") && !strings.Contains(stderr, "changed during reading") {
					t.Errorf("written to before read %d: %d, %s, %v", n, status, stderr, statErr)
				}
			}
			if n < 5 {
				t.Errorf("%d reads", n)
			}
		})
	}
}

// The same for standard input that is a file, and for the files of a job's folder.
func TestRewrittenOtherInputs(t *testing.T) {
	earlier := time.Now().Add(-time.Hour)
	keyvals := strings.Repeat("loops{perf}=1\n\n", 3000)
	job := filepath.Join(t.TempDir(), "job")
	name := filepath.Join(job, "a", "results", "keyval")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(job, "status.log"), "START\ta\ta\ttimestamp=1\nEND GOOD\ta\ta\ttimestamp=2\n")
	reset := func() {
		write(t, name, keyvals)
		if err := os.Chtimes(name, earlier, earlier); err != nil {
			t.Fatal(err)
		}
	}
	change := func() { write(t, name, strings.Replace(keyvals, "=1", "=2", 1)) }

	t.Run("stdin", func(t *testing.T) {
		reset()
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		tool := newTool(f, &strings.Builder{}, &strings.Builder{})
		in := tool.seekableStdin()
		p := make([]byte, 10)
		if n, err := in.Read(p); n != 10 || err != nil {
			t.Fatal(n, err)
		}
		change()
		if n, err := in.Read(p); n != 0 || statusOf(err) != statusFailed {
			t.Errorf("%d bytes, %v", n, err)
		}
	})

	t.Run("job between two readings", func(t *testing.T) {
		reset()
		c := &conversion{
			tool: newTool(strings.NewReader(""), &strings.Builder{}, &strings.Builder{}),
			to:   targets()[0], byCommit: make(map[string]*convertPart),
		}
		read := func() (n *tally) {
			err := c.withInput(0, job, func(in *input) (err error) {
				n, err = c.read(in, nil, func(e *format.Error) { t.Error(e) })
				return err
			})
			if err != nil || n.records != 3000 {
				t.Fatalf("%d records, %v", n.records, err)
			}
			return n
		}
		first := read()
		in := &input{name: job}
		if err := in.compare(first, read()); err != nil {
			t.Errorf("unchanged: %v", err)
		}
		change()
		if err := in.compare(first, read()); err == nil {
			t.Error("no error, want one about the other values")
		}
	})
}
