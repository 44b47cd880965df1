package keyval

import (
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
)

// A reference is the reference's answer for a file.
type reference struct {
	File       string
	Iterations []referenceIteration
}

type referenceIteration struct {
	Index   int
	Attr    map[string]string
	Perf    map[string]string // as the reference's language prints numbers
	Skipped []string          `json:"skipped_lines"`
}

func references(t *testing.T) []reference { return formattest.Answers[reference](t, "keyval", 15) }

func TestCorpus(t *testing.T) {
	for _, ref := range references(t) {
		in := formattest.ReadFile(t, corpus.Dir(t, "keyval"), ref.File)
		want := ref.Iterations
		for i := range want {
			for key, text := range want[i].Perf {
				f, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				want[i].Perf[key] = strconv.FormatFloat(f, 'g', -1, 64)
			}
		}
		for way, source := range formattest.Sources {
			if diff := cmp.Diff(want, readLikeReference(t, in, source(in))); diff != "" {
				t.Errorf("%s, %s (-reference +got):\n%s", ref.File, way, diff)
			}
		}
		if got, want := sniff([]byte(in)), in != "" && ref.File != "untyped.keyval"; got != want {
			t.Errorf("%s: sniff says %v", ref.File, got)
		}
	}
}

// readLikeReference reads a file and returns it as the corpus does.
func readLikeReference(t *testing.T, text string, in io.Reader) []referenceIteration {
	lines := strings.Split(text, "\n")
	got := []referenceIteration{}
	skipped := []string{}
	for it, err := range newReader(in).Iterations() {
		if err != nil {
			e := err.(*format.Error)
			if e.Severity != format.Recoverable {
				t.Error(e)
			}
			skipped = append(skipped, strings.TrimSpace(lines[e.Line-1]))
			continue
		}
		attrs := map[string]string{}
		for key, value := range it.Attr.All() {
			attrs[key] = value
		}
		perf := map[string]string{}
		for _, kv := range it.Perf {
			perf[kv.Key] = strconv.FormatFloat(kv.Value, 'g', -1, 64)
		}
		got = append(got, referenceIteration{it.Index, attrs, perf, skipped})
		skipped = []string{}
	}
	return got
}
