package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdata/ingest"
)

// upload uploads a file. It may not fail.
func upload(t testing.TB, s *Store, text string, u Upload) UploadReport {
	t.Helper()
	r := s.Upload(t.Context(), strings.NewReader(text), u)
	if r.Err != nil {
		t.Error(r.Err)
	}
	return r
}

func TestUpload(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "perf.db"))
	const path = "uploads/2026/01/02/03/run.json"
	r := upload(t, s, skia(at("c1"), "x=1"), Upload{Name: path})
	if r.File.Path != path || r.Content.Records != 1 {
		t.Errorf("report %+v", r)
	}

	// A file with another name gets a path of the current hour, so it is the newest.
	r = upload(t, s, skia(at("c1"), "x=2"), Upload{Name: `C:\runs\my run.json`})
	if !strings.HasPrefix(r.File.Path, "uploads/") || !strings.HasSuffix(r.File.Path, "-my_run.json") {
		t.Errorf("report %+v", r)
	}
	if _, _, _, err := ingest.ParsePath("bucket/" + r.File.Path); err != nil {
		t.Error(err)
	}
	check(t, "series", []string{",test=x, c1=2"}, found(t, s, "", Range{}))

	r = s.Upload(t.Context(), strings.NewReader("{"), Upload{Name: "bad.json"})
	if r.Err == nil || r.File.Path == "" || r.Repeated {
		t.Errorf("report %+v", r)
	}
	got, err := s.arrivals.path(t.Context(), strings.Repeat("ä", 200)+"/..", s.view)
	if !strings.HasSuffix(got, "-...json") || err != nil {
		t.Errorf("path %q, %v", got, err)
	}
}

// The last upload wins, even if the clock stops or goes back.
func TestArrival(t *testing.T) {
	frozen := time.Date(2026, 1, 2, 3, 59, 59, 999_999_998, time.UTC)
	for _, test := range []struct {
		name  string
		clock func(i int) time.Time
		first string
	}{
		{"stands still", func(int) time.Time { return frozen }, "uploads/2026/01/02/03/5959.999999998-"},
		{"goes", func(i int) time.Time { return frozen.Add(time.Duration(i)) }, "uploads/2026/01/02/03/5959.999999998-"},
		{"goes back", func(i int) time.Time { return frozen.Add(-time.Duration(i) * time.Hour) }, "uploads/2026/01/02/03/5959.999999998-"},
		{
			"in another zone", func(i int) time.Time { return frozen.In(time.FixedZone("", -3600)).Add(time.Duration(i) * time.Hour) },
			"uploads/2026/01/02/03/5959.999999998-",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "perf.db"))
			i := 0
			s.arrivals.clock = func() time.Time { i++; return test.clock(i - 1) }
			for n := range 20 {
				r := upload(t, s, skia(at("c1"), fmt.Sprint("x=", n)), Upload{Name: "a.json"})
				if n == 0 && !strings.HasPrefix(r.File.Path, test.first) {
					t.Errorf("path %q, want %q", r.File.Path, test.first)
				}
				check(t, "series", []string{fmt.Sprint(",test=x, c1=", n)}, found(t, s, "", Range{}))
			}
		})
	}

	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		for n, hour := range []int{5, 3, 4, 2} { // of a clock that is set back while no process runs
			s := open(t, name)
			s.arrivals.clock = func() time.Time { return frozen.Add(time.Duration(hour) * time.Hour) }
			upload(t, s, skia(at("c1"), fmt.Sprint("x=", n)), Upload{Name: "a.json"})
			check(t, "series of several processes", []string{fmt.Sprint(",test=x, c1=", n)}, found(t, s, "", Range{}))
			s.Close()
		}
	})

	a := arrivals{clock: func() time.Time { return frozen }}
	for last := a.next(); last.Second() == 59; last = a.next() {
		if next := a.next(); next.Sub(last) != 1 { // a nanosecond, which the path shows
			t.Fatalf("%v after %v", next, last)
		}
	}
}

// withCommit returns the options for measurements without a commit.
func withCommit(commit string) (o IngestOptions) {
	o.Opener.Commit = commit
	return o
}

