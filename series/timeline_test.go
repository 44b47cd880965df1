package series

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/traceid"
)

func TestTimeline(t *testing.T) {
	type point struct {
		commit, date, made string
		source             int
		history            bool
	}
	list := []Commit{{Hash: "aaaa1"}, {Hash: "bbbb2"}, {Hash: "bbbb3"}, {Hash: "cccc4"}}
	for _, test := range []struct {
		name   string
		points []point
		list   []Commit
		want   string
	}{
		{"nothing", nil, nil, "[] order of commits: only one commit"},
		{"sources", []point{{commit: "b"}, {commit: "a"}, {commit: "b"}}, nil,
			"[b a] order of commits: by the hours and paths of the files, which is a guess"},
		{"list, with an abbreviation", []point{{commit: "cccc4"}, {commit: "bbbb2"}, {commit: "aaaa"}}, list,
			"[aaaa bbbb2 cccc4] order of commits: by the list of commits"},
		{"ambiguous", []point{{commit: "cccc4"}, {commit: "bbbb"}}, list,
			"[cccc4 bbbb] order of commits: by the list of commits, which lacks one of them: " +
				"it is placed by the hours and paths of the files, which is a guess"},
		{"times", []point{{commit: "b", made: "2026-02-01T00:00:00Z"}, {commit: "a", made: "2026-01-01T00:00:00Z"}}, nil,
			"[a b] order of commits: by the times of the commits"},
		{"history, by first runs", []point{
			{commit: "b", date: "2026-02-01T00:00:00Z", history: true},
			{commit: "c", history: true},
			{commit: "a", date: "2026-01-01T00:00:00Z", history: true},
			{commit: "b", date: "2025-01-01T00:00:00Z", history: true},
		}, nil, "[b c a] order of commits: by the history that a file holds"},
		{"no commit", []point{{}, {source: 1}, {}}, nil, "[ ] order of commits: by the hours and paths of the files, which is a guess"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var line timeline
			var placer Placer
			for _, p := range test.points {
				rec := &format.Record{Params: traceid.Of("a", "1"), Commit: p.commit}
				attrs := map[string]string{}
				if p.date != "" {
					attrs["date"] = p.date
				}
				if p.made != "" {
					attrs["commit-time"] = p.made
				}
				rec.Attrs = traceid.FromMap(attrs)
				at, err := placer.Place(rec)
				if err != nil {
					t.Fatal(err)
				}
				line.addPoint(at, p.source, p.history)
			}
			numbers, order := line.sort(test.list)
			names := []string{}
			for _, n := range numbers {
				names = append(names, line.commits[n].place.Name)
			}
			if diff := cmp.Diff(test.want, fmt.Sprint(names, " ", order)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTimelineCommit(t *testing.T) {
	var line timeline
	var placer Placer
	for _, commit := range []string{"abcd1", "v1.0"} {
		rec := &format.Record{
			Params: traceid.Of("a", "1"), Commit: commit, Attrs: traceid.Of("commit-time", "2026-01-01T00:00:00Z"),
		}
		at, err := placer.Place(rec)
		if err != nil {
			t.Fatal(err)
		}
		line.addPoint(at, 0, false)
	}
	list := []Commit{{Hash: "abcd1234", Author: "Ann", Time: time.Unix(1, 0)}}
	line.sort(list)
	want := []Commit{list[0], {Hash: "v1.0", Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	got := []Commit{line.commit(0, list), line.commit(1, list)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
