package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"iter"
	"math"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/jsonenc"
	"perfdata/internal/number"
)

func (t *tool) recordsCommand() *cobra.Command {
	form := ""
	cmd := &cobra.Command{
		Use:   "records FILE...",
		Short: "Print every measurement",
		Long: `Print every measurement, in the order of the files:

  --as jsonl    one object per line with id, params, value, and links and attrs
                if any; with several files or -r, file comes first
  --as csv      one row per measurement; columns: id, params, links, attrs, value;
                at most 2,000 columns
  --as tsv      the same, separated by tabs; tabs, line ends and backslashes in a
                cell are \t, \n, \r and \\
  --as text     id = value
  --as parquet  columns: file, offset, id, value; params, links and attrs as maps;
                and each param that all measurements have

In JSON, the values NaN and infinity are the strings "NaN", "+Inf" and "-Inf".

CSV cells are printed verbatim. A spreadsheet interprets a cell that begins with
=, +, - or @ as a formula: do not open CSV of untrusted files in one.

With --samples, print the samples of nanolegacy files instead of their
measurements. The param iteration is the number of the sample, from 1 on; if the
measurement has a param iteration, sample is.

Unreadable measurements are reported on standard error and skipped. Use - for
standard input.`,
		Example: `  perfdata records --as csv -o measurements.csv *.json.gz
  perfdata records --as text --match 'stat=min&test=~^draw_' run.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			err := t.printRecords(files, form)
			if err == nil {
				t.reportUnmatched("measurement")
			}
			return err
		},
	}

	cmd.Flags().StringVar(&form, "as", "jsonl", "`FORM` of the output: "+oneOf(recordForms))
	cmd.Flags().BoolVar(&t.reading.samples, "samples", false, "print the samples of nanolegacy files")
	complete(cmd, "as", recordForms...)
	t.addMatchFlag(cmd)
	t.addOutputFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

var recordForms = []string{"jsonl", "csv", "tsv", "text", "parquet"}

func (t *tool) printRecords(files []string, form string) error {
	several := t.isSeveral(files)
	var err error
	switch form {
	case "jsonl":
		t.readsOnce = true
		_, err = t.eachInput(files, func(in *input) { t.printJSON(in, several) })
	case "text":
		t.readsOnce = true
		_, err = t.eachInput(files, func(in *input) { t.printText("", t.records(in)) })
	case "csv":
		err = t.printColumnar(files, newCSVTable(csv.NewWriter(t.data), several))
	case "tsv":
		err = t.printColumnar(files, newCSVTable(&tsvWriter{out: bufio.NewWriter(t.data)}, several))
	case "parquet":
		if t.isTerminal(t.out) {
			return errBinary
		}
		err = t.printColumnar(files, &parquetTable{dst: t.stdout})
	default:
		err = unknownForm(form, recordForms)
	}
	return err
}

// records iterates over the measurements of the input.
func (t *tool) records(in *input) iter.Seq2[*format.Record, error] {
	r, err := in.open()
	if err != nil {
		return func(yield func(*format.Record, error) bool) { yield(nil, err) }
	}
	if len(t.queries) == 0 {
		return in.records(r)
	}
	return func(yield func(*format.Record, error) bool) {
		for rec, err := range in.records(r) {
			selected := err != nil
			if err == nil {
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

// printText prints each record as "id = value", and reports errors.
func (t *tool) printText(indent string, records iter.Seq2[*format.Record, error]) {
	var line []byte
	for rec, err := range records {
		if err != nil {
			t.report(err)
			continue
		}
		line = append(line[:0], indent...)
		line = rec.Params.AppendID(line)
		line = append(line, " = "...)
		if t.colorOut {
			line = append(line, cyan...)
			line = append(appendValue(line, rec.Value), endStyle...)
		} else {
			line = appendValue(line, rec.Value)
		}
		line = append(line, '\n')
		t.stdout.Write(line)
	}
}

func (t *tool) printJSON(in *input, several bool) {
	var line, id []byte
	for rec, err := range t.records(in) {
		if err != nil {
			t.report(err)
			continue
		}
		line = append(line[:0], '{')
		if several {
			line = append(line, `"file":`...)
			line = jsonenc.AppendString(line, in.name)
			line = append(line, ',')
		}

		id = rec.Params.AppendID(id[:0])
		line = append(line, `"id":`...)
		line = jsonenc.AppendString(line, string(id))
		line = append(line, `,"params":`...)
		line = jsonenc.AppendParams(line, rec.Params.All())
		line = append(line, `,"value":`...)
		line = appendJSONValue(line, rec.Value)

		if len(rec.Links) > 0 {
			line = append(line, `,"links":`...)
			line = jsonenc.AppendParams(line, rec.Links.All())
		}
		if len(rec.Attrs) > 0 {
			line = append(line, `,"attrs":`...)
			line = jsonenc.AppendParams(line, rec.Attrs.All())
		}
		line = append(line, "}\n"...)
		t.data.Write(line)
	}
}

// appendJSONValue appends a number, or one of the strings "NaN", "+Inf" and "-Inf".
func appendJSONValue(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		dst = append(dst, '"')
		dst = appendValue(dst, f)
		return append(dst, '"')
	}
	return appendValue(dst, f)
}

// appendValue appends the fewest digits that identify f, or NaN, +Inf or -Inf.
func appendValue(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Appendf(dst, "%+v", f)
	}
	return number.AppendShortest(dst, f)
}
