package skiav1

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"perfdata/format"
)

// A Writer refuses what exceeds the reader's limits, and splits a result that would be too large.
func TestWriterLimits(t *testing.T) {
	limits := format.Limits{MaxParams: 3, MaxStringBytes: 12, MaxHeaderBytes: 400, MaxResultBytes: 1000}
	for _, test := range []struct {
		name   string
		header Header
		rec    format.Record
		want   string
	}{
		{
			name:   "params",
			header: testHeader,
			rec:    format.Record{Params: params("arch", "", "b", "", "c", "", "d", "")},
			want:   "measurement ,arch=_,b=_,c=_,d=_,: params: more than 3 (Limits.MaxParams)",
		},
		{
			name:   "links",
			header: testHeader,
			rec:    format.Record{Params: params("arch", ""), Links: params("b", "", "c", "", "d", "")},
			want:   "measurement ,arch=_,: links: more than 3, including the header's (Limits.MaxParams)",
		},
		{
			name:   "value",
			header: testHeader,
			rec:    format.Record{Params: params("arch", "0123456789abc")},
			want: `measurement ,arch=0123456789abc,: params: "arch": the key or value is longer than 12 ` +
				`bytes (Limits.MaxStringBytes)`,
		},
		{
			name:   "escaped",
			header: testHeader,
			rec:    format.Record{Params: params("arch", "\x01\x01\x01")},
			want: `measurement ,arch=___,: params: "arch": the key or value is longer than 12 bytes ` +
				`(Limits.MaxStringBytes)`,
		},
		{
			name:   "header string",
			header: Header{GitHash: "0123456789abc"},
			rec:    format.Record{Params: params("a", "b")},
			want:   `header: "0123456789abc" is longer than 12 bytes (Limits.MaxStringBytes)`,
		},
		{
			name: "header",
			header: Header{
				GitHash: "a",
				Key:     params("a", "", "b", "", "c", ""),
				Links:   params("a", "", "b", "", "c", ""),
			},
			rec:  format.Record{},
			want: "header: too large: more than 400 bytes (Limits.MaxHeaderBytes)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, test.header)
			w.Limits = limits
			if err := w.Write(&test.rec); err == nil || err.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}

	var out bytes.Buffer
	w := NewWriter(&out, Header{GitHash: "a"})
	w.Limits = limits
	for i := range 100 {
		if err := write(w, params("a", fmt.Sprint(i)), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "measurements"); n < 10 || n > 50 {
		t.Errorf("%d results", n)
	}
	for e := range Format().Validate(&out, format.Options{Limits: limits}) {
		t.Error(e)
	}

	tooLarge := format.Record{
		Params: params("a", "b"),
		Links:  params("a", "0123456789", "b", "0123456789", "c", "0123456789"),
	}
	w = NewWriter(&out, Header{GitHash: "a"})
	w.Limits = format.Limits{MaxResultBytes: 500}
	if err := w.Write(&tooLarge); err == nil ||
		!strings.HasSuffix(err.Error(), "too large: more than 500 bytes (Limits.MaxResultBytes)") {
		t.Error(err)
	}
}
