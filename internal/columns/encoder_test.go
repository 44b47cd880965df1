package columns_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/columns"
	"perfdata/internal/testing/quick"
	"perfdata/series"
	"perfdata/traceid"
)

// forms are the forms of a table, each with a function that reads its rows as texts. A cell without a
// value is the text null, and a map is JSON without blanks.
var forms = []struct {
	form columns.Form
	read func(t *testing.T, text string) [][]string
}{
	{columns.JSON, readJSON},
	{columns.CSV, readCSV},
	{columns.TSV, readTSV},
}

func readJSON(t *testing.T, text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if _, err := d.Token(); err != nil {
			t.Fatal(err)
		}
		var row []string
		for d.More() {
			if _, err := d.Token(); err != nil {
				t.Fatal(err)
			}
			var cell any
			if err := d.Decode(&cell); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			switch cell := cell.(type) {
			case nil:
				row = append(row, "null")
			case map[string]any:
				row = append(row, compact(t, cell))
			default:
				row = append(row, fmt.Sprint(cell))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func compact(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readCSV(t *testing.T, text string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return readCells(t, rows)
}

func readTSV(t *testing.T, text string) (rows [][]string) {
	unescape := strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\r`, "\r", `\\`, `\`)
	for line := range strings.Lines(text) {
		var row []string
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\t") {
			row = append(row, unescape.Replace(cell))
		}
		rows = append(rows, row)
	}
	return readCells(t, rows)
}

// readCells makes cells of CSV as in JSON.
func readCells(t *testing.T, rows [][]string) [][]string {
	for _, row := range rows {
		for i, cell := range row {
			if cell == "" {
				row[i] = "null"
			}
			if i >= columns.Params && i <= columns.Links && cell != "params" && cell != "attrs" && cell != "links" {
				var m map[string]any
				if err := json.Unmarshal([]byte(cell), &m); err != nil {
					t.Fatalf("%v: %s", err, cell)
				}
				row[i] = compact(t, m)
			}
		}
	}
	return rows
}

// cells returns the cells of a row, made one by one.
func cells(t *testing.T, row *columns.Row, keys []string) []string {
	orNull := func(text string, has bool) string {
		if !has {
			return "null"
		}
		return text
	}
	object := func(p traceid.Params) string {
		m := map[string]any{}
		for _, pair := range p {
			m[strings.ToValidUTF8(pair.Key, "\ufffd")] = strings.ToValidUTF8(pair.Value, "\ufffd")
		}
		return compact(t, m)
	}
	out := []string{
		string(row.ID), orNull(string(row.Trace), len(row.Trace) > 0), orNull(row.Commit, row.Commit != ""),
		orNull(strconv.Itoa(row.N), row.N > 0), string(columns.AppendNumber(nil, row.Value, "")), orNull(row.Unit, row.Unit != ""),
		orNull(row.Better.String(), row.Better != 0), object(row.Params), object(row.Attrs), object(row.Links),
		orNull(strconv.Itoa(row.Place.Listed-1), row.Place.Listed > 0),
		orNull(row.Place.Time.UTC().Format(time.RFC3339), !row.Place.Time.IsZero()),
		orNull(row.File, row.File != ""), orNull(strconv.FormatInt(row.Offset, 10), row.Offset >= 0),
	}
	for _, key := range keys {
		value, ok := row.Params.Get(key)
		out = append(out, orNull(value, ok && value != ""))
	}
	return out
}

// Rows in each form, whatever they share with the previous one, are the same cells.
func TestEncoder(t *testing.T) {
	words := []string{
		"", "a", "b c", "é", `"quoted"`, `back\slash`, "tab\t", "line\nend", "comma,", " blank", `\.`, "\x00\x1b\u2028",
		strings.Repeat("long", 20_000),
	}
	keys := []string{"k0", "unit", "none"}
	all, err := columns.All(keys)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range forms {
		t.Run(form.form.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var out bytes.Buffer
			e := columns.NewEncoder(&out, all, form.form)
			row := columns.Row{Params: traceid.Of("k0", "v", "k1", "v", "unit", "ms"), ID: []byte(",a=b,")}
			var want [][]string
			for range quick.Of(250, 80) {
				change(r, words, &row)
				want = append(want, cells(t, &row, keys))
				if err := e.Write(&row); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, nullEmpty(form.read(t, out.String()))); diff != "" {
				t.Errorf("(-want +got):\n%.2000s", diff)
			}
		})
	}
}

// nullEmpty makes empty cells null, as they are in CSV.
func nullEmpty(rows [][]string) [][]string {
	for _, row := range rows {
		for i, cell := range row {
			if cell == "" {
				row[i] = "null"
			}
		}
	}
	return rows
}

// change changes some cells of a row.
func change(r *rand.Rand, words []string, row *columns.Row) {
	word := func() string { return words[r.IntN(len(words))] }
	if r.IntN(3) == 0 {
		row.Trace = [][]byte{nil, []byte(",a=b,"), []byte(",c=d,")}[r.IntN(3)]
	}
	for _, text := range []*string{&row.Commit, &row.Unit, &row.File} {
		if r.IntN(3) == 0 {
			*text = word()
		}
	}
	row.N, row.Offset, row.Better = r.IntN(3), int64(r.IntN(3)-1), format.Direction(r.IntN(3))
	if r.IntN(3) == 0 {
		row.Place = columns.Place{Listed: r.IntN(3)}
	}
	if r.IntN(3) == 0 {
		row.Place.Time = []time.Time{{}, time.Unix(0, 0), time.Unix(1_800_000_000, 0)}[r.IntN(3)]
	}
	row.Value = []float64{1, 0.1, math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(5)]
	for _, p := range []*traceid.Params{&row.Params, &row.Attrs, &row.Links} {
		for i := range *p {
			if r.IntN(4) == 0 {
				(*p)[i].Value = word()
			}
		}
		if r.IntN(10) == 0 {
			*p = nil
			for i := range r.IntN(4) {
				*p = append(*p, traceid.Param{Key: fmt.Sprint("k", i), Value: word()})
			}
		}
	}
}

func TestTitles(t *testing.T) {
	all, err := columns.All([]string{"a,b", "unit", ""})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := columns.NewEncoder(&out, all, columns.CSV).WriteTitles(); err != nil {
		t.Fatal(err)
	}
	const want = "id,trace,commit,n,value,unit,better,params,attrs,links,position,commit_time,file,offset,\"a,b\",param:unit,param:\n"
	if out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
}

// Every write fails.
type broken struct{ n int }

func (b *broken) Write(p []byte) (int, error) {
	b.n++
	return 0, errors.New("broken")
}

func TestEncoderFails(t *testing.T) {
	all, _ := columns.All(nil)
	for _, form := range forms {
		var out broken
		e := columns.NewEncoder(&out, all, form.form)
		row := columns.Row{ID: bytes.Repeat([]byte("x"), 1<<20)}
		for range 3 {
			if err := e.Write(&row); err == nil || out.n != 1 {
				t.Errorf("%s: %v after %d writes", form.form, err, out.n)
			}
		}
	}
}

func TestFill(t *testing.T) {
	rec := &format.Record{
		Params: traceid.Of("commit", "c", "test", "x"), Value: 2, Unit: "ms", Better: format.Lower, Commit: "c", Offset: 7,
		Attrs: traceid.Of("a", "b"), Links: traceid.Of("l", "m"),
	}
	for _, test := range []struct {
		name   string
		placer series.Placer
		rec    *format.Record
		want   []string
		cause  error
	}{
		{"a point", series.Placer{}, rec, []string{
			",commit=c,test=x,", ",test=x,", "c", "1", "2", "ms", "lower", `{"commit":"c","test":"x"}`, `{"a":"b"}`, `{"l":"m"}`, "null", "null", "null", "7",
		}, nil},
		{"a time", series.Placer{}, &format.Record{
			Params: traceid.Of("test", "x"), Commit: "c", Attrs: traceid.Of("commit-time", "2026-11-23T15:04:05.6+02:00"),
		}, []string{
			",test=x,", ",test=x,", "c", "1", "0", "null", "null", `{"test":"x"}`,
			`{"commit-time":"2026-11-23T15:04:05.6+02:00"}`, "{}", "null", "2026-11-23T13:04:05Z", "null", "0",
		}, nil},
		{"a time that is none", series.Placer{}, &format.Record{
			Params: traceid.Of("commit-time", "today", "test", "x"), Commit: "c",
		}, []string{
			",commit-time=today,test=x,", ",test=x,", "c", "1", "0", "null", "null", `{"commit-time":"today","test":"x"}`,
			"{}", "{}", "null", "null", "null", "0",
		}, nil},
		{"no place", series.Placer{}, &format.Record{Params: traceid.Of("commit", "c"), Commit: "c"}, []string{
			",commit=c,", "null", "c", "null", "0", "null", "null", `{"commit":"c"}`, "{}", "{}", "null", "null", "null", "0",
		}, nil},
		{"the whole identity", series.Placer{NotIdentity: []string{}}, rec, []string{
			",commit=c,test=x,", ",commit=c,test=x,", "c", "1", "2", "ms", "lower", `{"commit":"c","test":"x"}`, `{"a":"b"}`, `{"l":"m"}`, "null", "null", "null", "7",
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var row columns.Row
			if err := row.Fill(&test.placer, test.rec); !errors.Is(err, test.cause) {
				t.Error(err)
			}
			if diff := cmp.Diff(test.want, cells(t, &row, nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	t.Run("known place", func(t *testing.T) {
		var row columns.Row
		row.FillPlaced(rec, nil, []byte(",test=x,"), 3)
		want := []string{
			",commit=c,test=x,", ",test=x,", "c", "3", "2", "ms", "lower", `{"commit":"c","test":"x"}`, `{"a":"b"}`, `{"l":"m"}`, "null", "null", "null", "7",
		}
		if diff := cmp.Diff(want, cells(t, &row, nil)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})

	t.Run("too many traces", func(t *testing.T) {
		placer := series.Placer{Limits: format.Limits{MaxUniqueTraces: 1}}
		var row columns.Row
		var got []string
		for _, test := range []string{"x", "y", "x"} {
			err := row.Fill(&placer, &format.Record{Params: traceid.Of("test", test)})
			got = append(got, fmt.Sprintf("%s %d %v", row.Trace, row.N, errors.Is(err, format.ErrLimit)))
		}
		if want := []string{",test=x, 1 false", ",test=y, 0 true", ",test=x, 2 false"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})

	t.Run("another charset", func(t *testing.T) {
		charset, err := series.ParseCharset(`[,=]`)
		if err != nil {
			t.Fatal(err)
		}
		placer := series.Placer{Charset: charset}
		row := columns.Row{}
		if err := row.Fill(&placer, &format.Record{Params: traceid.Of("test", `"x\`)}); err != nil {
			t.Fatal(err)
		}
		all, _ := columns.All(nil)
		for _, form := range forms {
			var out bytes.Buffer
			if err := columns.NewEncoder(&out, all, form.form).Write(&row); err != nil {
				t.Fatal(err)
			}
			if got := form.read(t, out.String())[0][:2]; got[0] != got[1] || got[1] != `,test="x\,` {
				t.Errorf("%s: %q", form.form, got)
			}
		}
	})
}

// Cells are read back, and compare like their texts. A missing one precedes all texts.
func TestCells(t *testing.T) {
	texts := []string{"", "\x00", "\x00\x01", "\x01", "\x01\x00", "\x01;", "\t", "a\x00b", "a\x01", "a\"", "é"}
	all, err := columns.All([]string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	var previous []byte
	for _, text := range texts {
		var out bytes.Buffer
		row := columns.Row{
			Unit: text, Params: traceid.Params{{Key: "k" + text, Value: text}, {Key: "x", Value: text}},
			Attrs: traceid.Params{},
		}
		if err := columns.NewEncoder(&out, all, columns.Cells).Write(&row); err != nil {
			t.Fatal(err)
		}

		cells := bytes.Split(out.Bytes(), columns.CellEnd)
		unit, added := cells[columns.Unit], cells[len(cells)-1]
		if text == "" {
			if string(unit) != columns.NoCell || len(added) > 0 {
				t.Errorf("no unit, and an empty param: %q, %q", unit, added)
			}
			continue
		}
		if columns.Unquote(string(unit)) != text || !bytes.Equal(unit, added) || bytes.Compare(previous, unit) >= 0 {
			t.Errorf("%q after %q: %q, %q", text, previous, unit, added)
		}
		want := []string{"k" + text, text, "x", text}
		if got := columns.Pairs(string(cells[columns.Params])); !slices.Equal(got, want) {
			t.Errorf("%q: params %q", text, got)
		}
		if got := columns.Pairs(string(cells[columns.Attrs])); len(got) > 0 {
			t.Errorf("%q: attrs %q", text, got)
		}
		previous = unit
	}
}
