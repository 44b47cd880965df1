package runners_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
	"perfdata/skiav1"
)

// array is a format whose documents are arrays.
var array = &rows.Spec{
	Format: format.Format{Name: "array"},
	Row: jsontree.Object(
		jsontree.Member{Name: "name", Type: jsontree.Text},
		jsontree.Member{Name: "params", Type: jsontree.ObjectOf(jsontree.Any)},
		jsontree.Member{Name: "time", Type: jsontree.Number.Or(jsontree.Strings)},
		jsontree.Member{Name: "size", Type: jsontree.Number},
	),
	IfEmpty: "no benchmark was run",
	Records: func(m *rows.Maker, v jsontree.Value) {
		m.Param("name", v.Get("name").Text())
		for key, param := range v.Get("params").Others() {
			m.Param(key, param.Text())
		}
		m.Value(rows.Measure{Unit: "s"}, v.Get("time"))
		m.Value(rows.Measure{Metric: "size"}, v.Get("size"))
	},
}

// A document that is an array is read as one that is an object.
func TestArray(t *testing.T) {
	for _, test := range []struct {
		name, in string
		limits   format.Limits
		want     []string
	}{
		{name: "no results", in: " [ ] \n", want: []string{}},
		{
			name: "results",
			in:   `[{"name":"a","time":1},{"name":"a","time":2},null,{"name":"b","time":"3"}]`,
			want: []string{`name=a unit=s = 1`, `name=a unit=s = 2`, `name=b unit=s = 3`},
		},
		{
			name: "faults",
			in:   `[{"name":"a","time":§"x"},§7,§{"name":"b"},{"name":§true,"time":4}]`,
			want: []string{
				`§: 0.time: a: "x" is not a number`,
				`§: 1: Invalid type. Expected: object, given: integer`,
				`§: 2: b: the result has no numbers`,
				`§: 3.name: Invalid type. Expected: string, given: boolean`,
				`unit=s = 4`,
			},
		},
		{
			name: "a parameter has the same key in all records of a result",
			in:   `[{"params":{"metric":"m","stat":"s"},"time":1,"size":2}]`,
			want: []string{
				`params.metric=m params.stat=s unit=s = 1`,
				`metric=size params.metric=m params.stat=s = 2`,
			},
		},
		{name: "empty", want: []string{`FATAL 1:1: the input is empty: no benchmark was run`}},
		{name: "an object", in: `§{}`, want: []string{`FATAL §: found '{', expected an array`}},
		{
			name: "the end is missing",
			in:   `[{"name":"a","time":1}`,
			want: []string{`name=a unit=s = 1`, `FATAL 1:23: 0: unexpected end of input, expected a comma or ]`},
		},
		{
			name: "data after the end",
			in:   "[{\"name\":\"a\",\"time\":1}]\n§[]",
			want: []string{`name=a unit=s = 1`, `FATAL §: data after the end of the document`},
		},
		{
			name:   "a large result",
			in:     `[{"time":1},{"time":2,"other":"` + strings.Repeat("x", 2000) + `"}]`,
			limits: format.Limits{MaxResultBytes: 1000},
			want:   []string{`unit=s = 1`, `FATAL 1:2034: 1: too many bytes: more than 1000 (Limits.MaxResultBytes)`},
		},
		{
			name:   "many params",
			in:     `[{"time":1},§{"params":{"a":1,"b":2},"time":2},{"time":3}]`,
			limits: format.Limits{MaxParams: 2},
			want: []string{`unit=s = 1`,
				`FATAL §: 1: params, attrs or links of one measurement: more than 2 (Limits.MaxParams)`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(in io.Reader) []string {
				r := rows.New(in, array)
				r.Limits = test.limits
				return formattest.All(r)
			}
			formattest.CheckRead(t, test.name, test.in, test.want, read)
			formattest.CheckValidate(t, rows.FormatOf(array), strings.ReplaceAll(test.in, "§", ""))
		})
	}
}

// The results of an array have no header, so the Reader need not wait for the end of the array.
func TestArrayIsStreamed(t *testing.T) {
	in := formattest.Unfinished(`[{"name":"a","time":1},{"name":"b","time":2},`)
	defer in.Close()
	r := rows.New(in, array)
	if h, err := r.FileHeader(); err != nil || h.Commit != "" {
		t.Fatalf("header %v, error %v; want an empty one", h, err)
	}
	var got []string
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, formattest.Show(rec)); len(got) == 2 {
			break
		}
	}
	if diff := cmp.Diff([]string{`name=a unit=s = 1`, `name=b unit=s = 2`}, got); diff != "" {
		t.Error(diff)
	}
}

// An array is read once, and Reset makes a Reader read another, or a fault, like a new Reader.
func TestArrayReuse(t *testing.T) {
	r := rows.New(strings.NewReader(`[{"time":1},{"time":2}]`), array)
	for range r.Records() {
		break
	}
	if got := formattest.LastError(r); !errors.Is(got, format.ErrMisuse) {
		t.Errorf("read twice: %v, want ErrMisuse", got)
	}

	for _, test := range []struct{ in, want string }{
		{`[{"time":3}]`, `unit=s = 3`},
		{`[{"time":`, `FATAL 1:10: 0.time: unexpected end of input, expected a value`},
		{``, `FATAL 1:1: the input is empty: no benchmark was run`},
		{`[{"time":4}]`, `unit=s = 4`},
	} {
		r.Reset(formattest.Stream(test.in))
		if diff := cmp.Diff([]string{test.want}, formattest.All(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.in, diff)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestArrayReader(t *testing.T) {
	runnertest.Check(t, array, map[string]string{
		"results": `[{"name":"a","time":1.5,"size":3},{"name":"b","time":2,"size":4e3}]`,
		"faults":  `[{"size":true,"name":"a","time":"x"},{"size":"y","time":1}, [], {"name": 5}]`,
	})
}

// A Reader that no format's package has made reads nothing, and says why.
func TestNoFormat(t *testing.T) {
	var r runners.Reader
	for range 2 {
		for _, err := range r.Records() {
			if !errors.Is(err, format.ErrMisuse) {
				t.Errorf("Records: %v", err)
			}
		}
		if _, err := r.FileHeader(); !errors.Is(err, format.ErrMisuse) {
			t.Errorf("FileHeader: %v", err)
		}
		r.Reset(strings.NewReader("[]"))
	}
}

// A Reader of another format has no measurements, and says why.
func TestOtherFormat(t *testing.T) {
	other := skiav1.Format()
	for name, r := range map[string]*runners.Reader{
		"file":   runners.NewReader(strings.NewReader(`{"version":1}`), other),
		"folder": runners.NewFolderReader(os.DirFS("."), ".", other),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := r.FileHeader(); !errors.Is(err, format.ErrMisuse) {
				t.Errorf("FileHeader: %v", err)
			}
			if err := formattest.LastError(r); !errors.Is(err, format.ErrMisuse) {
				t.Errorf("Records: %v", err)
			}
		})
	}
}
