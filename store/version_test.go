package store

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/ingest"
)

// A given is a file that is given to a store with NewVersions.
type given struct {
	path, text  string
	commit, run string // of the options
	folder      string
	modified    time.Time
}

func (g given) files() iter.Seq2[ingest.File, error] {
	return func(yield func(ingest.File, error) bool) {
		hour, _ := ingest.HourOf(g.path)
		yield(ingest.File{
			Path: g.path, Hour: hour, Size: int64(len(g.text)), ModTime: g.modified,
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(g.text)), nil },
		}, nil)
	}
}

// putVersion gives a file to a store. It returns what became of it: stored, skipped, or the error.
func (g given) putVersion(t *testing.T, s *Store) string {
	t.Helper()
	result := ""
	options := IngestOptions{NewVersions: true, Folder: g.folder, Run: g.run, AllowNoCommit: true}
	options.Opener = perfdata.Opener{}
	options.Opener.Commit = g.commit
	options.Report = func(r ingest.Report) {
		switch {
		case r.Err != nil:
			result = r.Err.Error()
		case r.Skipped:
			result = "skipped"
		}
	}
	if _, err := s.Ingest(t.Context(), g.files(), options); err != nil {
		t.Fatal(err)
	}
	return result
}

// storedFiles returns a line for each file: the path, with the time of arrival as <arrived>, the
// records, and its faults.
func storedFiles(t *testing.T, s *Store) []string {
	t.Helper()
	shorten := func(path string) string {
		if name, ok := strings.CutPrefix(path, "uploads/"); ok {
			return "<arrived>" + name[strings.LastIndex(name, "-"):]
		}
		return path
	}
	var lines []string
	for src, err := range s.Sources(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s %d", shorten(src.Path), src.Records)
		if src.ReplacedBy != "" {
			line += " replaced by " + shorten(src.ReplacedBy)
		}
		if src.Faults > 0 {
			line += fmt.Sprintf(" %d faults", src.Faults)
		}
		if src.Err != "" {
			line += " error"
		}
		lines = append(lines, line)
	}
	return lines
}

func bench(commit string, values ...string) string {
	text := "commit: " + commit + "\n"
	for _, v := range values {
		name, value, _ := strings.Cut(v, "=")
		text += "Benchmark" + name + " 1 " + value + " ns/op\n"
	}
	return text
}

