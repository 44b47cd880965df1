package convert_test

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
	"perfdata/nanolegacy"
)

// A file that is converted to its own format has the same header, measurements, samples and models.
func TestSameFormat(t *testing.T) {
	for _, info := range perfdata.Formats() {
		if info.NewWriter == nil {
			continue // it is only read
		}
		t.Run(info.Name, func(t *testing.T) {
			for _, file := range filesOf(t, info.Name) {
				checkSame(t, info, file)
			}
		})
		if info.Name == "benchfmt" {
			continue // the corpus has none
		}
		t.Run("corpus/"+info.Name, func(t *testing.T) {
			err := filepath.WalkDir(corpus.Dir(t, info.Name), func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() && filepath.Ext(path) != ".ndjson" && filepath.Ext(path) != ".object" {
					checkSame(t, info, path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// checkSame converts a file to its own format, if it is valid.
func checkSame(t *testing.T, info format.Format, file string) {
	c, err := readAll(info, []byte(formattest.ReadFile(t, file)), false)
	if err != nil {
		return
	}
	if c.header.Commit == "" && info.Name == "nanolegacy" {
		c.header.Commit = addedCommit // which a file must have
		native := c.header.Native.(nanolegacy.Header)
		native.GitHash = addedCommit
		c.header.Native = native
	}
	for e := range info.Validate(strings.NewReader(formattest.ReadFile(t, file)), format.Options{}) {
		if e.Severity != format.Warning {
			return
		}
	}
	data, w := convertTo(t, info, c)
	for _, l := range w.Losses() {
		if !l.Kind.Added() {
			t.Errorf("%s: %s", file, l)
		}
	}

	back := readBack(t, info, data, w)
	if diff := cmp.Diff(showAll(c, info), showAll(back, info)); diff != "" {
		t.Errorf("%s (-original +converted):\n%s", file, diff)
	}
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// showAll returns a line for everything that a file has. The order of a profile's resources may
// differ.
func showAll(c content, info format.Format) []string {
	var recs []string
	for _, rec := range c.recs {
		recs = append(recs, formattest.Show(rec))
	}
	if info.Name == "perun" {
		slices.Sort(recs)
	}
	lines := append([]string{jsonOf(c.header)}, recs...)
	lines = append(lines, samplesText(c.samples)...)
	return append(lines, modelsText(c.models)...)
}