func TestRepeatedUpload(t *testing.T) {
	named := func(name, commit, run string) Upload {
		options := withCommit(commit)
		options.Run = run
		return Upload{Name: name, IngestOptions: options}
	}
	a, b := goBench("", "1 2"), goBench("", "3")
	type step struct {
		upload   Upload
		text     string
		repeated int // the step whose upload it repeats, from 1; 0 if it is stored
	}
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"the same name and content", []step{{named("a", "c", ""), a, 0}, {named("a", "c", ""), a, 1}}},
		{"no name", []step{{named("", "c", ""), a, 0}, {named("", "c", ""), a, 1}}},
		{"another name", []step{{named("a", "c", ""), a, 0}, {named("b", "c", ""), a, 0}}},
		{"another commit", []step{{named("a", "c", ""), a, 0}, {named("a", "d", ""), a, 0}, {named("a", "c", ""), a, 1}}},
		{"another run", []step{{named("a", "c", "1"), a, 0}, {named("a", "c", "2"), a, 0}, {named("a", "c", "2"), a, 2}}},
		{"a correction that is taken back", []step{
			{named("a", "c", ""), a, 0}, {named("a", "c", ""), b, 0}, {named("a", "c", ""), a, 0}, {named("a", "c", ""), a, 3},
		}},
		{"a key", []step{
			{Upload{Key: "k", Name: "a", IngestOptions: withCommit("c")}, a, 0},
			{Upload{Key: "k", Name: "b", IngestOptions: withCommit("c")}, a, 1},
			{Upload{Key: "l", Name: "a", IngestOptions: withCommit("c")}, a, 0},
			{Upload{Key: "k", Name: "a", IngestOptions: withCommit("c")}, a, 1},
		}},
		{"a path in the storage layout", []step{
			{named("d/2026/01/02/03/a", "c", ""), a, 0}, {named("d/2026/01/02/03/a", "c", ""), a, 1},
			{named("d/2026/01/02/03/a", "c", "run"), a, 1},
		}},
		{"after a failure", []step{{named("a", "", ""), a, -1}, {named("a", "c", ""), a, 0}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, newDatabase func() string) {
				s := open(t, newDatabase())
				var paths []string
				for i, step := range test.steps {
					before := dump(t, s)
					r := s.Upload(t.Context(), strings.NewReader(step.text), step.upload)
					if (r.Err != nil) != (step.repeated < 0) || r.Repeated != (step.repeated > 0) {
						t.Fatalf("step %d: %+v", i+1, r)
					}
					paths = append(paths, r.File.Path)
					if step.repeated > 0 {
						check(t, "path", paths[step.repeated-1], r.File.Path)
						check(t, "dump", before, dump(t, s))
					}
				}
			})
		})
	}

	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		upload(t, s, skia(at("c1"), "x=1"), Upload{Key: "k"})
		r := s.Upload(t.Context(), strings.NewReader(skia(at("c1"), "x=2")), Upload{Key: "k"})
		if !errors.Is(r.Err, ErrOtherContent) || !strings.Contains(r.Err.Error(), "the key of the upload is that of uploads/") {
			t.Errorf("error %v", r.Err)
		}
		check(t, "series", []string{",test=x, c1=1"}, found(t, s, "", Range{}))
	})
}

// If two uploads with one key arrive at the same time, one is stored.
func TestRepeatedUploadAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		reports := make(chan UploadReport)
		const n = 8
		for range n {
			go func() { reports <- s.Upload(t.Context(), strings.NewReader(skia(at("c1"), "x=1")), Upload{Key: "k"}) }()
		}
		repeated, paths := 0, make(map[string]bool)
		for range n {
			r := <-reports
			if r.Err != nil {
				t.Error(r.Err)
			}
			if r.Repeated {
				repeated++
			}
			paths[r.File.Path] = true
		}
		if repeated != n-1 || len(paths) != 1 {
			t.Errorf("%d of %d uploads are repetitions, paths %v", repeated, n, paths)
		}
	})
}

