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

// Every error has a cause by which a program can tell what to do.
func TestCauses(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("x", 2000)
	for _, test := range []struct {
		name, format, in string
		want             error
	}{
		{"syntax", "skiav1", `{"version":1,]`, format.ErrSyntax},
		{"syntax in a string", "skiav1", "{\"a\":\"\x01\"}", format.ErrSyntax},
		{"trailing data", "skiav1", `{"version":1,"git_hash":"a","results":[]}{}`, format.ErrSyntax},
		{"truncated", "skiav1", `{"version":1,"git_hash":"a","results":[`, io.ErrUnexpectedEOF},
		{"empty", "skiav1", "", io.ErrUnexpectedEOF},
		{"duplicate", "skiav1", `{"version":1,"git_hash":"a","git_hash":"b","results":[]}`, format.ErrDuplicate},
		{"version", "skiav1", `{"version":2,"git_hash":"a","results":[]}`, format.ErrVersion},
		{"no version", "skiav1", `{"git_hash":"a","results":[]}`, format.ErrVersion},
		{"string limit", "skiav1", `{"version":1,"git_hash":"` + long + `","results":[]}`, format.ErrLimit},
		{"params limit", "skiav1", `{"version":1,"git_hash":"a","key":{"a":"","b":"","c":"","d":""},"results":[]}`, format.ErrLimit},
		{"type", "skiav1", `{"version":1,"git_hash":"a","results":[{"key":{"a":"b"},"measurement":"x"}]}`, format.ErrSchema},

		{"syntax", "nanolegacy", `{"gitHash":a}`, format.ErrSyntax},
		{"truncated", "nanolegacy", `{"gitHash":"a","results":{`, io.ErrUnexpectedEOF},
		{"duplicate", "nanolegacy", `{"gitHash":"a","results":{"t":{},"t":{}}}`, format.ErrDuplicate},
		{"string limit", "nanolegacy", `{"gitHash":"` + long + `"}`, format.ErrLimit},
		{"params limit", "nanolegacy", `{"gitHash":"a","key":{"a":"","b":"","c":"","d":""},"results":{}}`, format.ErrLimit},
		{"options limit", "nanolegacy", `{"gitHash":"a","results":{"t":{"c":{"options":{"a":"","b":"","c":"","d":""},"ms":1}}}}`, format.ErrLimit},
		{"type", "nanolegacy", `{"gitHash":"a","results":{"t":{"c":{"ms":"x"}}}}`, format.ErrSchema},

		{"syntax", "benchfmt", "BenchmarkX\nBenchmarkX 1 x ns/op\n", format.ErrSyntax},
		{"line limit", "benchfmt", "BenchmarkX 1 1 " + long + "\n", format.ErrLimit},
		{"params limit", "benchfmt", "a: 1\nb: 1\nc: 1\nd: 1\nBenchmarkX 1 1 ns/op\n", format.ErrLimit},
		{"parts limit", "benchfmt", "BenchmarkX/1/2/3/4/5 1 1 ns/op\n", format.ErrLimit},
		{"duplicate", "benchfmt", "Unit ns/op better=lower\nUnit ns/op better=higher\n", format.ErrDuplicate},

		{"syntax", "keyval", "a{perf}=x\n", format.ErrSyntax},
		{"line limit", "keyval", "a{attr}=" + long + "\n", format.ErrLimit},
		{"params limit", "keyval", "a{attr}=1\nb{attr}=1\nc{attr}=1\nd{attr}=1\n", format.ErrLimit},

		{"syntax", "perun", `{"header":{]`, format.ErrSyntax},
		{"truncated", "perun", `{"header":{},"global":[`, io.ErrUnexpectedEOF},
		{"duplicate", "perun", `{"header":{},"header":{}}`, format.ErrDuplicate},
		{"string limit", "perun", `{"header":{"type":"` + long + `"},"global":[]}`, format.ErrLimit},
		{"params limit", "perun", `{"header":{},"global":[{"amount":1,"a":1,"b":1,"c":1,"d":1}]}`, format.ErrLimit},
		{"type", "perun", `{"header":{},"global":[{"amount":"x"}]}`, format.ErrSchema},
		{"missing", "perun", `{"header":{},"global":[{"uid":"x"}]}`, format.ErrSchema},
	} {
		t.Run(test.format+"/"+test.name, func(t *testing.T) {
			info, _ := perfdata.FormatNamed(test.format)
			limits := format.Limits{MaxStringBytes: 1000, MaxLineBytes: 1000, MaxParams: 3}
			for way, in := range map[string]io.Reader{"seekable": strings.NewReader(test.in), "pipe": iotest.OneByteReader(strings.NewReader(test.in))} {
				var got error
				for _, err := range info.NewReader(in, "in", limits).Records() {
					if err != nil && got == nil {
						got = err
					}
				}
				if !errors.Is(got, test.want) {
					t.Errorf("%s: %v has not the cause %v", way, got, test.want)
				}
			}
			found := false
			for e := range info.Validate(strings.NewReader(test.in), "in", limits) {
				found = found || errors.Is(e, test.want)
				if e.Warning && e.Err != nil {
					t.Errorf("the warning %v has the cause %v", e, e.Err)
				}
			}
			if !found && test.name != "no version" { // a violation of the schema
				t.Errorf("Validate: no error has the cause %v", test.want)
			}
			in := io.MultiReader(strings.NewReader(test.in[:min(len(test.in), 5)]), iotest.ErrReader(broken))
			var last error
			for _, err := range info.NewReader(in, "in", limits).Records() {
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
		{"unknown input", openError("no results\n", format.Limits{}), format.ErrUnknown},
		{"decompressed size", openError(string(pack(t, []byte("BenchmarkX 1 1 ns/op\n"), "gzip")), format.Limits{MaxDecompressedBytes: 5}), format.ErrLimit},
		{"branch, skiav1", branchError(&skiav1.Reader{}), format.ErrSkipped},
		{"branch, nanolegacy", branchError(&nanolegacy.Reader{}), format.ErrSkipped},
		{"target", targetError("xml"), format.ErrUnknown},
		{"held records", targetError("keyval"), format.ErrLimit},
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
	w, err := convert.NewWriter(name, io.Discard, nil)
	if err != nil {
		return err
	}
	w.Limits.MaxHeldBytes = 10
	return w.Write(&format.Record{Params: traceid.Params{{Key: "a", Value: "b"}}})
}
