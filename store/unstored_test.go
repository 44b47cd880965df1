package store

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"perfdata/ingest"
)

// A file that is stored is not opened again, unless it may have changed, or failed, or is verified.
func TestStoredIsSkipped(t *testing.T) {
	const path, good = "2026/01/02/03/a.json", `{"version":1,"git_hash":"c1","results":[{"key":{"test":"x"},"measurement":1}]}`
	old, now := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	faulty := strings.Replace(good, "]}", `,{"key":{"test":"y"},"measurement":"none"}]}`, 1)
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		opened := 0
		store := func(name, text string, modified time.Time, options IngestOptions) string {
			f := ingest.File{Path: name, Size: int64(len(text)), ModTime: modified, Open: func(context.Context) (io.ReadCloser, error) {
				opened++
				return io.NopCloser(strings.NewReader(text)), nil
			}}
			f.Hour, _ = ingest.HourOf(name)
			one := func(yield func(ingest.File, error) bool) { yield(f, nil) }
			var reports []string
			options.Report = func(r ingest.Report) {
				reports = append(reports, fmt.Sprintf("%s %s %d %x %d", r.File.Path, r.Format, r.Content.Records, r.Content.SHA256[:2], r.Content.Size))
			}
			summary, err := s.Ingest(t.Context(), one, options)
			if err != nil || summary.Files+summary.Failed != 1 || len(reports) != 1 {
				t.Fatal(name, summary, err, reports)
			}
			return fmt.Sprint(reports[0], summary.Records, summary.Failed)
		}

		first := store(path, good, old, IngestOptions{})
		for _, test := range []struct {
			name, path, text string
			modified         time.Time
			options          IngestOptions
			isOpened         bool
		}{
			{"again", path, good, old, IngestOptions{}, false},
			{"verified", path, good, old, IngestOptions{Verify: true}, true},
			{"another time", path, good, old.Add(1), IngestOptions{}, true},
			{"that time again", path, good, old.Add(1), IngestOptions{}, false},
			{"without a time", path, good, time.Time{}, IngestOptions{}, true},
			{"just modified", path, good, now, IngestOptions{}, true},
			{"just modified again", path, good, now, IngestOptions{}, true},
			{"another size", path, good + " ", old, IngestOptions{}, true},
			{"another size again", path, good + " ", old, IngestOptions{}, true},
			{"a fault", "faulty.json", faulty, old, IngestOptions{}, true},
			{"the fault again", "faulty.json", faulty, old, IngestOptions{}, true},
			{"invalid", "invalid.json", good[:9], old, IngestOptions{}, true},
			{"invalid again", "invalid.json", good[:9], old, IngestOptions{}, true},
			{"no path", "", good, old, IngestOptions{}, false},
		} {
			opened = 0
			got := store(test.path, test.text, test.modified, test.options)
			if (opened > 0) != test.isOpened && test.path != "" {
				t.Errorf("%s: opened %d times", test.name, opened)
			}
			if test.path == path && test.text == good && got != first {
				t.Errorf("%s: %s, want %s", test.name, got, first)
			}
		}

		// A file that was deleted is stored again.
		opened = 0
		deletePath(t, s, path)
		if store(path, good, old, IngestOptions{}); opened != 1 {
			t.Errorf("after its deletion: opened %d times", opened)
		}
	})
}
