package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"perfdata/bench/workload"
)

// The contest of printing all records of a file, and its contestants: the name of a form follows.
const (
	printing          = "printing"
	printRecords      = "perfdata records --as "
	readAndWriteAgain = "perfdata default, and writing again "
)

// printings returns the contests of printing every record with the tool, from a file into a file.
func printings() []contest {
	print := func(format string, d *workload.Document, open func(io.Reader, way) resetter) contest {
		contestants := func(in *input) ([]contestant, error) { return printers(in.files[0], open), nil }
		return contest{format, printing, readAndWriteAgain + "jsonl", false, document(d, 1), contestants}
	}
	return []contest{
		print("skiav1", workload.NewSkia(workload.Indented), newSkiaReader),
		print("benchfmt", workload.NewGoBench(1), newGoBenchReader),
	}
}

// printers returns a contestant for each form: the tool, as a user runs it. The reference is to read
// the document, and to write the same bytes that the tool writes.
func printers(doc []byte, open func(io.Reader, way) resetter) []contestant {
	var all []contestant
	for _, form := range []string{"jsonl", "csv"} {
		p := &printer{doc: doc, form: form}
		all = append(all,
			contestant{name: printRecords + form, elsewhere: p.elsewhere, close: p.close, run: func([]byte) (int, error) {
				return 0, p.print()
			}},
			contestant{name: readAndWriteAgain + form, elsewhere: otherThreads(), run: func(file []byte) (int, error) {
				n, err := readRecords(open(bytes.NewReader(file), way{}), nil)
				return n, errors.Join(err, p.writeAgain())
			}})
	}
	return all
}

// A printer runs the tool.
type printer struct {
	doc  []byte
	form string

	dir   string        // of the tool and its files; empty before the first use
	text  []byte        // what the tool prints
	spent time.Duration // CPU time of the tool that was not asked for yet
}

// start builds the tool, writes the document, and prints it once.
func (p *printer) start() (err error) {
	if p.dir != "" {
		return nil
	}
	if p.dir, err = os.MkdirTemp("", "perfdata-bench-*"); err != nil {
		return err
	}
	if err := buildTool(filepath.Join(p.dir, "perfdata")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "in"), p.doc, 0o600); err != nil {
		return err
	}
	if err := p.print(); err != nil {
		return err
	}
	p.text, err = os.ReadFile(filepath.Join(p.dir, "out"))
	return err
}

// print runs the tool once.
func (p *printer) print() error {
	if err := p.start(); err != nil {
		return err
	}
	cmd := exec.Command("./perfdata", "records", "--as", p.form, "-o", "out", "in")
	cmd.Dir = p.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, text)
	}
	p.spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return nil
}

// writeAgain writes what the tool prints into a file, in pieces of 64 KB.
func (p *printer) writeAgain() error {
	if err := p.start(); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(p.dir, "again"))
	if err != nil {
		return err
	}
	for rest := p.text; len(rest) > 0 && err == nil; {
		piece := rest[:min(64<<10, len(rest))]
		rest = rest[len(piece):]
		_, err = f.Write(piece)
	}
	return errors.Join(err, f.Close())
}

func (p *printer) elsewhere() time.Duration {
	defer func() { p.spent = 0 }()
	return p.spent
}

func (p *printer) close() error {
	p.text = nil
	return os.RemoveAll(p.dir)
}

// buildTool builds the command-line tool.
func buildTool(name string) error {
	if text, err := exec.Command("go", "build", "-C", "..", "-o", name, "./cmd/perfdata").CombinedOutput(); err != nil {
		return fmt.Errorf("building the tool: %w\n%s", err, text)
	}
	return nil
}
