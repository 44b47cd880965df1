package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"perfdata/format"
	"perfdata/runners"
	"perfdata/runners/hyperfine"
)

// show prints the measurements of a file that hyperfine has written. A run that failed has none: it is
// reported, like everything else that is left out.
func show(out io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()

	r := runners.NewReader(file, hyperfine.Format())
	r.Name = name
	report := func(e *format.Error) { log.Print(e) }
	for rec, err := range format.Tolerant(r.Records(), report) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, rec.TraceID(), rec.Value)
	}
	return nil
}
