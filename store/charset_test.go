package store

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
)

// skiaCharset is an invalid_param_char_regex of an instance of Skia Perf: it allows / and blanks.
const skiaCharset = `[^a-zA-Z0-9._/ \-]`

func openCharset(t *testing.T, name, charset string) *Store {
	t.Helper()
	s, err := OpenWith(t.Context(), name, Options{Charset: charset})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A store has the charset with which it was created, and all trace IDs have it.
func TestCharset(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		openCharset(t, name, skiaCharset).Close()
		for i, charset := range []string{"", skiaCharset, `[^a-z0-9A-Z._ /-]`} {
			s := openCharset(t, name, charset)
			path := "a/2026/01/02/03/" + string(rune('a'+i)) + ".json"
			putAll(t, s, tree{path: skia(at("c1"), "a/b=1", "c d=2", "e+f=3")})
			want := []string{",test=a/b, c1=1", ",test=c d, c1=2", ",test=e_f, c1=3"}
			check(t, "series", want, found(t, s, "", Range{}))
			check(t, "series of a query", want[:1], found(t, s, "test=a/b", Range{}))
			check(t, "series of a query", want[2:], found(t, s, "test=e%2Bf", Range{}))
			check(t, "series of a query", []string(nil), found(t, s, "test=a_b", Range{}))
			s.Close()
		}

		for _, charset := range []string{`[^a-zA-Z0-9._-]`, `[^a-zA-Z0-9._/é \-]`} {
			_, err := OpenWith(t.Context(), name, Options{Charset: charset})
			want := ": charset is not that of the store: its trace IDs replace the characters " + skiaCharset + ", not " + charset
			if !errors.Is(err, ErrOtherCharset) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: error %v, want ...%s", charset, err, want)
			}
		}
	})
}

// A store that is created without a charset has the default, however that is written.
func TestDefaultCharset(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		open(t, name).Close()
		s := openCharset(t, name, `([^a-zA-Z0-9._\-])`)
		if s.Charset() != nil {
			t.Error("the charset is not the default")
		}
		_, err := OpenWith(t.Context(), name, Options{Charset: skiaCharset})
		const want = "its trace IDs replace the characters [^a-zA-Z0-9._-], not " + skiaCharset
		if !errors.Is(err, ErrOtherCharset) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want ...%s", err, want)
		}
	})
}

// An expression treats the characters from one edge to the next alike.
func TestEdges(t *testing.T) {
	for _, expression := range []string{
		"", "[^a-zA-Z0-9._-]", skiaCharset, "(?i)[^a-zé]", "(?i)k", "[^\\pL]", "[^\\p{Greek}0-9]", `\W`, `\b`, `$`, `.`, `(?s).`,
		"(?i)[^ſ]|Ω", "[^ -~]|[à-ï]", "[Ā-\U0010FFFF]", "x{2,3}|é+",
	} {
		re, at := regexp.MustCompile(expression), edges(expression)
		slices.Sort(at)
		last := false
		for c := range rune(0x3000) {
			_, isEdge := slices.BinarySearch(at, c)
			if is := re.MatchString(string(c)); isEdge {
				last = is
			} else if is != last {
				t.Fatalf("%s: %q is not an edge", expression, c)
			}
		}
	}
}

// Expressions that differ in one character are other charsets, and those that differ in how they are written are not.
func TestChooseCharset(t *testing.T) {
	for _, c := range []struct {
		recorded, wanted string
		isOther          bool
	}{
		{"[^a-zé]", "[^éa-z]", false},
		{"[^a-zé]", "[^a-z]", true},
		{"[^a-z]", "[^a-z\ue000-\uffff]", true},
		{"[^a-z]", "(?i)[^a-z]", true},
		{"(?i)[^a-z]", "[^a-zA-Z\u017f\u212a]", false},
		{"(?i)[^a-z]", "[^a-zA-Z]", true},
		{"", "[^a-zA-Z0-9._-]", false},
		{"", "[^a-zA-Z0-9._\U0010ffff-]", true},
	} {
		if _, err := chooseCharset(c.recorded, c.wanted); errors.Is(err, ErrOtherCharset) != c.isOther {
			t.Errorf("%q, %q: %v", c.recorded, c.wanted, err)
		}
	}
}

func TestInvalidCharset(t *testing.T) {
	for _, test := range []struct{ charset, want string }{
		{"[", "missing closing ]"},
		{"[^a-z,=]", `does not match ","`},
		{"[,=]|\x00", "zero byte"},
	} {
		name := t.TempDir() + "/perf.db"
		if _, err := OpenWith(t.Context(), name, Options{Charset: test.charset}); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %s", test.charset, err, test.want)
		}
		openCharset(t, name, skiaCharset) // nothing was recorded
	}
}

// Trace IDs that the caller makes in another charset are refused, even if their params are known.
func TestOtherCharset(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := openCharset(t, newDatabase(), skiaCharset)
		other, err := series.ParseCharset(`[^a-zA-Z0-9._+-]`)
		if err != nil {
			t.Fatal(err)
		}
		putAll(t, s, tree{"a/2026/01/02/03/a.json": skia(at("c1"), "x=1", "a/b=2", "a_b=3")})
		before := found(t, s, "", Range{})

		run := func(options ingest.RunOptions) (failure error) {
			files := tree{"a/2026/01/02/04/b.json": skia(at("c1"), "x=4", "a/b=5")}
			options.Report = func(r ingest.Report) { failure = r.Err }
			walk := ingest.Walk(files.fs(), ".", ingest.WalkOptions{})
			if _, err := ingest.Run(t.Context(), walk, s, options); err != nil {
				t.Fatal(err)
			}
			return failure
		}
		for _, options := range []ingest.RunOptions{{}, {Charset: other}} {
			if err := run(options); !errors.Is(err, ErrOtherCharset) ||
				!strings.Contains(err.Error(), `trace ID ",test=a_b,", want ",test=a/b,"`) {
				t.Errorf("error %v", err)
			}
		}
		check(t, "series", before, found(t, s, "", Range{}))
		if err := run(ingest.RunOptions{Charset: s.Charset()}); err != nil {
			t.Error(err)
		}

		failed := put(t, s, tree{"a/2026/01/02/05/c.json": skia(at("c1"), "a/b=6")}, ingest.RunOptions{Charset: other})
		if !strings.Contains(failed["a/2026/01/02/05/c.json"], ErrOtherCharset.Error()) {
			t.Errorf("error %v", failed)
		}
	})
}

// No database can store a trace ID with a zero byte.
func TestZeroByteInTrace(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := openCharset(t, newDatabase(), `[,=]`)
		failed := make(map[string]error)
		files := tree{"a.json": `{"version":1,"git_hash":"c","results":[{"key":{"test":"a\u0000b"},"measurement":1}]}`}
		options := IngestOptions{RunOptions: ingest.RunOptions{Report: func(r ingest.Report) { failed[r.File.Path] = r.Err }}}
		if _, err := s.Ingest(t.Context(), ingest.Walk(files.fs(), ".", ingest.WalkOptions{Order: ingest.ByPath}), options); err != nil {
			t.Fatal(err)
		}
		if err := failed["a.json"]; !errors.Is(err, format.ErrSchema) || !strings.Contains(err.Error(), "zero byte") {
			t.Errorf("error %v", err)
		}
	})
}
