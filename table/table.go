package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/columns"
	"perfdata/internal/jsonscan"
	"perfdata/internal/opening"
)

// JSONL returns the format of tables in JSON lines.
func JSONL() format.Format {
	return formatOf(columns.JSON, "measurements in JSON lines", ".jsonl", ".ndjson")
}

// CSV returns the format of tables in CSV.
func CSV() format.Format { return formatOf(columns.CSV, "measurements in CSV", ".csv") }

// TSV returns the format of tables of cells that are separated by tabs.
func TSV() format.Format { return formatOf(columns.TSV, "measurements in TSV", ".tsv") }

func formatOf(form columns.Form, title string, extensions ...string) format.Format {
	f := format.Format{
		Name: form.String(), Title: title, Holds: "a row for each measurement, as the command records prints it",
		Extensions: extensions, Settings: settings(form),
		Detect: func(prefix []byte) format.Match { return detect(form, prefix) }, Unmarked: "value",
	}
	own := func() format.Format { return f }
	open := func(reuse format.Reader, in io.Reader, o format.Options) (*columns.Reader, *format.Error) {
		r, ok := reuse.(*columns.Reader)
		if !ok || r.Form() != form {
			r = columns.NewReader(nil, form)
		}
		r.Reset(in)
		r.Options = columns.Options{Name: o.Name, Limits: o.Limits}
		return r, opening.Configure(own, r, o)
	}
	f.Open = opening.With(open)
	f.Validate = opening.Validating(open, opening.ValidateRecords)
	return f
}

// settings returns the settings of a form: the columns that something is in.
func settings(form columns.Form) []format.Setting {
	one := func(name, what string, field func(*columns.Reader) *string) format.Setting {
		return format.Setting{Name: name, Usage: "the column of " + what, Set: func(r format.Reader, value string) error {
			*field(r.(*columns.Reader)) = value
			return nil
		}}
	}
	several := func(name, what string, field func(*columns.Reader) *[]string) format.Setting {
		set := func(r format.Reader, value string) error {
			names, err := csv.NewReader(strings.NewReader(value)).Read()
			if err != nil || slices.Contains(names, "") {
				return fmt.Errorf("%q: want the names of columns, separated by commas", value)
			}

			*field(r.(*columns.Reader)) = names
			return nil
		}
		return format.Setting{Name: name, Usage: "the columns of " + what + ", separated by commas", Set: set}
	}
	all := []format.Setting{
		several("value", "values", func(r *columns.Reader) *[]string { return &r.Values }),
		one("commit", "the commit", func(r *columns.Reader) *string { return &r.Commit }),
		one("time", "the time of the commit", func(r *columns.Reader) *string { return &r.Time }),
		one("unit", "the unit", func(r *columns.Reader) *string { return &r.Unit }),
		one("better", "lower or higher", func(r *columns.Reader) *string { return &r.Better }),
		several("attrs", "attrs", func(r *columns.Reader) *[]string { return &r.Attrs }),
	}

	if form == columns.CSV {
		set := func(r format.Reader, value string) error {
			if len(value) != 1 || strings.ContainsAny(value, "\"\r\n") || value[0] >= 0x80 {
				return fmt.Errorf("%q: want one character", value)
			}
			r.(*columns.Reader).Comma = value[0]
			return nil
		}
		all = append(all, format.Setting{Name: "comma", Usage: "what separates the cells, such as ;", Set: set})
	}
	return all
}

// detect recognizes an input whose first row has a value and params: other tables have only one of
// them.
func detect(form columns.Form, prefix []byte) format.Match {
	if form == columns.JSON {
		s := jsonscan.OfBytes(prefix)
		if s.Kind() != jsonscan.Object {
			return format.Match{}
		}

		kinds := make(map[string]jsonscan.Kind)
		for name, kind := range s.Glance() {
			kinds[string(name)] = kind
		}
		// A null is a fault of its row, which only the Reader of this format reports.
		isValue := slices.Contains([]jsonscan.Kind{jsonscan.Number, jsonscan.String, jsonscan.Null}, kinds["value"])
		return format.Match{Yes: isValue && kinds["params"] == jsonscan.Object}
	}

	comma := map[columns.Form]string{columns.CSV: ",", columns.TSV: "\t"}[form]
	first, second, _ := strings.Cut(strings.TrimLeft(string(prefix), "\r\n"), "\n")
	titles := strings.Split(strings.TrimRight(first, "\r"), comma)
	has := func(name string) bool { return slices.Contains(titles, name) || slices.Contains(titles, `"`+name+`"`) }
	second, _, _ = strings.Cut(second, "\n")
	switch {
	case has("value") && has("params"):
		return format.Match{Yes: true}
	case len(titles) > 1 && strings.Count(second, comma) == len(titles)-1:
		return format.Match{Likely: 1, Reason: fmt.Sprintf("a table in %s without the columns value and params: "+
			"want the name of the column that has the values, with --set %[1]s.value=COLUMN", form)}
	}
	return format.Match{}
}
