package perfdata_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/nanolegacy"
	"perfdata/skiav1"
	"perfdata/traceid"
)

// Every error has a cause, so that a program can choose its reaction.
func TestCauses(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("x", 2000)
	for _, test := range []struct {
		name, format, in string
		want             error
	}{
		{
			name:   "syntax",
			format: "skiav1",
			in:     `{"version":1,]`,
			want:   format.ErrSyntax,
		},
		{
			name:   "syntax in a string",
			format: "skiav1",
			in:     "{\"a\":\"\x01\"}",
			want:   format.ErrSyntax,
		},
		{
			name:   "trailing data",
			format: "skiav1",
			in:     `{"version":1,"git_hash":"a","results":[]}{}`,
			want:   format.ErrSyntax,
		},
		{
			name:   "truncated",
			format: "skiav1",
			in:     `{"version":1,"git_hash":"a","results":[`,
			want:   io.ErrUnexpectedEOF,
		},
		{
			name:   "empty",
			format: "skiav1",
			want:   io.ErrUnexpectedEOF,
		},
		{
			name:   "duplicate",
			format: "skiav1",
			in:     `{"version":1,"git_hash":"a","git_hash":"b","results":[]}`,
			want:   format.ErrDuplicate,
		},
		{
			name:   "version",
			format: "skiav1",
			in:     `{"version":2,"git_hash":"a","results":[]}`,
			want:   format.ErrVersion,
		},
		{
			name:   "no version",
			format: "skiav1",
			in:     `{"git_hash":"a","results":[]}`,
			want:   format.ErrVersion,
		},
		{
			name:   "string limit",
			format: "skiav1",
			in:     `{"version":1,"git_hash":"` + long + `","results":[]}`,
			want:   format.ErrLimit,
		},
		{
			name:   "params limit",
			format: "skiav1",
			in:     `{"version":1,"git_hash":"a","key":{"a":"","b":"","c":"","d":""},"results":[]}`,
			want:   format.ErrLimit,
		},
		{
			name:   "type",
			format: "skiav1",
			in:     `{"version":1,"git_hash":"a","results":[{"key":{"a":"b"},"measurement":"x"}]}`,
			want:   format.ErrSchema,
		},

		{
			name:   "syntax",
			format: "nanolegacy",
			in:     `{"gitHash":a}`,
			want:   format.ErrSyntax,
		},
		{
			name:   "truncated",
			format: "nanolegacy",
			in:     `{"gitHash":"a","results":{`,
			want:   io.ErrUnexpectedEOF,
		},
		{
			name:   "duplicate",
			format: "nanolegacy",
			in:     `{"gitHash":"a","results":{"t":{},"t":{}}}`,
			want:   format.ErrDuplicate,
		},
		{
			name:   "string limit",
			format: "nanolegacy",
			in:     `{"gitHash":"` + long + `"}`,
			want:   format.ErrLimit,
		},
		{
			name:   "params limit",
			format: "nanolegacy",
			in:     `{"gitHash":"a","key":{"a":"","b":"","c":"","d":""},"results":{}}`,
			want:   format.ErrLimit,
		},
		{
			name:   "options limit",
			format: "nanolegacy",
			in:     `{"gitHash":"a","results":{"t":{"c":{"options":{"a":"","b":"","c":"","d":""},"ms":1}}}}`,
			want:   format.ErrLimit,
		},
		{
			name:   "type",
			format: "nanolegacy",
			in:     `{"gitHash":"a","results":{"t":{"c":{"ms":"x"}}}}`,
			want:   format.ErrSchema,
		},

		{
			name:   "syntax",
			format: "benchfmt",
			in:     "BenchmarkX\nBenchmarkX 1 x ns/op\n",
			want:   format.ErrSyntax,
		},
		{
			name:   "line limit",
			format: "benchfmt",
			in:     "BenchmarkX 1 1 " + long + "\n",
			want:   format.ErrLimit,
		},
		{
			name:   "params limit",
			format: "benchfmt",
			in:     "a: 1\nb: 1\nc: 1\nd: 1\nBenchmarkX 1 1 ns/op\n",
			want:   format.ErrLimit,
		},
		{
			name:   "parts limit",
			format: "benchfmt",
			in:     "BenchmarkX/1/2/3/4/5 1 1 ns/op\n",
			want:   format.ErrLimit,
		},
		{
			name:   "duplicate",
			format: "benchfmt",
			in:     "Unit ns/op better=lower\nUnit ns/op better=higher\n",
			want:   format.ErrDuplicate,
		},

		{
			name:   "syntax",
			format: "keyval",
			in:     "a{perf}=x\n",
			want:   format.ErrSyntax,
		},
		{
			name:   "line limit",
			format: "keyval",
			in:     "a{attr}=" + long + "\n",
			want:   format.ErrLimit,
		},
		{
			name:   "params limit",
			format: "keyval",
			in:     "a{attr}=1\nb{attr}=1\nc{attr}=1\nd{attr}=1\n",
			want:   format.ErrLimit,
		},

		{
			name:   "syntax",
			format: "perun",
			in:     `{"header":{]`,
			want:   format.ErrSyntax,
		},
		{
			name:   "truncated",
			format: "perun",
			in:     `{"header":{},"global":[`,
			want:   io.ErrUnexpectedEOF,
		},
		{
			name:   "duplicate",
			format: "perun",
			in:     `{"header":{},"header":{}}`,
			want:   format.ErrDuplicate,
		},
		{
			name:   "string limit",
			format: "perun",
			in:     `{"header":{"type":"` + long + `"},"global":[]}`,
			want:   format.ErrLimit,
		},
		{
			name:   "params limit",
			format: "perun",
			in:     `{"header":{},"global":[{"amount":1,"a":1,"b":1,"c":1,"d":1}]}`,
			want:   format.ErrLimit,
		},
		{
			name:   "type",
			format: "perun",
			in:     `{"header":{},"global":[{"amount":"x"}]}`,
			want:   format.ErrSchema,
		},
		{
			name:   "missing",
			format: "perun",
			in:     `{"header":{},"global":[{"uid":"x"}]}`,
			want:   format.ErrSchema,
		},
	} {
		t.Run(test.format+"/"+test.name, func(t *testing.T) {
			info, _ := perfdata.FormatNamed(test.format)
			limits := format.Limits{MaxStringBytes: 1000, MaxLineBytes: 1000, MaxParams: 3}
			for way, in := range map[string]io.Reader{
				"seekable": strings.NewReader(test.in),
				"pipe":     iotest.OneByteReader(strings.NewReader(test.in)),
			} {
				var got error
				for _, err := range info.Open(nil, in, format.Options{Name: "in", Limits: limits}).Records() {
					if err != nil && got == nil {
						got = err
					}
				}
				if !errors.Is(got, test.want) {
					t.Errorf("%s: %v has not the cause %v", way, got, test.want)
				}
			}
			found := false
			for e := range info.Validate(strings.NewReader(test.in), format.Options{Name: "in", Limits: limits}) {
				found = found || errors.Is(e, test.want)
				if e.Severity == format.Warning && e.Err != nil {
					t.Errorf("the warning %v has the cause %v", e, e.Err)
				}
			}
			if !found && test.name != "no version" { // a violation of the schema
				t.Errorf("Validate: no error has the cause %v", test.want)
			}
			in := io.MultiReader(strings.NewReader(test.in[:min(len(test.in), 5)]), iotest.ErrReader(broken))
			var last error
			for _, err := range info.Open(nil, in, format.Options{Name: "in", Limits: limits}).Records() {
				last = err
			}
			if !errors.Is(last, broken) {
				t.Errorf("a failed read: %v", last)
			}
		})
	}

	for _, test := range []struct {
		name string
		err  error
		want error
	}{
		{
			name: "unknown input",
			err:  openError("no results\n", format.Limits{}),
			want: format.ErrUnknown,
		},
		{
			name: "decompressed size",
			err: openError(string(pack(t, []byte("BenchmarkX 1 1 ns/op\n"), "gzip")),
				format.Limits{MaxDecompressedBytes: 5}),
			want: format.ErrLimit,
		},
		{
			name: "branch, skiav1",
			err:  branchError(&skiav1.Reader{}),
			want: format.ErrSkipped,
		},
		{
			name: "branch, nanolegacy",
			err:  branchError(&nanolegacy.Reader{}),
			want: format.ErrSkipped,
		},
		{
			name: "target",
			err:  targetError("xml"),
			want: format.ErrUnknown,
		},
		{
			name: "held records",
			err:  targetError("keyval"),
			want: format.ErrLimit,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !errors.Is(test.err, test.want) {
				t.Errorf("%v has not the cause %v", test.err, test.want)
			}
		})
	}
}

func openError(in string, limits format.Limits) error {
	src, _, err := perfdata.Decompress(strings.NewReader(in), "in", limits)
	if err != nil {
		return err
	}
	_, src, err = perfdata.DetectReader(src, "in")
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, src)
	return err
}

func branchError(r format.Reader) error {
	switch r.(type) {
	case *skiav1.Reader:
		in := skiav1.NewReader(strings.NewReader(`{"version":1,"git_hash":"a","key":{"branch":"x"},"results":[]}`))
		in.Branches = []string{"main"}
		r = in
	case *nanolegacy.Reader:
		in := nanolegacy.NewReader(strings.NewReader(`{"gitHash":"a","key":{"branch":"x"},"results":{}}`))
		in.Branches = []string{"main"}
		r = in
	}
	_, err := r.FileHeader()
	return err
}

func targetError(name string) error {
	to, _ := perfdata.FormatNamed(name)
	survey := convert.NewSurvey(to)
	survey.AddHeader(format.Header{Commit: "abc"})
	survey.Limits.MaxHeldBytes = 10
	w, err := survey.NewWriter(io.Discard)
	if err != nil {
		return err
	}
	return w.Write(&format.Record{Params: traceid.Params{{Key: "a", Value: "b"}}})
}
