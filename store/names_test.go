package store

import (
	"testing"

	"perfdata/format"
	"perfdata/traceid"
)

// Spellings that differ have different hashes, by which the database knows them.
func TestSpellingHashes(t *testing.T) {
	known := make(map[[32]byte]spelling)
	for _, params := range []string{"", `{"a":"b c"}`} {
		for _, unit := range []string{"", "ms"} {
			for _, better := range []format.Direction{format.Unknown, format.Lower, format.Higher} {
				s := spelling{params, unit, better}
				if other, ok := known[s.hashed().hash]; ok {
					t.Errorf("%+v has the hash of %+v", s, other)
				}
				known[s.hashed().hash] = s
			}
		}
	}
	if got, want := (spelling{params: "p"}).hashed().hash, hashed("p").hash; got != want {
		t.Error("the hash of params alone is not that of their text, which databases have")
	}
}

// isID says whether the params are those of the trace ID as they are.
func TestIsID(t *testing.T) {
	for _, test := range []struct {
		id, key, value string
		want           bool
	}{
		{",a=b,", "a", "b", true}, {",a=b,", "a", "c", false}, {",a=b,", "c", "b", false}, {",a=b", "a", "b", false},
		{",a=b,", "a", "bb", false}, {",a=b,c=d,", "a", "b", false}, {",a_b,", "a", "b", false}, {",a=b,", "aa", "", false},
		{",a", "a", "", false}, {"", "", "", false}, {",=,", "", "", true},
	} {
		if got := isID(traceid.Params{{Key: test.key, Value: test.value}}, []byte(test.id)); got != test.want {
			t.Errorf("%s of %s=%s: %v, want %v", test.id, test.key, test.value, got, test.want)
		}
	}
	if !isID(nil, []byte(",")) || !isID(traceid.Of("a", "b", "c", "d"), []byte(",a=b,c=d,")) {
		t.Error("none or two params")
	}
}

// A param is known to have the traces of all files, also the param that was stored last.
func TestParamOfSeveralFiles(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, tree{"a.txt": "commit: c1\nBenchmarkA 1 1 ns/op\n"})
		putAll(t, s, tree{"b.txt": "commit: c1\nBenchmarkB 1 2 ns/op\n"})
		check(t, "series", []string{",name=A,unit=ns_op, c1=1", ",name=B,unit=ns_op, c1=2"}, found(t, s, "unit=ns_op", Range{}))
	})
}
