package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdata/ingest"
	"perfdata/traceid"
)

func TestQuery(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		var b strings.Builder
		b.WriteString(`{"version":1,"git_hash":"c1","results":[`)
		for i, arch := range []string{"x86", "arm", "µs"} {
			for j := range 3 {
				if i+j > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `{"key":{"arch":%q,"test":"t%d"%s},"measurement":%d}`, arch, j,
					[]string{"", `,"extra":"1"`}[j%2], 10*i+j)
			}
		}
		b.WriteString("]}")
		putAll(t, s, tree{"b/d/2026/01/02/03/a.json": b.String()})

		for query, want := range map[string]string{
			"arch=x86&test=t0":          "0",
			"arch=x86&arch=arm&test=t1": "11 1",
			"test=~[02]&arch=!x86":      "20 22 10 12",
			"extra=*":                   "21 11 1",
			"extra=!1":                  "20 22 10 12 0 2",
			"arch=µs&test=t0":           "20",
			"arch=mips":                 "",
			"nothing=x":                 "",
			"":                          "20 22 21 10 12 11 0 2 1",
		} {
			t.Run(query, func(t *testing.T) {
				var got []string
				for _, line := range found(t, s, query, Range{}) {
					got = append(got, line[strings.LastIndexByte(line, '=')+1:])
				}
				slices.Sort(got)
				wanted := strings.Fields(want)
				slices.Sort(wanted)
				check(t, "values", strings.Join(wanted, " "), strings.Join(got, " "))
			})
		}

		// A query may end early, and the store goes on.
		for range s.Query(t.Context(), nil, Range{}) {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, err := range s.Query(ctx, nil, Range{}) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		}
	})
}

// A limit gives the first traces that have values, in the order of all.
func TestLimit(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		var old, newer []string
		for i := range 100 {
			old = append(old, fmt.Sprintf("%02d=1", i))
			newer = append(newer, fmt.Sprintf("%02d=2", 40+i/2))
		}
		putAll(t, s, tree{
			"b/d/2026/01/02/03/a.json": skia(at("c1"), old...), "b/d/2026/01/02/04/b.json": skia(at("c2"), newer...),
		})
		for _, query := range []string{"", "test=~[13579]$", "test=43|test=47|test=91"} {
			for _, r := range []Range{{}, {First: "c2"}, {First: "c2", Newest: true}} {
				all := found(t, s, query, r)
				for _, limit := range []int{1, 2, 39, 41, 1000} {
					name := fmt.Sprintf("%s, %v, %d", query, r, limit)
					r.Limit = limit
					check(t, name, all[:min(limit, len(all))], found(t, s, query, r))
				}
			}
		}

		// Measurements has the same.
		q, err := traceid.ParseQuery("")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for m, err := range s.Measurements(t.Context(), q, Range{First: "c2", Limit: 7}) {
			if n++; err != nil || m.Trace != fmt.Sprintf(",test=%d,", 40+(n-1)/2) {
				t.Errorf("%d: %v, %v", n, m, err)
			}
		}
		if n != 14 {
			t.Errorf("%d measurements of 7 traces, want 14", n)
		}
	})
}

// The newest block has the newest commit of all, and not that of each trace: another block, whose last
// commit is older, may have that.
func TestNewestOfBlocks(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		var old strings.Builder
		for i := range commitsPerBlock + 4 {
			fmt.Fprintf(&old, "commit: c%02d\nBenchmarkOld 1 %d ns/op\n", i, i)
		}
		putAll(t, s, tree{"b/d/2026/01/02/04/new": "commit: new\nBenchmarkNew 1 99 ns/op\n"})
		putAll(t, s, tree{"b/d/2026/01/02/03/old": old.String()})
		want := []string{",name=New,unit=ns_op, new=99", ",name=Old,unit=ns_op, c19=19"}
		check(t, "newest", want, found(t, s, "", Range{Newest: true}))
	})
}

