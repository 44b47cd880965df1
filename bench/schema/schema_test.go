package schema

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xeipuuv/gojsonschema"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/skiav1"
)

// The library with which the reference validates, applied to the published schema, and
// skiav1.Validate give the same verdicts in the same words.

func loadSchema(t testing.TB) *gojsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("../../skiav1/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// The other library recognizes integers with big.Rat, which rejects exponents beyond a million.
var hugeExponent = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{5}`)

// checkVerdict compares the verdicts on a JSON document.
func checkVerdict(t *testing.T, schema *gojsonschema.Schema, name, doc string) {
	t.Helper()
	if hugeExponent.MatchString(doc) {
		return
	}
	var got []string
	for e := range skiav1.Format().Validate(strings.NewReader(doc), format.Options{Name: name}) {
		switch {
		case len(e.Path) > 500, len(e.Message) > 500:
			return // long names are shortened; the other library does not shorten them
		case errors.Is(e, format.ErrSchema):
			got = append(got, e.Path+": "+e.Message)
		case strings.Contains(e.Message, "duplicate"),
			strings.Contains(e.Message, "UTF-8"), strings.Contains(e.Message, "Limits."):
			return // not checked by the other library
		}
	}
	result, err := schema.Validate(gojsonschema.NewStringLoader(doc))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var want []string
	for _, e := range result.Errors() {
		want = append(want, e.String())
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-gojsonschema +got):\n%s", name, diff)
	}
}

func documents(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../../testdata/skiav1/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("testdata: %v, %v", names, err)
	}
	docs := map[string]string{
		"no members": `{}`,
		"no object":  `[1]`,
		"text":       `"x"`,
		"null":       `null`,
		"types 1":    `{"version":"1","git_hash":1,"issue":[],"patchset":{},"key":"","links":1.5,"results":false}`,
		"types 2":    `{"version":1.5,"git_hash":null,"results":[null,1,"",[],{"key":{"a":null,"b":[1]},"measurement":{},"measurements":[]}]}`,
		"types 3":    `{"version":1.0,"git_hash":"","results":[{"key":{},"measurements":{"a":1,"b":[1,{}],"c":[{"value":1,"measurement":"","links":[],"x":0}]}}]}`,
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		docs[filepath.Base(name)] = string(data)
	}
	return docs
}

func TestSchema(t *testing.T) {
	schema := loadSchema(t)
	for name, doc := range documents(t) {
		checkVerdict(t, schema, name, doc)
	}
}

func TestSchemaCorpus(t *testing.T) {
	schema := loadSchema(t)
	for _, file := range corpus.Glob(t, corpus.Dir(t, "skiav1"), "*/*.json") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if json.Valid(data) {
			checkVerdict(t, schema, filepath.Base(file), string(data))
		}
	}
}

func FuzzSchema(f *testing.F) {
	for _, doc := range documents(f) {
		if len(doc) < 10_000 {
			f.Add(doc)
		}
	}
	schema := loadSchema(f)
	f.Fuzz(func(t *testing.T, doc string) {
		if json.Valid([]byte(doc)) {
			checkVerdict(t, schema, "input", doc)
		}
	})
}
