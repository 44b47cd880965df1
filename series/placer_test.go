package series_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/quick"
	"perfdata/perfdatatest"
	"perfdata/series"
	"perfdata/traceid"
)

// record returns a record with params such as "a=b c=d". These are about the record: @x is its
// Commit, #2 its Repetition.
func record(text string) *format.Record {
	var rec format.Record
	var params []traceid.Param
	for field := range strings.FieldsSeq(text) {
		switch key, value, _ := strings.Cut(field, "="); {
		case field[0] == '@':
			rec.Commit = field[1:]
		case field[0] == '#':
			fmt.Sscan(field[1:], &rec.Repetition)
		default:
			params = append(params, traceid.Param{Key: key, Value: value})
		}
	}
	rec.Params = traceid.FromPairs(params...)
	return &rec
}

// show returns a point as "trace commit#n".
func show(at *series.Point, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %s#%d", at.Trace, at.Commit, at.N)
}

func TestPlace(t *testing.T) {
	none := "offset 0: no param is part of the measurement's identity"
	for _, test := range []struct {
		name        string
		notIdentity []string
		records     []string
		want        []string
	}{
		{"params", nil, []string{"a=b c=d", "c=e"}, []string{",a=b,c=d, #1", ",c=e, #1"}},
		{"commit", nil, []string{"@x a=b", "@y a=b"}, []string{",a=b, x#1", ",a=b, y#1"}},
		{"param commit", nil, []string{"a=b commit=x", "@y a=b commit=x"}, []string{",a=b, x#1", ",a=b, y#1"}},
		{
			"params that are not identity", nil,
			[]string{"a=b commit-time=t commit=x date=d", "a=b date=e", "date=e z=z"},
			[]string{",a=b, x#1", ",a=b, #1", ",z=z, #1"},
		},
		{
			"other params", []string{"host", "z"}, []string{"a=b commit=x date=d host=h z=z"},
			[]string{",a=b,commit=x,date=d, x#1"},
		},
		{"all params", []string{}, []string{"commit=x date=d"}, []string{",commit=x,date=d, x#1"}},
		{"no params", nil, []string{"@x", "commit=x date=d", "a=b", "repetition=1"}, []string{none, none, ",a=b, #1", none}},

		{"repetitions", nil, []string{"a=b", "a=c", "a=b", "a=b"}, []string{",a=b, #1", ",a=c, #1", ",a=b, #2", ",a=b, #3"}},
		{"one canonical ID", nil, []string{"a=b/c", "a=b_c"}, []string{",a=b_c, #1", ",a=b_c, #2"}},
		{"commits have repetitions of their own", nil, []string{"@x a=b", "@y a=b", "@x a=b"},
			[]string{",a=b, x#1", ",a=b, y#1", ",a=b, x#2"}},
		{
			"numbers", nil, []string{"a=b repetition=2", "a=b repetition=5", "a=b repetition=12"},
			[]string{",a=b, #2", ",a=b, #5", ",a=b, #12"},
		},
		{"only a number", nil, []string{"a=b repetition=3", "a=b"}, []string{",a=b, #3", ",a=b, #4"}},
		{
			"numbers that begin again, as in the next file of a set", nil,
			[]string{"a=b repetition=1", "a=b repetition=2", "a=b repetition=1", "a=b repetition=2"},
			[]string{",a=b, #1", ",a=b, #2", ",a=b, #3", ",a=b, #4"},
		},
		{
			"not numbers", nil,
			[]string{"a=b repetition=warm", "a=b repetition=0", "a=b repetition=01", "a=b repetition=+1", "a=b repetition=",
				"a=b repetition=1.0", "a=b repetition=1000000000", "a=b repetition=-1", "a=b repetition=١"},
			[]string{",a=b,repetition=warm, #1", ",a=b,repetition=0, #1", ",a=b,repetition=01, #1", ",a=b,repetition=_1, #1",
				",a=b,repetition=_, #1", ",a=b,repetition=1.0, #1", ",a=b,repetition=1000000000, #1", ",a=b,repetition=-1, #1",
				",a=b,repetition=_, #2"},
		},
		{"greatest number", nil, []string{"a=b repetition=999999999", "a=b"}, []string{",a=b, #999999999", ",a=b, #1000000000"}},
		{
			"param repetition among others", nil, []string{"a=b repetition=2 z=z", "a=b repetition=warm z=z", "a=b repetition=3 z=z"},
			[]string{",a=b,z=z, #2", ",a=b,repetition=warm,z=z, #1", ",a=b,z=z, #3"},
		},

		{"Repetition", nil, []string{"#2 a=b", "#3 a=b"}, []string{",a=b, #2", ",a=b, #3"}},
		{"Repetition and iteration", nil, []string{"#2 a=b iteration=2", "#4 a=b iteration=4"}, []string{",a=b, #2", ",a=b, #4"}},
		{
			"iteration without Repetition", nil, []string{"a=b iteration=1", "a=b iteration=2", "iteration=1"},
			[]string{",a=b,iteration=1, #1", ",a=b,iteration=2, #1", ",iteration=1, #1"},
		},
		{"iteration and repetition", nil, []string{"a=b iteration=2 repetition=2"}, []string{",a=b,iteration=2, #2"}},
		{
			"params that are not the Repetition", nil, []string{"#2 iteration=3", "#2 iteration=x", "#2 repetition=7", "#2 repetition=x"},
			[]string{",iteration=3, #2", ",iteration=x, #2", ",repetition=7, #2", ",repetition=x, #2"},
		},
		{"params that both are the Repetition", nil, []string{"#2 a=b iteration=2 repetition=2"}, []string{",a=b, #2"}},
		{
			"Repetition out of range", nil, []string{"#-1 a=b", "#1000000000 a=b", "#1000000000 iteration=1000000000"},
			[]string{",a=b, #1", ",a=b, #2", ",iteration=1000000000, #1"},
		},
		{
			"numbers that are not identity", []string{"repetition", "iteration"}, []string{"#7 a=b iteration=7", "a=b repetition=9"},
			[]string{",a=b, #7", ",a=b, #8"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := series.Placer{NotIdentity: test.notIdentity}
			for range 2 {
				var got []string
				for _, text := range test.records {
					got = append(got, show(p.Place(record(text))))
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				p.Reset()
			}
		})
	}
}

// Params that are not part of the identity are attrs, and take precedence over attrs. The record does
// not change.
func TestPointAttrs(t *testing.T) {
	rec := &format.Record{
		Params: traceid.Of("a", "1", "b", "2", "c", "3", "repetition", "4", "z", "5"),
		Attrs:  traceid.Of("b", "6", "x", "7"),
	}
	want := rec.Clone()
	p := series.Placer{NotIdentity: []string{"z", "b"}}
	for n := range 2 { // memory is used again
		at, err := p.Place(rec)
		if err != nil || at.Record != rec || at.N != 4+n {
			t.Fatalf("%+v, %v", at, err)
		}
		if diff := cmp.Diff(traceid.Of("a", "1", "c", "3"), at.Identity); diff != "" {
			t.Errorf("identity (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(traceid.Of("b", "2", "x", "7", "z", "5"), at.Attrs()); diff != "" {
			t.Errorf("attrs (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, rec); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}

	rec = record("a=1")
	rec.Attrs = traceid.Of("k", "v")
	if at, err := p.Place(rec); err != nil || !at.Attrs().Equal(rec.Attrs) {
		t.Errorf("%+v, %v", at, err)
	}
}

func TestPointBetter(t *testing.T) {
	var p series.Placer
	for _, test := range []struct {
		unit   string
		better format.Direction
		want   format.Direction
		byUnit bool
	}{
		{"ns/op", format.Unknown, format.Lower, true},
		{"ns/op", format.Higher, format.Higher, false},
		{"MB/s", format.Unknown, format.Higher, true},
		{"MB/s", format.Unknown, format.Higher, true},
		{"widgets", format.Unknown, format.Unknown, false},
		{"widgets", format.Lower, format.Lower, false},
		{"", format.Unknown, format.Unknown, false},
	} {
		rec := record("a=b")
		rec.Unit, rec.Better = test.unit, test.better
		at, err := p.Place(rec)
		if err != nil {
			t.Fatal(err)
		}
		if got, byUnit := at.Better(); got != test.want || byUnit != test.byUnit {
			t.Errorf("%q, %v: %v, by unit %v", test.unit, test.better, got, byUnit)
		}
	}
}

func TestPlaceErrors(t *testing.T) {
	p := series.Placer{Limits: format.Limits{MaxUniqueTraces: 2}}
	rec := record("commit=x")
	rec.Offset = 75
	_, err := p.Place(rec)
	if !errors.Is(err, series.ErrNoIdentity) || !errors.Is(err, format.ErrSchema) || !strings.Contains(err.Error(), "offset 75") {
		t.Errorf("error %v", err)
	}

	var got []string
	for _, text := range []string{"a=b", "@x a=b", "a=b", "a=c", "a=b"} {
		at, err := p.Place(record(text))
		got = append(got, show(at, err))
		if err != nil && !errors.Is(err, format.ErrLimit) {
			t.Errorf("cause of %v", err)
		}
	}
	want := []string{",a=b, #1", ",a=b, x#1", ",a=b, #2", "traces: more than 2 (Limits.MaxUniqueTraces)", ",a=b, #3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The number that a record gives its repetition is not that of the records after it, and is noticed
// after records of the same params that give none.
func TestPlaceRepetition(t *testing.T) {
	var p series.Placer
	var got []int
	b, c := record("a=b"), record("a=c") // with equal texts at the same addresses, as Readers yield them
	for _, test := range []struct {
		rec *format.Record
		n   int
	}{{b, 7}, {c, 7}, {c, 0}, {b, 0}, {b, 7}, {b, 0}} {
		test.rec.Repetition = test.n
		got = append(got, p.Identify(test.rec).N)
	}
	want := []int{7, 7, 0, 0, 7, 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// records returns the records of generated documents of all formats.
func records(t *testing.T, seed uint64) (all []*format.Record) {
	for _, name := range perfdatatest.Formats() {
		document := perfdatatest.Valid(name, seed, 3000)
		r, err := perfdata.Opener{Format: name}.NewReader(bytes.NewReader(document), name)
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range r.Records() {
			if err == nil {
				all = append(all, rec.Clone())
			}
		}
	}
	return all
}

// The record alone decides about its series and commit: others, before or after it, change nothing.
// No two points of a set are equal.
func TestPlaceAlone(t *testing.T) {
	type place struct {
		trace, commit, err string
		n                  int
	}
	placeOf := func(at *series.Point, err error) (place, traceid.Params) {
		if err != nil {
			return place{err: err.Error()}, nil
		}
		return place{trace: string(at.Trace), commit: at.Commit}, at.Identity
	}
	for seed := range uint64(quick.Of(50, 8)) {
		r := rand.New(rand.NewPCG(seed, 1))
		all := records(t, seed)
		for _, rec := range all {
			if r.IntN(10) == 0 {
				rec.Params = traceid.Merge(rec.Params, traceid.Of("repetition", []string{"1", "2", "warm"}[r.IntN(3)]))
			}
		}

		want, identities := make(map[*format.Record]place), make(map[*format.Record]traceid.Params)
		for _, rec := range all {
			var p series.Placer
			want[rec], identities[rec] = placeOf(p.Place(rec))
		}

		var p series.Placer
		for range 3 {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			seen := make(map[place]bool)
			for _, rec := range all[:r.IntN(len(all)+1)] {
				at, err := p.Place(rec)
				got, identity := placeOf(at, err)
				if got != want[rec] || !slices.Equal(identity, identities[rec]) {
					t.Fatalf("seed %d: %+v: %+v %q, alone %+v %q", seed, rec, got, identity, want[rec], identities[rec])
				}
				if err == nil {
					if got.n = at.N; seen[got] {
						t.Fatalf("seed %d: %+v twice", seed, got)
					}
					seen[got] = true
				}
			}
			p.Reset()
		}
	}
}

// Records in the memory of a Reader have the points of their copies.
func TestPlaceOfReader(t *testing.T) {
	for seed := range uint64(quick.Of(10, 3)) {
		for _, name := range perfdatatest.Formats() {
			var ofReader, ofCopies series.Placer
			document := perfdatatest.Valid(name, seed, 20_000)
			r, err := perfdata.Opener{Format: name}.NewReader(bytes.NewReader(document), name)
			if err != nil {
				t.Fatal(err)
			}
			for rec, err := range r.Records() {
				if err != nil {
					continue
				}
				c := rec.Clone()
				got, gotErr := ofReader.Place(rec)
				want, wantErr := ofCopies.Place(c)
				isSame := gotErr != nil && wantErr != nil && gotErr.Error() == wantErr.Error()
				if gotErr == nil && wantErr == nil {
					isSame = string(got.Trace) == string(want.Trace) && got.Commit == want.Commit && got.N == want.N &&
						slices.Equal(got.Identity, want.Identity) && slices.Equal(got.Attrs(), want.Attrs())
				}
				if !isSame {
					t.Fatalf("%s, seed %d: %+v, %v, of a copy %+v, %v", name, seed, got, gotErr, want, wantErr)
				}
			}
		}
	}
}

func ExamplePlacer() {
	in := strings.NewReader("commit: 7cd9055\nBenchmarkSort-8 5000 294.1 ns/op\nBenchmarkSort-8 5000 292.7 ns/op\n")
	r, err := perfdata.NewReader(in, "bench.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	var placer series.Placer
	for rec, err := range r.Records() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		at, err := placer.Place(rec)
		if err != nil {
			fmt.Println(err)
			continue
		}
		better, byUnit := at.Better()
		fmt.Println(string(at.Trace), at.Commit, at.N, rec.Value, rec.Unit, better, byUnit)
	}
	// Output:
	// ,gomaxprocs=8,name=Sort,unit=ns_op, 7cd9055 1 294.1 ns/op lower true
	// ,gomaxprocs=8,name=Sort,unit=ns_op, 7cd9055 2 292.7 ns/op lower true
}