// What a file said is deleted in the moment in which its replacement is stored.
func TestReplace(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		const bad, other = "d/2026/01/02/03/bad.json", "d/2026/01/02/02/other.json"
		putAll(t, s, tree{bad: skia(at("c1"), "x=1", "y=2", "only bad=3"), other: skia(at("c1"), "y=5")})
		putAll(t, s, tree{"d/2026/01/02/03/bad2.json": skia(at("wrong"), "z=1")})

		// A replacement that fails changes nothing.
		before := found(t, s, "", Range{})
		r := s.Upload(t.Context(), strings.NewReader(`{"version":1`), Upload{Replaces: bad})
		if r.Err == nil {
			t.Error("no error")
		}
		check(t, "series after a failure", before, found(t, s, "", Range{}))

		good := skia(at("c1"), "x=10")
		r = upload(t, s, good, Upload{Name: "good.json", Replaces: bad})
		check(t, "series", []string{",test=x, c1=10", ",test=y, c1=5", ",test=z, wrong=1"}, found(t, s, "", Range{}))
		first := r.File.Path
		if r = upload(t, s, good, Upload{Name: "good.json", Replaces: bad}); !r.Repeated || r.File.Path != first {
			t.Errorf("report of a repetition %+v", r)
		}
		upload(t, s, skia(at("right"), "z=1"), Upload{Replaces: "d/2026/01/02/03/bad2.json"})
		check(t, "series", []string{",test=x, c1=10", ",test=y, c1=5", ",test=z, right=1"}, found(t, s, "", Range{}))

		// The file stays replaced, when its tree is ingested again.
		after := dump(t, s)
		putAll(t, s, tree{bad: skia(at("c1"), "x=1", "y=2", "only bad=3"), other: skia(at("c1"), "y=5")})
		check(t, "dump", after, dump(t, s))
		for src, err := range s.Sources(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if src.Path == bad && (src.ReplacedBy != first || src.Records != 0 || src.Run != "" || src.Err != "") {
				t.Errorf("source %+v", src)
			}
		}
		r = s.Upload(t.Context(), strings.NewReader(skia(at("c1"), "x=1", "y=2", "only bad=3")), Upload{Name: bad})
		if !errors.Is(r.Err, ErrOtherContent) || !strings.Contains(r.Err.Error(), "it was replaced by "+first) {
			t.Errorf("error of an upload of the replaced file: %v", r.Err)
		}
		r = s.Upload(t.Context(), strings.NewReader(skia(at("c9"), "x=1")), Upload{Replaces: "d/nothing"})
		if !errors.Is(r.Err, fs.ErrNotExist) {
			t.Errorf("error %v", r.Err)
		}
		names, _ := commits(t, s)
		check(t, "commits", "c1 right", names)
	})
}

func TestUploadCommit(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		options := withCommit("given")
		upload(t, s, goBench("", "1 2"), Upload{IngestOptions: options})
		upload(t, s, goBench("own", "3"), Upload{IngestOptions: options})
		r := upload(t, s, goBench("", "4")+goBench("own2", "5"), Upload{IngestOptions: options})
		check(t, "series", []string{",name=X,unit=ns_op, given=4 own=3 own2=5"}, found(t, s, "", Range{}))
		for src, err := range s.Sources(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if src.Path == r.File.Path {
				check(t, "commit of the file", "given", src.Commit)
			}
		}

		r = s.Upload(t.Context(), strings.NewReader(goBench("", "2")), Upload{})
		if !errors.Is(r.Err, ErrNoCommit) {
			t.Errorf("error %v", r.Err)
		}
		upload(t, s, goBench("", "6"), Upload{IngestOptions: IngestOptions{AllowNoCommit: true, Run: "nightly"}})
		lines := found(t, s, "", Range{})
		if len(lines) != 1 || !strings.Contains(lines[0], " [nightly@") {
			t.Errorf("series %q", lines)
		}
	})
}

// A file that is uploaded is read in place, also if its header follows its results, and stays open.
func TestUploadFile(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "perf.db"))
	results := strings.Repeat(`{"key":{"test":"x"},"measurement":1},`, 10_000)
	text := `{"version":1,"results":[` + strings.TrimSuffix(results, ",") + `],"git_hash":"c1"}`
	file, err := os.Create(filepath.Join(t.TempDir(), "a.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	r := s.Upload(t.Context(), file, Upload{})
	if r.Err != nil || r.Content.Records != 10_000 || r.Content.Size != int64(len(text)) {
		t.Errorf("report %+v", r)
	}
	if _, err := file.Stat(); err != nil {
		t.Error(err)
	}
}
