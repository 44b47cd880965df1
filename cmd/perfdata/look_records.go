package main

import (
	"context"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/columns"
	"perfdata/store"
)

// recordsCommand returns the command that prints measurements. It is the way from any format to
// other programs, so its columns and forms come from package columns, which the library reads.
func (t *tool) recordsCommand() *cobra.Command {
	var flags *tableFlags
	cmd := &cobra.Command{
		Use:   "records FILE...",
		Short: "Print every measurement",
		Long: `Print every measurement, in the order of the files, or in Parquet sorted by trace
and commit, with these columns:

` + columns.Describe() + `
--columns adds one for each of some params. perfdata store query prints the same
columns. Only databases have positions: files have no list of commits. With
--ignore, trace and n belong to the series without some params. A missing commit,
and any other unknown value, is null in JSON and Parquet, and an empty cell in CSV
and TSV. The forms are:

  --as jsonl    one object per line
  --as csv      a row for each measurement; params, attrs and links are JSON objects
  --as tsv      as csv, but separated by tabs; tabs, line ends and backslashes in a
                cell are \t, \n, \r and \\
  --as parquet  params, attrs and links are maps; a query is faster if it uses a column
                of --columns
  --as text     id = value, for people

In JSON, the values NaN and infinity are the strings "NaN", "+Inf" and "-Inf".

CSV cells are printed verbatim. A spreadsheet interprets a cell that begins with
=, +, - or @ as a formula: do not open CSV of untrusted files in one.

Rows of Parquet are sorted by the bytes of trace and commit. Rows that do not fit into
32 MB are kept in a temporary file: beside the file of -o, or without -o in the folder
for temporary files. A note says how large it was: about 100 bytes a measurement.

With --samples, print the samples of nanolegacy files instead of their
measurements. The param iteration is the number of the sample, from 1 on; if the
measurement has a param iteration, sample is.

A FILE may also be a database of perfdata store. Its measurements are in the order in
which store query prints them.

Unreadable measurements are reported on standard error and skipped. Use - for
standard input.`,
		Example: `  perfdata records --as csv --columns test,stat -o measurements.csv *.json.gz
  perfdata records --as text --match 'stat=min&test=~^draw_' run.json`,
		RunE: func(_ *cobra.Command, files []string) error {
			// A mistake in a flag is known before any file is read.
			if err := flags.check(t); err != nil {
				return err
			}
			// The text form has the ID of all params, which --ignore would not change.
			if len(flags.ignored) > 0 && flags.form == "text" {
				return errors.New("--ignore: the form text has no trace: want --as jsonl, csv, tsv or parquet")
			}
			// These are attrs, but a key that none has is as likely a typo as one of --columns.
			t.named.add(promoteFlag, t.reading.opener.Promote)
			t.readsOnce, t.readsStores = true, true
			// Rows are written while files are read: the rows of a pipe appear as they come, and
			// the memory does not depend on their number. Only Parquet sorts them first.
			err := t.withTable(flags, func(to rowFunc) error {
				// Files are read on after the fault of one of them. But a table that cannot be written, as
				// on a full disk, makes all later reading pointless.
				var failure error // of the table, or of a store: nothing is printed after it
				t.eachInput(files, func(in *input) error {
					switch {
					case failure != nil:
					// A store knows the places of its commits, and the numbers of repetitions,
					// which a Placer would have to count. Nothing cancels the context: a signal
					// ends the process.
					case in.stored != nil:
						_, failure = t.printStored(context.Background(), in.stored, nil, store.Range{}, to, flags)
					case to == nil:
						t.printText("", t.records(in))
					default:
						failure = t.printRows(in, to, flags)
					}
					return nil
				})
				return failure
			})
			// After an error, files that were not read could have the keys, or match the query.
			if err == nil {
				t.reportUnmatched("measurement")
				t.reportKeys(&t.named)
			}
			return err
		},
	}

	flags = addTableFlags(cmd, "jsonl")
	cmd.Flags().BoolVar(&t.reading.samples, "samples", false, "print the samples of nanolegacy files")
	t.addMatchFlag(cmd)
	t.addCharsetFlag(cmd)
	t.addOutputFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

// records iterates over the measurements of the input that match. An error of opening it is the
// only step, so that callers have one place for errors.
func (t *tool) records(in *input) iter.Seq2[*format.Record, error] {
	r, err := in.open()
	if err != nil {
		return func(yield func(*format.Record, error) bool) { yield(nil, err) }
	}
	return t.matching(in.records(r))
}

// printText prints each record as "id = value", and reports errors. It appends to one line, because
// a call of fmt for each of a million records takes longer than reading them.
func (t *tool) printText(indent string, records iter.Seq2[*format.Record, error]) {
	var line []byte
	before, after := " = ", "\n"
	if t.colorOut {
		before, after = before+string(cyan), endStyle+after
	}
	for rec, err := range records {
		// An error may be about one measurement only: the loop ends when the reading does.
		if err != nil {
			t.report(err)
			continue
		}
		line = append(line[:0], indent...)
		// A record makes only the part of its ID that differs from the previous ID, which is
		// faster, but it can do that in the default charset only. In another one, an ID may have any
		// character of the file, such as a line end, which would begin what looks like a measurement.
		if charset := t.charset; charset != nil {
			line = append(line, chars.Visible(charset.ID(rec.Params))...)
		} else {
			line = rec.AppendTraceID(line)
		}
		line = append(appendValue(append(line, before...), rec.Value), after...)
		// The buffer keeps an error, and the end of the command reports it.
		t.stdout.Write(line)
	}
}