func TestLinks(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		const result = `{"key":{"test":"own"},"measurements":{"stat":[` +
			`{"value":"min","measurement":2,"links":{"trace":"https://example.com/t"}}]}}`
		putAll(t, s, tree{
			"b/d/2026/01/02/03/a.json": skia(at("c1")+`,"links":{"log":"https://example.com/old"}`, "x=1"),
			"b/d/2026/01/02/04/a.json": `{"version":1,"git_hash":"c1","links":{"log":"https://example.com/new"},"results":[` +
				`{"key":{"test":"x"},"measurement":1},` + result + `]}`,
			"b/d/2026/01/02/05/a.json": skia(at("c2"), "x=1"),
		})
		log := traceid.Of("log", "https://example.com/new")
		for _, test := range []struct {
			name, id string
			point    Point
			want     traceid.Params
		}{
			{"of the file", ",test=x,", Point{Commit: "c1", N: 1}, log},
			{"its own", ",stat=min,test=own,", Point{Commit: "c1", N: 1},
				traceid.Merge(log, traceid.Of("trace", "https://example.com/t"))},
			{"none", ",test=x,", Point{Commit: "c2", N: 1}, nil},
			{"other repetition", ",test=x,", Point{Commit: "c1", N: 2}, nil},
			{"other trace", ",test=z,", Point{Commit: "c1", N: 1}, nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				got, err := s.Links(t.Context(), Trial{}, test.id, test.point)
				if err != nil {
					t.Fatal(err)
				}
				check(t, "links", test.want, got)
			})
		}
	})
}

func TestSources(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		files := tree{
			"b/d/2026/01/02/03/good.json":  skia(at("c1")+`,"issue":"7","patchset":"1"`, "x=1", "y=2"),
			"b/d/2026/01/02/02/bad.json":   `{"version":1,"git_hash":"c1","results":[{"key":{"test":"x"},"measurement":`,
			"b/d/2026/01/02/03/other.json": `hello`,
			"b/d/2026/01/02/04/nul.json":   skia(`"git_hash":"a\u0000b"`, "x=1"),
		}
		put(t, s, files, ingest.RunOptions{})
		var got []string
		for src, err := range s.Sources(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			text, _, _ := strings.Cut(src.Err, ": ")
			got = append(got, fmt.Sprint(src.Path[len("b/d/2026/01/02/"):], " ", src.Hour.Hour(), " ", src.Format, " ",
				src.Commit, " ", src.Trial, " ", src.Records, " ", len(src.SHA256), " ", text))
		}
		want := []string{
			"02/bad.json 2 skiav1  { } 0 0 b/d/2026/01/02/02/bad.json:1:75",
			"03/good.json 3 skiav1 c1 {7 1} 2 32 ",
			"03/other.json 3   { } 0 0 b/d/2026/01/02/03/other.json:1:1",
			"04/nul.json 4 skiav1  { } 0 0 b/d/2026/01/02/04/nul.json",
		}
		check(t, "sources", want, got)

		// The next attempt succeeds, and the error is gone. The faults of a file are listed.
		putAll(t, s, tree{"b/d/2026/01/02/02/bad.json": skia(at("c1"), "x=1")})
		faulty := tree{"b/d/2026/01/02/05/faults.json": skia(at("c1"), "x=1", "y=NaN", "z=NaN")}
		put(t, s, faulty, ingest.RunOptions{})
		for src, err := range s.Sources(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			switch name := filepath.Base(src.Path); name {
			case "bad.json":
				check(t, "error", "", src.Err)
			case "faults.json":
				if src.Faults != 2 || src.Records != 1 || !strings.Contains(src.Err, "NaN") {
					t.Errorf("%+v", src)
				}
			}
		}
	})
}

func TestValues(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 5e-324, math.MaxFloat64,
			0.1, 1 << 60}
		var b strings.Builder
		b.WriteString("commit: c1\n")
		for _, v := range values {
			fmt.Fprintf(&b, "BenchmarkX 1 %v things\n", v)
		}
		putAll(t, s, tree{"bench.txt": b.String()})
		for one, err := range s.Query(t.Context(), nil, Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range one.Points {
				if math.Float64bits(p.Value) != math.Float64bits(values[i]) && !(math.IsNaN(p.Value) && math.IsNaN(values[i])) {
					t.Errorf("%v, want %v", p.Value, values[i])
				}
			}
		}
	})
}

func TestRepetitions(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		var b strings.Builder
		for _, commit := range []string{"c1", "c2"} {
			fmt.Fprintf(&b, "commit: %s\n", commit)
			for i := range 6 {
				fmt.Fprintf(&b, "BenchmarkX 1 %d ns/op\n", i)
			}
		}
		putAll(t, s, tree{"bench.txt": b.String()})
		want := []string{",name=X,unit=ns_op, c1=0 c1#2=1 c1#3=2 c1#4=3 c1#5=4 c1#6=5" +
			" c2=0 c2#2=1 c2#3=2 c2#4=3 c2#5=4 c2#6=5"}
		check(t, "series", want, found(t, s, "", Range{}))
	})
}
