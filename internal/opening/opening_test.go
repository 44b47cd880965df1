package opening_test

import (
	"errors"
	"strings"
	"testing"

	"perfdata"
	"perfdata/format"
	"perfdata/nanolegacy"
	"perfdata/skiav1"
	"perfdata/traceid"
)

// An option that a format does not have is the only result of the Reader.
func TestRefusedOptions(t *testing.T) {
	for _, test := range []struct {
		name    string
		options format.Options
		want    string
	}{
		{
			name:    "a setting that does not exist",
			options: format.Options{Settings: map[string]string{"skiav1.branch": "main"}},
			want:    "in.json:1:1: setting skiav1.branch: want skiav1.branches or skiav1.missing-as-zero",
		},
		{
			name:    "a wrong value",
			options: format.Options{Settings: map[string]string{"skiav1.missing-as-zero": "yes"}},
			want:    `in.json:1:1: setting skiav1.missing-as-zero: "yes": want true or false`,
		},
		{
			name:    "params of a format that has them",
			options: format.Options{Params: traceid.Of("host", "lab")},
			want:    "in.json:1:1: params ,host=lab,: files of the format skiav1 have their own",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.options.Name = "in.json"
			r := skiav1.Format().Open(nil, strings.NewReader(`{"version":1}`), test.options)
			defer r.Close()
			if _, err := r.FileHeader(); !errors.Is(err, format.ErrOption) || err.Error() != test.want {
				t.Errorf("FileHeader: %v", err)
			}
			for rec, err := range r.Records() {
				if rec != nil || !errors.Is(err, format.ErrOption) || err.Error() != test.want {
					t.Errorf("Records: %v, %v", rec, err)
				}
			}
			for e := range skiav1.Format().Validate(strings.NewReader(`{"version":1}`), test.options) {
				if !errors.Is(e, format.ErrOption) || e.Error() != test.want {
					t.Errorf("Validate: %v", e)
				}
			}
		})
	}
}

// Open sets every option, also of a Reader that is used again: the options of the previous input do
// not stay.
func TestOpenResetsOptions(t *testing.T) {
	const file = `{"gitHash":"abc","key":{"branch":"dev"},"results":{"T":{"c":{"ms":1,"options":{"os":"linux"}}}}}`
	ids := func(r format.Reader) (all []string) {
		for rec, err := range r.Records() {
			if err != nil {
				return append(all, err.Error())
			}
			all = append(all, rec.TraceID())
		}
		return all
	}

	f := nanolegacy.Format()
	first := f.Open(nil, strings.NewReader(file), format.Options{Name: "first", Limits: format.Limits{MaxParams: 3}, Settings: map[string]string{
		"nanolegacy.options-as-params": "true", "nanolegacy.branches": "main,next",
	}})
	if got := ids(first); len(got) != 1 || !strings.HasPrefix(got[0], "first:1:1: key.branch: ") {
		t.Errorf("with settings: %q", got)
	}
	second := f.Open(first, strings.NewReader(file), format.Options{})
	if second != first {
		t.Error("the Reader is another one")
	}
	if got := ids(second); len(got) != 1 || got[0] != ",branch=dev,config=c,sub_result=ms,test=T," {
		t.Errorf("without settings: %q", got)
	}
}

// A Writer takes the header of any format.
func TestNewWriter(t *testing.T) {
	header := format.Header{Commit: "abc", Params: traceid.Of("arch", "x86")}
	for _, f := range perfdata.Formats() {
		if f.NewWriter == nil {
			continue // it is only read
		}
		t.Run(f.Name, func(t *testing.T) {
			var out strings.Builder
			w, err := f.NewWriter(&out, header)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for e := range f.Validate(strings.NewReader(out.String()), format.Options{}) {
				if e.Severity != format.Warning && e.Message != "results is required" {
					t.Errorf("%s\n%s", e, out.String())
				}
			}
		})
	}
}
