package skiav1

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

// After Reset, a Reader reads like a new one, although it remembers earlier files.
func TestReset(t *testing.T) {
	files := formattest.Files(t, "../testdata/skiav1/*", 1)
	for _, header := range []string{
		`"version":1,"git_hash":"a","key":{"arch":"x86"},"links":{"l":"u"},`,
		`"version":1,"git_hash":"b","key":{"arch":"arm"},"links":{"l":"u"},`,
		`"version":1,"git_hash":"c","key":{"os":"x","test":"y"},"links":{},`,
		`"version":1,"git_hash":"d","key":{"arch":"x86"},"links":{"l":"v"},`,
		`"version":2,"key":{"arch":"x86"},"links":{},`,
	} {
		var results []string
		for i := range 9 {
			results = append(results, fmt.Sprintf(
				`{"key":{"test":"t%d"},"measurements":{"stat":[{"value":"min","measurement":%d,`+
					`"links":{"m":"n"}}]}}`, i, i))
		}
		files[header] = "{" + header + `"results":[` + strings.Join(results, ",") + `]}`
	}

	t.Run("header first", func(t *testing.T) { formattest.CheckReset(t, files, newReader) })
	t.Run("in order", func(t *testing.T) { formattest.CheckReset(t, files, inOrder) })
}

// After Reset, trace IDs have the key of the new file, even of results that repeat the text of the
// other file's.
func TestResetIDs(t *testing.T) {
	const file = `{"version":1,"key":{"os":"%s"},"results":[` +
		`{"key":{"test":"a"},"measurements":{"stat":[{"value":"min","measurement":1}]}},` +
		`{"key":{"test":"b"},"measurements":{"stat":[{"value":"min","measurement":2}]}}]}`
	r := newReader(nil)
	for _, os := range []string{"Linux", "Mac"} {
		r.Reset(strings.NewReader(fmt.Sprintf(file, os)))
		var got []string
		for rec, err := range r.Records() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(rec.AppendTraceID(nil)), rec.Params.ID())
		}
		a, b := ",os="+os+",stat=min,test=a,", ",os="+os+",stat=min,test=b,"
		if diff := cmp.Diff([]string{a, a, b, b}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
