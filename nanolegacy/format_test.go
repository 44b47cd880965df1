package nanolegacy

import (
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
)

var (
	_ format.Reader = (*Reader)(nil)
	_ format.Writer = (*Writer)(nil)
)

func TestSniff(t *testing.T) {
	for prefix, want := range map[string]bool{
		`{"gitHash":"x"`:                                  true,
		`{"gitHash":"x","results":{}}`:                    true,
		`{"key":{"a":"b"},"gitHash":"x"}`:                 true,
		`{"gitHash":7}`:                                   false,
		`{"results":{"T":{"c":{"ms":1}}},"key":{}}`:       true,
		`{"results":{"T":{"c":{"ms":1,"options":{"a":"b"`: true,
		`{"results":{"T":{},"U":nu`:                       true,
		`{"results":{"T":null,"U":{"c":null`:              true,
		`{"results":{"T":null`:                            false,
		`{"results":{"T":{"c":1}},"gitHash":"x"}`:         false,
		`{"results":{"T":7}}`:                             false,
		`{"results":{},"gitHash":"x"}`:                    true,
		`{"results":{}}`:                                  false,
		`{"results":`:                                     false,
		`{"gitHash":null,"results":{"T":{"c":{}}}}`:       true,
		`{"results":[{"key":{}}],"gitHash":"x"}`:          false,
		`{"version":1,"git_hash":"x","results":{"T":{}}}`: false,
		`{"version":"1","gitHash":"x"}`:                   true,
		`{"key":"unfinished`:                              false,
		`[{"gitHash":"x"}]`:                               false,
		``:                                                false,
		"BenchmarkX 1 2 ns/op":                            false,
	} {
		if got := Format().Detect([]byte(prefix)).Yes; got != want {
			t.Errorf("%s: %v", prefix, got)
		}
	}
}

// The format's files in testdata and in the corpus are recognized, except a file that is not
// JSON. Files of version 1 are not.
func TestSniffFiles(t *testing.T) {
	for name, file := range testFiles(t) {
		if !Format().Detect([]byte(file)).Yes {
			t.Errorf("%s isn't recognized", name)
		}
	}
	for _, folder := range []string{"nanolegacy", "skiav1"} {
		for _, name := range corpus.Glob(t, corpus.Dir(t, folder), "*/*.json") {
			want := folder == "nanolegacy" && !strings.HasSuffix(name, "/invalid.json")
			if got := Format().Detect([]byte(formattest.ReadFile(t, name))).Yes; got != want {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
}

func TestInfo(t *testing.T) {
	info := Format()
	r := info.Open(nil, strings.NewReader(`{"results":{"T":{"c":{"ms":"x"}}}}`), format.Options{Name: "in.json"})
	for _, err := range r.Records() {
		if want := "in.json:1:28: results.T.c.ms: Invalid type. Expected: number, given: string"; err == nil ||
			err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
