package report_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/perun"
	"perfdata/perun/report"
)

const truncated = head + `"models":[{"uid":"u","model":"linear","r_square":1},`

// deep has fields whose flattened form is too large.
var deep = perun.Fields{
	{Key: "uid", Value: perun.ValueOf("u")},
	{Key: "amount", Value: perun.ValueOf(1)},
	{Key: "a", Value: func() perun.Value {
		v := perun.ValueOf(strings.Repeat("x", 1000))
		for range 20 {
			v = perun.ValueOf([]perun.Value{v, v})
		}
		return perun.ValueOf(perun.Fields{{Key: "b", Value: v}})
	}()},
}

// Each report ends with the error of the profile.
func TestErrorsOfProfile(t *testing.T) {
	models := func() iter.Seq2[*perun.Model, error] { return newReader(strings.NewReader(truncated)).Models() }
	resources := func() iter.Seq2[*perun.Resource, error] {
		return newReader(strings.NewReader(head + `"global":[{"amount":1,"uid":"u"},`)).Resources()
	}
	_, fieldNames := report.FieldNames(models())
	_, numerical := report.NumericalFields(resources())
	_, unique := report.UniqueValues(models(), "uid")
	_, filtered := report.FilterModels(models(), "best-model")
	_, pprof := pprofOf(perun.Header{}, resources())
	var modelTable, resourceTable error
	for _, modelTable = range report.ModelTable(newReader(strings.NewReader(truncated))) {
	}
	for _, resourceTable = range report.ResourceTable(newReader(strings.NewReader("[]"))) {
	}
	for name, err := range map[string]error{
		"FieldNames": fieldNames, "NumericalFields": numerical, "UniqueValues": unique, "FilterModels": filtered,
		"Pprof": pprof, "ModelTable": modelTable, "ResourceTable": resourceTable,
	} {
		if e, ok := err.(*format.Error); !ok || e.Severity == format.Recoverable || e.Name != "in" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Fields that are too large when flattened are an error, not a table of gigabytes.
func TestErrorsOfLargeFields(t *testing.T) {
	items := func(yield func(*perun.Resource, error) bool) { yield(&perun.Resource{Fields: deep}, nil) }
	if names, err := report.FieldNames(items); !errors.Is(err, format.ErrLimit) || names != nil {
		t.Errorf("%q, %v", names, err)
	}
}

// A profile that grows between the two readings of a table is an error.
func TestTableOfChangedProfile(t *testing.T) {
	// The arrays are longer than what a Reader holds, so it reads the first element again.
	array := `[{"uid":"u"}` + strings.Repeat(" ", 1<<20) + `,{"uid":"u"}]`
	before := head + `"models":` + array + `,"global":` + array + "}"
	after := strings.ReplaceAll(before, `"uid":"u"`, `"abc":1`)
	for name, table := range map[string]func(*perun.Reader, ...string) iter.Seq2[[]string, error]{
		"resources": report.ResourceTable, "models": report.ModelTable,
	} {
		t.Run(name, func(t *testing.T) {
			in := &changing{strings.NewReader(before)}
			var last error
			for _, err := range table(newReader(in)) {
				in.Reset(after) // after the row of the names
				last = err
			}
			if last == nil || !strings.Contains(last.Error(), "changed while it was read") {
				t.Errorf("%v", last)
			}
		})
	}
}

// changing is an input whose text changes when Reset is called.
type changing struct{ *strings.Reader }

// A report stops where its caller does, at a row or an error.
func TestReportsStop(t *testing.T) {
	in := head + `"models":[{"uid":"u"},3,{"uid":"v"}],"global":[{"amount":1,"uid":"u"},3,{"amount":2,"uid":"u"}]}`
	for name, rows := range map[string]func(*perun.Reader, ...string) iter.Seq2[[]string, error]{
		"resources": report.ResourceTable, "models": report.ModelTable,
		"flame lines": func(r *perun.Reader, _ ...string) iter.Seq2[[]string, error] {
			return func(yield func([]string, error) bool) {
				for line, err := range report.FlameLines(r) {
					if !yield([]string{line}, err) {
						return
					}
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := show(rows(newReader(strings.NewReader(in))), -1)
			if len(all) < 3 {
				t.Fatalf("%q", all)
			}
			for n := range all {
				if diff := cmp.Diff(all[:n+1], show(rows(newReader(strings.NewReader(in))), n+1)); diff != "" {
					t.Errorf("%d rows (-want +got):\n%s", n+1, diff)
				}
			}
		})
	}
}

// show returns the first rows, or all if n is negative.
func show(rows iter.Seq2[[]string, error], n int) (all []string) {
	for row, err := range rows {
		if all = append(all, fmt.Sprint(row, err)); len(all) == n {
			break
		}
	}
	return all
}

func TestPprofErrors(t *testing.T) {
	for _, test := range []struct {
		name, amounts, want string
	}{
		{"missing amount", `{"uid":"u"}`, "1:83: the resource has no number as its amount"},
		{"too large", `{"uid":"u","amount":1e300}`, "the sum of amounts 1e+300 is too large for pprof"},
		{"too small", `{"uid":"u","amount":-1e19}`, "the sum of amounts -1e+19 is too large for pprof"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(strings.NewReader(head + `"global":[` + test.amounts + `]}`))
			h, err := r.Header()
			if err != nil {
				t.Fatal(err)
			}
			if p, err := pprofOf(h, r.Resources()); p != nil || err == nil || err.Error() != test.want {
				t.Errorf("%v, %v, want %s", p, err, test.want)
			}
		})
	}
}

// A resource whose line would be too large is left out.
func TestFlameLinesTooLarge(t *testing.T) {
	frame := `"` + strings.Repeat("x", 1<<20) + `"`
	in := head + `"global":[{"amount":1,"uid":"a","trace":[` + strings.Repeat(frame+",", 17) + `"f"]},` +
		`{"amount":2,"uid":"b"}]}`
	r := newReader(strings.NewReader(in))
	r.Limits.MaxResultBytes = 1 << 30
	var got []string
	for line, err := range report.FlameLines(r) {
		got = append(got, fmt.Sprint(line, errors.Is(err, format.ErrLimit)))
	}
	if diff := cmp.Diff([]string{"true", "b 2false"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
