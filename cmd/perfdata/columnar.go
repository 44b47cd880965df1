package main

import (
	"fmt"

	"perfdata/format"
)

// A columnar writes records as a table whose columns depend on all records. So the files are read
// twice.
type columnar interface {
	// look sees each record of the first reading.
	look(rec *format.Record) error

	// begin is called between the readings.
	begin() error

	// write writes a record of the second reading.
	write(in *input, rec *format.Record) error

	// flush writes what is held, if that is possible.
	flush()

	// end completes the table.
	end() error
}

func (t *tool) printColumnar(files []string, table columnar) error {
	first := make(map[int]tally)
	var failure error
	_, err := t.eachInput(files, func(in *input) {
		if failure != nil {
			return
		}
		// The second reading reports errors.
		first[in.index], failure = in.readRecords(t.selected(table.look), func(error) {})
		if failure != nil {
			failure = fmt.Errorf("%s: %w", in.name, failure)
		}
	})
	if err := firstError(err, failure); err != nil {
		return err
	}
	if err := table.begin(); err != nil {
		return err
	}

	for i, name := range files {
		first, ok := first[i]
		if !ok {
			continue // it could not be opened
		}
		err := t.withInput(i, name, func(in *input) error { return t.printAgain(in, table, first) })
		if err != nil {
			table.flush()
			return err
		}
	}
	return table.end()
}

// printAgain writes the records of an input, given the tally of its first reading.
func (t *tool) printAgain(in *input, table columnar, first tally) error {
	report := func(err error) {
		table.flush()
		t.report(err)
	}
	now, err := in.readRecordsAgain(first, t.selected(func(rec *format.Record) error {
		return table.write(in, rec)
	}), report)
	if err == nil && now.failure != nil {
		report(now.failure)
	}
	return err
}
