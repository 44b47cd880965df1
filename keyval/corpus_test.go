package keyval

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/corpus"
)

// reference is what the reference said of a file.
type reference struct {
	File       string
	Iterations []referenceIteration
}

type referenceIteration struct {
	Index   int
	Attr    map[string]string
	Perf    map[string]string // of what the reference's language prints for a number
	Skipped []string          `json:"skipped_lines"`
}

func references(t *testing.T) []reference {
	f, err := os.Open(filepath.Join(corpus.Dir(t, "keyval"), "expected.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var refs []reference
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var ref reference
		if err := json.Unmarshal(lines.Bytes(), &ref); err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
	}
	if len(refs) < 15 {
		t.Fatalf("the corpus has %d files only", len(refs))
	}
	return refs
}

func TestCorpus(t *testing.T) {
	for _, ref := range references(t) {
		data, err := os.ReadFile(filepath.Join(corpus.Dir(t, "keyval"), ref.File))
		if err != nil {
			t.Fatal(err)
		}
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
		for way, source := range sources {
			if diff := cmp.Diff(want, readLikeReference(t, string(data), source)); diff != "" {
				t.Errorf("%s, %s (-reference +got):\n%s", ref.File, way, diff)
			}
		}
		if got, want := sniff(data), len(data) > 0; got != want {
			t.Errorf("%s: sniff says %v", ref.File, got)
		}
	}
}

// readLikeReference reads a file and shows it as the corpus does.
func readLikeReference(t *testing.T, in string, source source) []referenceIteration {
	lines := strings.Split(in, "\n")
	got := []referenceIteration{}
	skipped := []string{}
	for it, err := range newReader(source(in)).Iterations() {
		if err != nil {
			e := err.(*format.Error)
			if !e.Recoverable {
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
