package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// A section is a part of a document that a measurement fills in.
type section struct {
	file, name string
	print      func(io.Writer) error
}

// sections returns the sections of the module's documents. memory is the size of the documents
// whose reading is measured; 0: none.
func sections(size, memory int64, rounds int, hostile bool) []section {
	all := []section{
		{"README.md", "targets", func(out io.Writer) error { return printTargets(out, "", size, memory, rounds, hostile) }},
		{"README.md", "growth", func(out io.Writer) error { return printGrowth(out, "plots") }},
		{"RESULTS.md", "contests", func(out io.Writer) error { return printTimes(out, "", size, rounds) }},
	}
	if memory > 0 {
		all = append(all, section{"README.md", "memory", func(out io.Writer) error { return printMemory(out, "", memory) }})
	}
	return all
}

// update measures everything, and writes the tables to the documents. It writes each when it is
// ready, so that little is lost if it is stopped.
func update(size, memory int64, rounds int, hostile bool) error {
	for _, s := range sections(size, memory, rounds, hostile) {
		text, err := os.ReadFile(s.file)
		if err != nil {
			return err
		}
		var table bytes.Buffer
		if err := s.print(&table); err != nil {
			return err
		}
		text, err = fillIn(text, s.name, table.Bytes())
		if err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		if err := os.WriteFile(s.file, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// fillIn replaces what is between the comments that begin and end the named section.
func fillIn(text []byte, name string, table []byte) ([]byte, error) {
	begin, end := []byte("<!-- begin "+name+" -->\n"), []byte("<!-- end "+name+" -->\n")
	before, rest, ok := bytes.Cut(text, begin)
	_, after, ok2 := bytes.Cut(rest, end)
	if !ok || !ok2 {
		return nil, fmt.Errorf("no section %q", name)
	}
	return bytes.Join([][]byte{before, begin, []byte("\n"), bytes.TrimSpace(table), []byte("\n\n"), end, after}, nil), nil
}
