package main

import (
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/columns"
	"perfdata/store"
)

// recordsCommand returns the command that prints measurements. It is the way from any format to
// other programs, so its columns and forms are those of package columns, and not its own.
func (t *tool) recordsCommand() *cobra.Command {
	var flags *tableFlags
	cmd := &cobra.Command{
		Use:   "records FILE...",
		Short: "Print every measurement",
		Long: `Print every measurement, in the order of the files, or in Parquet sorted by trace
and commit, with these columns:

` + columns.Describe() + `
--columns adds one for each of some params. perfdata store query prints the same
columns. The position is that of a database: files have no list of commits. With
--ignore, trace and n are those of the series without some params. A measurement
without a commit, and what else is not known, is null in JSON and Parquet, and an
empty cell in CSV and TSV. The forms are:

  --as jsonl    one object per line
  --as csv      a row for each measurement; params, attrs and links are JSON objects
  --as tsv      the same, separated by tabs; tabs, line ends and backslashes in a
                cell are \t, \n, \r and \\
  --as parquet  params, attrs and links are maps; a query is faster if it uses a column
                of --columns
  --as text     id = value, for people

In JSON, the values NaN and infinity are the strings "NaN", "+Inf" and "-Inf".

CSV cells are printed verbatim. A spreadsheet interprets a cell that begins with
=, +, - or @ as a formula: do not open CSV of untrusted files in one.

Rows of Parquet are sorted by the bytes of trace and commit. What does not fit into
32 MB is in a temporary file, beside that of -o, or where other temporary files are
if there is none. A note says how large it was: about 100 bytes a measurement.

With --samples, print the samples of nanolegacy files instead of their
measurements. The param iteration is the number of the sample, from 1 on; if the
measurement has a param iteration, sample is.

A FILE may also be a database of perfdata store. Its measurements are in the order in
which store query prints them.

Unreadable measurements are reported on standard error and skipped. Use - for
standard input.`,
		Example: `  perfdata records --as csv --columns test,stat -o measurements.csv *.json.gz
  perfdata records --as text --match 'stat=min&test=~^draw_' run.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			// A mistake in a flag is known before any file is read.
			if err := flags.check(); err != nil {
				return err
			}
			if len(flags.ignored) > 0 && flags.form == textForm {
				return errors.New("--ignore: the form text has no trace: want --as jsonl, csv, tsv or parquet")
			}
			// These are attrs, but a key that none has is as likely a typo as one of --columns.
			flags.named.add("promote", t.reading.promote)
			err := t.printRecords(files, flags)
			if err == nil {
				t.reportUnmatched("measurement")
				t.reportKeys(&flags.named)
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

// printRecords prints the measurements of files and stores in the form of the flags. The rows of a
// store have what only it knows, such as the position of the commit, so they are made in another
// way.
func (t *tool) printRecords(files []string, flags *tableFlags) error {
	t.readsOnce = true
	var to table // nil for the form text, which has no rows
	if flags.form != textForm {
		var err error
		if to, err = t.newTable(flags); err != nil {
			return err
		}
	}

	var failure error // of the table: the rest of the files would fail, too
	err := t.eachFileOrStore(files, func(in *input) {
		if to == nil {
			t.printText("", t.recordsWith(in, &flags.named))
		} else if failure == nil {
			failure = t.printRows(in, to, flags)
		}
	}, func(_ string, s *store.Store) error {
		// A trial is not asked for: store query --trial prints it.
		rows, err := t.storeRows(s, store.Trial{}, flags)
		if err != nil {
			return err
		}
		all := t.matching(measurementsOf(s), flags)
		if to == nil {
			_, err = t.printPoints(rows, all)
		} else {
			_, err = t.printStored(rows, all, to)
		}
		return err
	})

	if to == nil {
		return err
	}
	return firstError(err, failure, to.Close()) // Parquet is written by Close, also after a fault of an input
}

// records iterates over the measurements of the input that match. An error of opening it is the
// only step, so that callers have one place for errors.
func (t *tool) records(in *input) iter.Seq2[*format.Record, error] {
	return t.recordsWith(in, new(namedKeys))
}

// recordsWith is records that looks for keys in all measurements of the input.
func (t *tool) recordsWith(in *input, named *namedKeys) iter.Seq2[*format.Record, error] {
	r, err := in.open()
	if err != nil {
		return func(yield func(*format.Record, error) bool) { yield(nil, err) }
	}
	// This is the usual case. It has no function of ours between the Reader and the writer.
	if len(t.queries) == 0 && !named.isMissing() {
		return in.records(r)
	}
	return func(yield func(*format.Record, error) bool) {
		for rec, err := range in.records(r) {
			selected := err != nil
			if err == nil {
				named.look(rec)
				if selected, err = t.matches(rec); err != nil {
					yield(nil, err)
					return
				}
			}
			if selected && !yield(rec, err) {
				return
			}
		}
	}
}

// printText prints each record as "id = value", and reports errors. It appends to one line, because
// a call of fmt for each of a million records takes longer than reading them.
func (t *tool) printText(indent string, records iter.Seq2[*format.Record, error]) {
	var line []byte
	for rec, err := range records {
		if err != nil {
			t.report(err)
			continue
		}
		line = append(line[:0], indent...)
		if charset := t.charset; charset != nil {
			line = charset.AppendID(line, rec.Params)
		} else {
			line = rec.AppendTraceID(line)
		}
		line = append(line, " = "...)
		if t.colorOut {
			line = append(line, cyan...)
		}
		line = appendValue(line, rec.Value)
		if t.colorOut {
			line = append(line, endStyle...)
		}
		line = append(line, '\n')
		t.stdout.Write(line)
	}
}
