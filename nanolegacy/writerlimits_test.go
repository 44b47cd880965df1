package nanolegacy

import (
	"bytes"
	"fmt"
	"testing"

	"perfdata/format"
)

// A Writer refuses what exceeds the reader's limits.
func TestWriterLimits(t *testing.T) {
	limits := format.Limits{
		MaxParams:      6,
		MaxStringBytes: 14,
		MaxHeaderBytes: 600,
		MaxResultBytes: 1500,
		MaxMembers:     5,
	}
	for _, test := range []struct {
		name   string
		header Header
		write  func(w *Writer, i int) error
		want   string
	}{
		{
			name:   "header params",
			header: Header{Key: params("a", "", "b", "", "c", "", "d", "")},
			want: "header: measurements have more than 6 params, including test, config and sub_result " +
				"(Limits.MaxParams)",
		},
		{
			name:   "header string",
			header: Header{GitHash: "0123456789abcde"},
			want:   `header: "0123456789abcde" is longer than 14 bytes (Limits.MaxStringBytes)`,
		},
		{
			name: "header",
			header: Header{
				Key:     params("a", "", "b", "", "c", ""),
				Options: params("a", "", "b", "", "c", "", "d", "", "e", ""),
			},
			want: "header: too large: more than 600 bytes (Limits.MaxHeaderBytes)",
		},
		{
			name:  "string",
			write: func(w *Writer, i int) error { return measure(w, "\n\n\n\n\n\n\n\n", "c", "ms", 1, nil) },
			want: `measurement ,config=c,sub_result=ms,test=________,: params: "test": ` +
				`the key or value is longer than 14 bytes (Limits.MaxStringBytes)`,
		},
		{
			name:   "options",
			header: Header{Options: params("a", "")},
			write: func(w *Writer, i int) error {
				return measure(w, "T", "c", "ms", 1, params("b", "", "c", "", "d", "", "e", "", "f", "", "g", ""))
			},
			want: "measurement ,config=c,sub_result=ms,test=T,: more than 6 options, including the header's " +
				"(Limits.MaxParams)",
		},
		{
			name:   "options of samples, two of which name the measurement",
			header: Header{Options: params("a", "")},
			write: func(w *Writer, i int) error {
				return w.WriteSamples(&format.Samples{
					Params: params("test", "T", "config", fmt.Sprint("c", i), "sub_result", "ms"),
					Attrs:  params("b", "", "c", "", "d", "", "e", "")[:3+i],
				})
			},
			want: "samples ,config=c1,sub_result=ms,test=T,: more than 6 options, including the header's " +
				"(Limits.MaxParams)",
		},
		{
			name: "configuration of samples",
			write: func(w *Writer, i int) error {
				config := "cccc"[:2+i] // "ccc/samples=ms" has 14 bytes
				return w.WriteSamples(&format.Samples{Params: params("test", "T", "config", config, "sub_result", "ms")})
			},
			want: "samples ,config=cccc,sub_result=ms,test=T,: its configuration is longer than 14 bytes " +
				"(Limits.MaxStringBytes)",
		},
		{
			name:  "tests",
			write: func(w *Writer, i int) error { return measure(w, fmt.Sprint("T", i), "c", "ms", 1, nil) },
			want: "measurement ,config=c,sub_result=ms,test=T5,: too many tests, " +
				"configurations of the test, or members of the configuration: more than 5 (Limits.MaxMembers)",
		},
		{
			name:  "configurations",
			write: func(w *Writer, i int) error { return measure(w, "T", fmt.Sprint("c", i), "ms", 1, nil) },
			want: "measurement ,config=c5,sub_result=ms,test=T,: too many tests, " +
				"configurations of the test, or members of the configuration: more than 5 (Limits.MaxMembers)",
		},
		{
			name:  "sub-results",
			write: func(w *Writer, i int) error { return measure(w, "T", "c", fmt.Sprint(i), 1, params("a", "")) },
			want: "measurement ,config=c,sub_result=4,test=T,: too many tests, " +
				"configurations of the test, or members of the configuration: more than 5 (Limits.MaxMembers)",
		},
		{
			name:  "sub-results without options",
			write: func(w *Writer, i int) error { return measure(w, "T", "c", fmt.Sprint(i), 1, nil) },
			want: "measurement ,config=c,sub_result=5,test=T,: too many tests, " +
				"configurations of the test, or members of the configuration: more than 5 (Limits.MaxMembers)",
		},
		{
			name: "test",
			write: func(w *Writer, i int) error {
				return measure(w, "T", fmt.Sprint(i/4), fmt.Sprint(i), 1, params("a", ""))
			},
			want: "measurement ,config=2,sub_result=9,test=T,: its test is too large: " +
				"more than 1500 bytes (Limits.MaxResultBytes)",
		},
		{
			name: "samples",
			write: func(w *Writer, i int) error {
				return w.WriteSamples(&format.Samples{
					Params: params("test", "T", "config", "c", "sub_result", "min_ms"),
					Values: make([]float64, 100),
				})
			},
			want: "samples ,config=c,sub_result=min_ms,test=T,: its test is too large: " +
				"more than 1500 bytes (Limits.MaxResultBytes)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, test.header)
			w.Limits = limits
			var err error
			for i := 0; err == nil && i < 20; i++ {
				if test.write == nil {
					err = w.Close()
				} else {
					err = test.write(w, i)
				}
			}
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
			if w.Close() != nil {
				return
			}
			for e := range Format().Validate(&out, format.Options{Limits: limits}) {
				if e.Severity != format.Warning {
					t.Error(e)
				}
			}
		})
	}
}