func TestNewVersions(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	const noCommit = "BenchmarkX 1 7 ns/op\n"
	for _, test := range []struct {
		name    string
		given   []given
		results map[int]string // by index in given; empty for the others
		want    []string       // series
		files   []string
	}{
		{
			"a name at each commit",
			[]given{
				{path: "b.txt", text: bench("c3", "X=3")}, {path: "b.txt", text: bench("c1", "X=1")},
				{path: "b.txt", text: bench("c2", "X=2")},
			},
			nil,
			[]string{",name=X,unit=ns_op, c3=3 c1=1 c2=2"}, // in the order of arrival
			[]string{"b.txt 1", "<arrived>-b.txt.json 1", "<arrived>-b.txt.json 1"},
		},
		{
			"the same content again",
			[]given{
				{path: "b.txt", text: bench("c1", "X=1")}, {path: "b.txt", text: bench("c2", "X=2")},
				{path: "b.txt", text: bench("c1", "X=1")}, {path: "b.txt", text: bench("c2", "X=2")},
			},
			nil,
			[]string{",name=X,unit=ns_op, c1=1 c2=2"},
			[]string{"b.txt 1", "<arrived>-b.txt.json 1"},
		},
		{
			"equal content at several commits",
			[]given{
				{path: "b.txt", text: noCommit, commit: "c1"}, {path: "b.txt", text: noCommit, commit: "c2"},
				{path: "b.txt", text: noCommit, commit: "c1"}, {path: "b.txt", text: noCommit, commit: "c2"},
			},
			nil,
			[]string{",name=X,unit=ns_op, c1=7 c2=7"},
			[]string{"b.txt 1", "<arrived>-b.txt.json 1"},
		},
		{
			"an unchanged file at several commits",
			[]given{
				{path: "b.txt", text: noCommit, commit: "c1", modified: old},
				{path: "b.txt", text: noCommit, commit: "c2", modified: old},
				{path: "b.txt", text: noCommit, commit: "c1", modified: old},
				{path: "b.txt", text: noCommit, commit: "c2", modified: old},
			},
			map[int]string{2: "skipped", 3: "skipped"},
			[]string{",name=X,unit=ns_op, c1=7 c2=7"},
			[]string{"b.txt 1", "<arrived>-b.txt.json 1"},
		},
		{
			"runs of a job at a commit",
			[]given{
				{path: "b.txt", text: bench("c1", "X=1", "X=2")}, {path: "b.txt", text: bench("c1", "X=3")},
				{path: "b.txt", text: bench("c1", "X=1", "X=2")},
			},
			nil,
			[]string{",name=X,unit=ns_op, c1=1 c1#2=2"},
			[]string{"b.txt 2", "<arrived>-b.txt.json 1", "<arrived>-b.txt.json 2"},
		},
		{
			"shards of a run",
			[]given{
				{path: "b.txt", text: bench("c1", "X=1"), run: "r"}, {path: "b.txt", text: bench("c1", "X=2"), run: "r"},
				{path: "b.txt", text: bench("c1", "X=1"), run: "r", folder: "other"},
			},
			nil,
			[]string{",name=X,unit=ns_op, c1=1 c1#2=2"},
			[]string{"b.txt 1", "<arrived>-b.txt.json 1"},
		},
		{
			"folders with files of equal names, sizes and times",
			[]given{
				{path: "b.txt", text: bench("c1", "X=1"), folder: "one", modified: old},
				{path: "b.txt", text: bench("c2", "X=2"), folder: "two", modified: old},
				{path: "b.txt", text: bench("c2", "X=2"), folder: "two", modified: old},
				{path: "b.txt", text: bench("c1", "X=1"), folder: "one", modified: old},
				{path: "b.txt", text: bench("c1", "X=1"), folder: "./one", modified: old},
			},
			map[int]string{2: "skipped", 3: "skipped"},
			[]string{",name=X,unit=ns_op, c1=1 c2=2"},
			[]string{"b.txt 1", "<arrived>-b.txt.json 1"},
		},
		{
			"a growing history replaces itself",
			[]given{
				{path: "h.txt", text: bench("c1", "X=1")},
				{path: "h.txt", text: bench("c1", "X=1") + bench("c2", "X=2")},
				{path: "h.txt", text: bench("c1", "X=1") + bench("c2", "X=2") + bench("c3", "X=3", "Y=3")},
				{path: "h.txt", text: bench("c1", "X=1") + bench("c2", "X=2")},
			},
			nil,
			[]string{",name=X,unit=ns_op, c1=1 c2=2 c3=3", ",name=Y,unit=ns_op, c3=3"},
			[]string{
				"h.txt 0 replaced by <arrived>-h.txt.json", "<arrived>-h.txt.json 0 replaced by <arrived>-h.txt.json",
				"<arrived>-h.txt.json 4",
			},
		},
		{
			"a history that forgets keeps what it said",
			[]given{
				{path: "h.txt", text: bench("c1", "X=1") + bench("c2", "X=2", "Y=2")},
				{path: "h.txt", text: bench("c2", "X=2", "Y=2") + bench("c3", "X=3")},
				{path: "h.txt", text: bench("c2", "X=2") + bench("c3", "X=4", "Z=3")},
			},
			nil,
			[]string{",name=X,unit=ns_op, c1=1 c2=2 c3=4", ",name=Y,unit=ns_op, c2=2", ",name=Z,unit=ns_op, c3=3"},
			[]string{"h.txt 3", "<arrived>-h.txt.json 3", "<arrived>-h.txt.json 3"},
		},
		{
			"a history replaces all versions that it repeats",
			[]given{
				{path: "h.txt", text: bench("c1", "X=1") + bench("c2", "X=2")},
				{path: "h.txt", text: bench("c2", "X=2") + bench("c3", "X=3")},
				{path: "h.txt", text: bench("c1", "X=1") + bench("c2", "X=2") + bench("c3", "X=3")},
			},
			nil,
			[]string{",name=X,unit=ns_op, c1=1 c2=2 c3=3"},
			[]string{
				"h.txt 0 replaced by <arrived>-h.txt.json", "<arrived>-h.txt.json 0 replaced by <arrived>-h.txt.json",
				"<arrived>-h.txt.json 3",
			},
		},
		{
			"a growing history of a run",
			[]given{
				{path: "h.txt", text: bench("c1", "X=1") + bench("c2", "X=2"), run: "r"},
				{path: "h.txt", text: bench("c1", "X=1") + bench("c2", "X=2") + bench("c3", "X=3"), run: "r"},
			},
			nil,
			[]string{",name=X,unit=ns_op, c1=1 c2=2 c3=3"},
			[]string{"h.txt 0 replaced by <arrived>-h.txt.json", "<arrived>-h.txt.json 3"},
		},
		{
			"a file that failed, and one with a fault",
			[]given{
				{path: "b.txt", text: bench("c1", "X=1")}, {path: "b.txt", text: "\x00"},
				{path: "b.txt", text: bench("c2", "X=2", "X=oops")},
			},
			map[int]string{1: "*"},
			[]string{",name=X,unit=ns_op, c1=1 c2=2"},
			[]string{"b.txt 1", "<arrived>-b.txt.json 1 1 faults error"},
		},
		{
			"measurements without a commit",
			[]given{{path: "b.txt", text: noCommit}, {path: "b.txt", text: noCommit + noCommit}, {path: "b.txt", text: noCommit}},
			nil,
			nil,
			[]string{"b.txt 1", "<arrived>-b.txt.json 2"},
		},
		{
			"in the storage layout",
			[]given{
				{path: "2026/01/02/03/b.txt", text: bench("c1", "X=1")}, {path: "2026/01/02/03/b.txt", text: bench("c2", "X=1")},
			},
			map[int]string{1: "*"},
			[]string{",name=X,unit=ns_op, c1=1"},
			[]string{"2026/01/02/03/b.txt 1 error"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, newDatabase func() string) {
				s := open(t, newDatabase())
				for i, g := range test.given {
					if got := g.putVersion(t, s); got != test.results[i] && (test.results[i] != "*" || got == "") {
						t.Errorf("file %d: %q, want %q", i, got, test.results[i])
					}
				}
				if diff := cmp.Diff(test.want, found(t, s, "", Range{})); diff != "" && test.want != nil {
					t.Errorf("series (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.files, storedFiles(t, s)); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// After the file of the path was deleted, another version is still newer than the versions before
// it.
func TestNewVersionsAfterDelete(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "perf.db"))
	for _, value := range []string{"X=1", "X=2"} {
		given{path: "b.txt", text: bench("c1", value)}.putVersion(t, s)
	}
	deletePath(t, s, "b.txt")
	given{path: "b.txt", text: bench("c1", "X=3")}.putVersion(t, s)
	given{path: "b.txt", text: bench("c1", "X=3")}.putVersion(t, s)
	check(t, "series", []string{",name=X,unit=ns_op, c1=3"}, found(t, s, "", Range{}))
	check(t, "files", []string{"<arrived>-b.txt.json 1", "<arrived>-b.txt.json 1"}, storedFiles(t, s))
}
