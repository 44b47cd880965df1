package table_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/columns"
	"perfdata/internal/testing/documents"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
	"perfdata/series"
	"perfdata/table"
)

var forms = map[string]columns.Form{"jsonl": columns.JSON, "csv": columns.CSV, "tsv": columns.TSV}

// print writes the measurements that a Reader yields as a table, without the fields that differ
// between files.
func print(t testing.TB, form string, r format.Reader) string {
	all, err := columns.All(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := columns.NewEncoder(&out, all, forms[form])
	e.WriteTitles()
	var placer series.Placer
	var row columns.Row
	for rec, err := range r.Records() {
		if err != nil {
			continue
		}
		if err := row.Fill(&placer, rec); err != nil {
			t.Fatal(err)
		}
		row.Offset = -1
		if err := e.Write(&row); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// checkRoundTrip checks that a table of the records of a Reader is read back as the same records.
func checkRoundTrip(t testing.TB, open func() format.Reader) {
	t.Helper()
	for form := range forms {
		want := print(t, form, open())
		if strings.Count(want, "\n") == 0 || form != "jsonl" && strings.Count(want, "\n") == 1 {
			continue // nothing was measured
		}
		f, err := perfdata.NewReader(strings.NewReader(want), "in")
		if err != nil {
			t.Fatalf("%s: %v\n%.2000s", form, err, want)
		}
		if f.Format.Name != form {
			t.Fatalf("%s is detected as %s: %.500s", form, f.Format.Name, want)
		}
		for e := range f.Format.Validate(strings.NewReader(want), format.Options{}) {
			t.Fatalf("%s: %v\n%.2000s", form, e, want)
		}
		if got := print(t, form, f); got != want {
			t.Errorf("%s (-written +read):\n%.5000s", form, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
	}
}

// What the tool writes, it reads: of every format.
func TestRoundTrip(t *testing.T) {
	for _, f := range perfdata.Formats() {
		if f.Open == nil || f.Name == "jsonl" || f.Name == "csv" || f.Name == "tsv" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			for seed := range uint64(quick.Of(20, 4)) {
				document := documents.Valid(f, seed, 2000)
				checkRoundTrip(t, func() format.Reader { return f.Open(nil, bytes.NewReader(document), format.Options{}) })
			}
		})
	}
}

// Real files have repetitions, and params that spell their numbers.
func TestRoundTripOfFiles(t *testing.T) {
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "large.json" && quick.Test() {
			return err
		}
		if f, err := perfdata.Open(path); err == nil {
			f.Close()
			t.Run(path, func(t *testing.T) {
				checkRoundTrip(t, func() format.Reader {
					f, err := perfdata.Open(path)
					if err != nil {
						t.Fatal(err)
					}
					return f
				})
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// show returns the records and errors of an input, with what tables say of them.
func show(name string, settings ...string) func(in io.Reader) []string {
	o := format.Options{Name: "", Settings: map[string]string{}}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		o.Settings[name+"."+key] = value
	}
	return func(in io.Reader) []string {
		f, _ := perfdata.FormatNamed(name)
		var all []string
		for rec, err := range f.Open(nil, in, o).Records() {
			if err != nil {
				all = append(all, formattest.ShowError(err))
				continue
			}
			all = append(all, fmt.Sprint(formattest.Show(rec)))
		}
		return all
	}
}

func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name, form, in string
		settings       []string
		want           []string
	}{
		{
			name: "JSON lines", form: "jsonl",
			in: `{"value":1.5,"params":{"name":"a","n":2,"ok":true},"attrs":{"host":"h"},"links":{"log":"https://x"},"size":3}` + "\n\n" +
				`{"params":{},"value":"NaN","commit":null}` + "\r\n" + `{"value":"-Inf","params":{"a":"\u00e9"},"param:a":"b"}`,
			want: []string{`n=2 name=a ok=true size=3 = 1.5 log->https://x host:h`, `= NaN`, `a=é = -Inf`},
		},
		{
			name: "faults in JSON lines", form: "jsonl",
			in: `{"value":§{},"params":{}}` + "\n" + `{"value":1,"params":§[]}` + "\n" + `{"value":tru§,"params":{}}` + "\n" +
				`{"params":{"a":§{}},"value":1}` + "\n" + `{"params":{"a":1,§"a":2},"value":1}` + "\n" + `§[1]` + "\n" +
				`{"value":1,"better":§"up","n":§0,"params":{}}` + "\n" + `§{"params":{}}` + "\n" +
				`{"value":§"1x"}` + "\n" + `§{"value":2,"params":{"a":"b"},"trace":",c=d,"}` + "\n" + `{"value":3§`,
			want: []string{
				`§: value: Invalid type. Expected: number, given: object`,
				`§: params: Invalid type. Expected: string, given: array`,
				`§: value: found ',', expected true`,
				`§: params.a: Invalid type. Expected: string, given: object`,
				`§: params.a: duplicate member "a"`,
				`§: Invalid type. Expected: object, given: array`,
				`§: better: "up": want lower or higher`,
				`§: n: "0": want the number of a repetition, from 1`,
				`§: the row has no value`,
				`§: value: "1x" is not a number`,
				`§: trace: ",c=d," has params that the row lacks`,
				`FATAL §: value: unexpected end of input, expected the rest of a number`,
			},
		},
		{
			name: "CSV", form: "csv",
			in:   "\ufeffname,value,\"unit\",params,param:x,\r\n" + `a,1,ms,"{""b"":""c""}",d,` + "\r\n\n" + `"a ""q"",` + "\n" + `x",2,,{},,y` + "\n",
			want: []string{`b=c name=a x=d = 1`, "name=a \"q\",\nx = 2"},
		},
		{
			name: "faults in CSV", form: "csv",
			in: "value,params,a\n§x,{},\n1,{}\n1,{},b,c\n1,x§\"y,z\n1,\"x\"§y,z\n1,\"{}x\",z\n2,{},\xff\n3,{},\"open\n4,{},\n",
			want: []string{
				`§: value: "x" is not a number`, `3:1: 2 cells: want 3, as in the first row`,
				`4:1: 4 cells: want 3, as in the first row`, `§: a quote in a cell that does not begin with one`,
				`§: text after quotes: want ',' or the end of the row`, `7:3: params: data after the end of the document`,
				`8:6: invalid UTF-8`, `FATAL 9:6: quotes without an end`,
			},
		},
		{
			name: "TSV", form: "tsv",
			in:   "value\tparams\tcommit\n1\t{\"a\":\"\\\\n\\\\t\"}\tx\\ty\\\\\\q\n" + "2\t\t\n",
			want: []string{"a=\n\t = 1", `= 2`},
		},
		{
			name: "another table", form: "csv", settings: []string{"value=ms,kB", "commit=sha", "time=when", "attrs=host", "comma=;"},
			in: "when;sha;name;ms;kB;host;value\n2026.07.31 3:04:05 +0200;c1;a;1,5;2;h;v\n1785492000;c2;a;-1e3;;h;\n2026-07-31;c3;a;;;h;\n",
			want: []string{
				`2:31: ms: "1,5" is not a number`,
				`metric=kB name=a value=v = 2 commit-time:2026-07-31T01:04:05Z host:h`,
				`metric=ms name=a = -1000 commit-time:2026-07-31T10:00:00Z host:h`,
				`4:1: the row has no value`,
			},
		},
		{
			name: "a param metric", form: "csv", settings: []string{"value=ms"},
			in:   "metric,ms,id,n\np99,1,2,3\n",
			want: []string{`column=ms id=2 metric=p99 n=3 = 1`},
		},
		{
			name: "params metric and column", form: "csv", settings: []string{"value=ms,kB"},
			in:   "metric,column,ms,kB\np99,x,1,2\n",
			want: []string{`column=x column_=ms metric=p99 = 1`, `column=x column_=kB metric=p99 = 2`},
		},
		{
			name: "a param metric in params", form: "csv", settings: []string{"value=ms,kB"},
			in:   "params,ms,kB\n\"{\"\"metric\"\":\"\"p99\"\",\"\"column\"\":\"\"\"\"}\",1,2\n",
			want: []string{`column= column_=ms metric=p99 = 1`, `column= column_=kB metric=p99 = 2`},
		},
		{
			name: "a unit beside a column called unit", form: "csv", settings: []string{"unit=u"},
			in:   "name,unit,u,value\na,box,ms,1\nb,box,,2\n",
			want: []string{`column_unit=box name=a unit=ms = 1`, `column_unit=box name=b = 2`},
		},
		{
			name: "no value", form: "csv", in: "§a,b\n1,2\n",
			want: []string{`FATAL §: the columns are "a, b": want value, or the name of another one with --set csv.value=COLUMN`},
		},
		{name: "two columns", form: "tsv", in: "value\ta\t§a\n", want: []string{`FATAL §: two columns "a"`}},
		{name: "empty CSV", form: "csv", in: "§", want: []string{`FATAL §: the input is empty: want a row with the names of the columns`}},
		{name: "empty JSON lines", form: "jsonl", in: "§", want: []string{`FATAL §: the input is empty`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, show(test.form, test.settings...))
		})
	}
}

// documentsOf are documents of a form, by name: generated ones, and one with faults.
func documentsOf(f format.Format) map[string]string {
	all := map[string]string{
		"jsonl": `{"value":1,"params":{"a":"b"}}` + "\n" + `{"value":"x"}` + "\n\n" + `{"value":2,"params":{}}` + "\n",
		"csv":   "a,value,params\n\"x\n\"\"\",1,\"{\"\"b\"\":1}\"\nx,y,z\n,3,\n",
		"tsv":   "a\tvalue\tparams\nx\\n\t1\t{\"b\":1}\nx\ty\tz\n\t3\t\n",
	}
	files := map[string]string{"own": all[f.Name]}
	for seed := range uint64(quick.Of(5, 3)) {
		files[fmt.Sprint(seed)] = string(documents.Valid(f, seed, 400))
	}
	return files
}

func read(f format.Format, in io.Reader) []string {
	return formattest.Whole(f.Open(nil, in, format.Options{}))
}

// checkWays reads an input in every way that must not matter.
func checkWays(t testing.TB, f format.Format, in string) {
	want := read(f, strings.NewReader(in))
	for way, source := range formattest.Sources {
		if got := read(f, source(in)); !slices.Equal(want, got) {
			t.Fatalf("(-seekable +%s):\n%s", way, cmp.Diff(want, got))
		}
	}
	for _, err := range f.Open(nil, strings.NewReader(in), format.Options{}).Records() {
		if err != nil {
			formattest.CheckError(t, in, err)
		}
	}
	formattest.CheckValidate(t, f, in)
	f.Detect([]byte(in))
}

// A last row without a line end is a measurement: spreadsheets and scripts write none. Validation
// warns.
func TestLastRowWithoutEnd(t *testing.T) {
	for form, in := range map[string]string{
		"jsonl": `{"value":1,"params":{}}`, "csv": "value,params\n1,{}", "tsv": "value\tparams\n1\t{}",
	} {
		if diff := cmp.Diff([]string{"= 1"}, show(form)(strings.NewReader(in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
		f, _ := perfdata.FormatNamed(form)
		warnings := 0
		for range f.Validate(strings.NewReader(in), format.Options{}) {
			warnings++
		}
		if warned := warnings == 1; warned != (form != "jsonl") {
			t.Errorf("%s: %d warnings", form, warnings)
		}
	}
}

// Validation yields the faults of all rows, and all of a row with several values.
func TestValidateAll(t *testing.T) {
	const in = "value,n,params\nx,0,\n1,\n\"1,234\",,\n2,-1,\n"
	var got []string
	for e := range table.CSV().Validate(strings.NewReader(in), format.Options{}) {
		got = append(got, fmt.Sprintf("%d:%d", e.Line, e.Column))
	}
	if diff := cmp.Diff([]string{"2:1", "2:3", "3:1", "4:1", "5:3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Tables are read in every way, and truncated at every byte.
func TestWays(t *testing.T) {
	for _, f := range []format.Format{table.JSONL(), table.CSV(), table.TSV()} {
		for name, in := range documentsOf(f) {
			t.Run(f.Name+"/"+name, func(t *testing.T) {
				checkWays(t, f, in)
				formattest.CheckStops(f, in)
				full := read(f, strings.NewReader(in))
				for n := 0; n < len(strings.TrimRight(in, "\r\n")); n += quick.Of(1, 3) {
					checkTruncated(t, f, in[:n], full)
				}
			})
		}
		t.Run(f.Name+"/Reset", func(t *testing.T) {
			formattest.CheckReset(t, documentsOf(f), func(in io.Reader) *columns.Reader {
				return f.Open(nil, in, format.Options{}).(*columns.Reader)
			})
		})
	}
}

// checkTruncated checks that a truncated table yields what the whole one does, up to an error about
// its end. Validation warns if the last cell may be truncated.
func checkTruncated(t *testing.T, f format.Format, in string, full []string) {
	warned := false
	for e := range f.Validate(strings.NewReader(in), format.Options{}) {
		warned = warned || e.Severity == format.Warning && strings.Contains(e.Message, "may be truncated")
	}
	got := read(f, formattest.Stream(in))
	for i, line := range got {
		if i < len(full) && line == full[i] || i == len(got)-1 && (warned || strings.HasPrefix(line, "FATAL ")) {
			continue
		}
		t.Fatalf("%q\n%q is not in the full input, want a fatal error", in, line)
	}
}

// Detection needs the columns of a measurement.
func TestDetect(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":",a=b,","value":1,"params":{"a":"b"}}`: "jsonl",
		`{"value":"NaN","params":{}}`:                 "jsonl",
		`{"value":{},"params":{}}`:                    "",
		`{"value":1}`:                                 "",
		`{"params":{}}`:                               "",
		`[{"value":1,"params":{}}]`:                   "",
		"id,trace,value,params\n":                     "csv",
		"\"value\",\"params\"\r\n1,{}\r\n":            "csv",
		"value\tparams":                               "tsv",
		"value,name\n1,2\n":                           "",
		"params\n{}\n":                                "",
		"value params\n":                              "",
	} {
		if f, ok := perfdata.Detect([]byte(in)); f.Name != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", in, f.Name, want)
		}
	}
}

// A file of any columns is a table if the setting says where the values are, unless it is of a
// format.
func TestUnmarked(t *testing.T) {
	o := perfdata.Opener{Options: format.Options{Settings: map[string]string{"csv.value": "ms"}}}
	for in, want := range map[string]string{"name,ms\na,1\n": "csv", "BenchmarkX 1 2 ns/op\n": "benchfmt"} {
		if f, err := o.NewReader(strings.NewReader(in), "in"); err != nil || f.Format.Name != want {
			t.Errorf("%q: %v", in, err)
		}
	}
	_, err := perfdata.NewReader(strings.NewReader("name,ms\na,1\n"), "in")
	if err == nil || !strings.Contains(err.Error(), "--set csv.value=COLUMN") {
		t.Error(err)
	}
	for _, setting := range []string{"value=", "value=a,,b", "comma=", "comma=ab", "comma=\"", "attrs=\""} {
		key, value, _ := strings.Cut(setting, "=")
		if err := perfdata.CheckSettings(map[string]string{"csv." + key: value}); err == nil {
			t.Errorf("%s is accepted", setting)
		}
	}
}

// The trace ID and the number in a table decide, not what the params would give.
func TestPlace(t *testing.T) {
	const in = `{"value":1,"n":1,"params":{"a":"b","iteration":"1"},"trace":",a=b,iteration=1,"}
{"value":2,"n":7,"params":{"a":"b","commit":"x","cpu":"y"},"trace":",a=b,"}
{"value":3,"n":7,"params":{"a":"b","cpu":"y"},"trace":",a=b,"}
{"value":4,"params":{"a":"b","repetition":"9"}}
{"value":5,"n":2,"params":{"a":"b","stat":"x","unit":"s"},"trace":",a=b,unit=s,"}
{"value":6,"n":11,"params":{"a":"b","stat":"x","unit":"s"},"trace":",a=b,"}
`
	want := []string{",a=b,iteration=1, 1", ",a=b, 7", ",a=b, 7", ",a=b, 9", ",a=b,unit=s, 2", ",a=b, 11"}
	f, err := perfdata.NewReader(strings.NewReader(in), "in")
	if err != nil {
		t.Fatal(err)
	}
	var got, cloned, ignored []string
	var placer series.Placer
	withoutA := series.Placer{NotIdentity: []string{"iteration"}}
	for rec, err := range f.Records() {
		if err != nil {
			t.Fatal(err)
		}
		var row columns.Row
		row.Fill(&placer, rec)
		got = append(got, fmt.Sprintf("%s %d", row.Trace, row.N))
		row.Fill(new(series.Placer), rec.Clone())
		cloned = append(cloned, fmt.Sprintf("%s %d", row.Trace, row.N))
		row.Fill(&withoutA, rec)
		ignored = append(ignored, string(row.Trace))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, cloned); diff != "" {
		t.Errorf("clones (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{",a=b,", ",a=b,", ",a=b,", ",a=b,", ",a=b,unit=s,", ",a=b,"}, ignored); diff != "" {
		t.Errorf("without a param (-want +got):\n%s", diff)
	}
}

// CSV is split as encoding/csv splits it, which also removes the CR of a line end within quotes.
func FuzzCSV(f *testing.F) {
	for _, in := range documentsOf(table.CSV()) {
		f.Add(in)
	}
	f.Add("value,a\n1,\"x\"\"\r\n,\"\n2,\n3,b\"\n4,\"c\"d\n5")
	f.Fuzz(func(t *testing.T, in string) {
		checkWays(t, table.CSV(), in)
		rows, err := csv.NewReader(strings.NewReader(in)).ReadAll()
		if err != nil || len(rows) == 0 || strings.ContainsAny(in, "\r\ufeff") || !utf8.ValidString(in) {
			return
		}
		head := strings.TrimSpace(strings.Join(rows[0], "|"))
		if head != "value|a" {
			return
		}
		var want, got []string
		for _, row := range rows[1:] {
			if f, err := strconv.ParseFloat(strings.TrimSpace(row[0]), 64); err == nil && !strings.ContainsAny(row[0], "xXpP_") {
				want = append(want, fmt.Sprint(f, row[1]))
			}
		}
		for rec, err := range table.CSV().Open(nil, strings.NewReader(in), format.Options{}).Records() {
			if err == nil {
				a, _ := rec.Params.Get("a")
				got = append(got, fmt.Sprint(rec.Value, a))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-encoding/csv +got):\n%s", in, diff)
		}
	})
}

func FuzzJSONL(f *testing.F) { fuzz(f, table.JSONL()) }
func FuzzTSV(f *testing.F)   { fuzz(f, table.TSV()) }

func fuzz(f *testing.F, of format.Format) {
	for _, in := range documentsOf(of) {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) { checkWays(t, of, in) })
}
