package keyval

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

func addSeeds(f *testing.F) {
	formattest.Generated{Format: Format()}.Add(f)
	for _, file := range testFiles(f) {
		f.Add(file)
	}
	// Iterations that resemble each other, with a change of each kind.
	f.Add("x{attr}=1\na{perf}=1\nb=2\n\nx{attr}=1\na{perf}=3\nb=4\n\nx{attr}=12\na{perf}=3\nb=4.5e1\n\n" +
		"x{attr}=\na{perf}=-3\nb=0\n\n" +
		"x{attr}=2 \na{perf}=3\nb=4\n\nx{attr}=2\na{perf}=1e999\nb=4\n\nx{attr}=2\na{perf}=1\nb=+4\n\n" +
		"x{attr}=2\na{perf}=1\nb=4\n \nx{attr}=2\na{perf}=1\nb=4")
	f.Add("x{attr}=1\r\na{perf}=1\r\n\r\nx{attr}=1\r\na{perf}=2\r\n\r\nx{attr}=2\r\na{perf}=2\r\n\nx{attr}=2\n" +
		"a{perf}=2\r\n\r\nx{attr}=2\n\r\na{perf}=2\r\n\r\n")
	f.Add("a=1\na=2\n\na=1\na=2\n\nb=1+-2\nb_dev=1\n\nb=1+-2\nb_dev=3\n\n\n\n")
	f.Add("\ufeffa=inf\nb{attr}=\xff\nc{x}=1\nno\n{perf}=nan\n=-Infinity\na{b}{perf}=1\na{x y}=2\n")
	f.Add("a=0x1\nb=1_0\nc=007\nd=1e\ne=.5\nf=5.\ng=+-1\nh=--1\ni= 1\nj=1\v\nk=1+-.5\nl=1.5.5+-1\nm=1e400\n" +
		"n=" + strings.Repeat("9", 400) + "+-1\n")
	// Iterations with fewer lines than the previous one.
	fewer := "a{attr}=x\nb{perf}=1\nc{perf}=2\n\na{attr}=y\nb{perf}=3\n\na{attr}=y\nb{perf}=3\nc{perf}=4\n\n" +
		"a{attr}=z\n\nb{perf}=1\n\na{attr}=z\nb{perf}=5\nc{perf}=6\n\n\nb{perf}=1\nc{attr}=2\n\nb{perf}=1\n\n"
	f.Add(fewer)
	f.Add(strings.ReplaceAll(fewer, "\n", "\r\n"))
	f.Add("a{attr}=1\nb=1\n\na{attr}=1\nb=1\n\n\r\nb=1\n\n\n") // blank lines of both kinds
}

// A plain reading follows the format's rules, without any fast path.
type plainIteration struct {
	index int
	attr  map[string]string
	perf  []Keyval // without offsets
}

var (
	plainTyped     = regexp.MustCompile(`^([^=]*)\{(\w*)\}=(.*)$`)
	plainUntyped   = regexp.MustCompile(`^([^=]*)=(.*)$`)
	plainDeviation = regexp.MustCompile(`^(\d+(?:\.\d*)?)\+-(\d+(?:\.\d*)?)$`)
	plainNumber    = regexp.MustCompile(`(?i)^[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|inf|infinity|nan)$`)
)

const plainSpace = " \t\n\v\f\r"

// plainFloat returns the number in the text. It returns false for malformed numbers, and numbers
// out of range.
func plainFloat(s string) (float64, bool) {
	if !plainNumber.MatchString(s) {
		return 0, false
	}
	if len(s) == 4 && strings.EqualFold(s[1:], "nan") {
		return math.NaN(), true
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// plainRead returns the iterations, and the numbers of the lines that are left out.
func plainRead(in string) (all []plainIteration, bad []int) {
	in = strings.TrimPrefix(in, "\ufeff")
	lines := strings.SplitAfter(in, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	it := plainIteration{index: 1, attr: map[string]string{}}
	add := func(key string, value float64) {
		for i := range it.perf {
			if it.perf[i].Key == key {
				it.perf[i].Value = value
				return
			}
		}
		it.perf = append(it.perf, Keyval{Key: key, Value: value})
	}
	for i, text := range lines {
		line := strings.Trim(text, plainSpace)
		if line == "" {
			all = append(all, it)
			it = plainIteration{index: it.index + 1, attr: map[string]string{}}
			continue
		}
		ok := utf8.ValidString(line)
		// The expressions' dot must match any character of a line: only \n is a line end.
		var key, tag, value string
		if m := plainTyped.FindStringSubmatch(line); m != nil {
			key, tag, value = m[1], m[2], m[3]
		} else if m := plainUntyped.FindStringSubmatch(line); m != nil {
			key, tag, value = m[1], "perf", m[2]
		}
		switch {
		case !ok:
		case tag == "attr":
			it.attr[key] = value
		case tag == "perf":
			if m := plainDeviation.FindStringSubmatch(value); m != nil {
				mean, ok1 := plainFloat(m[1])
				deviation, ok2 := plainFloat(m[2])
				if ok = ok1 && ok2; ok {
					add(key, mean)
					add(key+"_dev", deviation)
				}
				break
			}
			var f float64
			if f, ok = plainFloat(strings.Trim(value, plainSpace)); ok {
				add(key, f)
			}
		default:
			ok = false
		}
		if !ok {
			bad = append(bad, i+1)
		}
	}
	if len(it.attr)+len(it.perf) > 0 {
		all = append(all, it)
	}
	return all, bad
}

func (it *plainIteration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %q", it.index, it.attr)
	for _, kv := range it.perf {
		fmt.Fprintf(&b, " %q=%v", kv.Key, kv.Value)
	}
	return b.String()
}

// FuzzReader compares the Reader, for each way in which an input arrives, with a plain reading,
// its two iterators with each other, and with the output of the Writer.
func FuzzReader(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		if strings.HasPrefix(in, "\xff\xfe") || strings.HasPrefix(in, "\xfe\xff") {
			return // UTF-16
		}
		checkRead(t, in)
		checkWritten(t, in)
	})
}

// checkRead compares the Reader, for each way in which an input arrives, with a plain reading.
func checkRead(t *testing.T, in string) {
	t.Helper()
	want, wantBad := plainRead(in)
	wantRecords := readAll(strings.NewReader(in))
	for way, source := range formattest.Sources {
		var bad []int
		i := 0
		for it, err := range newReader(source(in)).Iterations() {
			if err != nil {
				bad = append(bad, checkError(t, in, err))
				continue
			}
			got := plainIteration{it.Index, map[string]string{}, it.Perf}
			for key, value := range it.Attr.All() {
				got.attr[key] = value
			}
			if i >= len(want) || got.String() != want[i].String() {
				t.Fatalf("%s: iteration %d: %s, want %v", way, i+1, &got, want)
			}
			checkPositions(t, in, it)
			i++
		}
		if i != len(want) || !slices.Equal(bad, wantBad) {
			t.Fatalf("%s: %d iterations and faults on lines %v, want %d and %v", way, i, bad, len(want), wantBad)
		}
		if diff := cmp.Diff(wantRecords, readAll(source(in))); diff != "" {
			t.Fatalf("seekable and %s (-seekable +%s):\n%s", way, way, diff)
		}
	}
}

// checkError returns the line of a recoverable error.
func checkError(t *testing.T, in string, err error) int {
	var e *format.Error
	if !errors.As(err, &e) || e.Severity != format.Recoverable || e.Offset > int64(len(in)) || e.Column < 1 {
		t.Fatalf("error %#v", err)
	}
	if start := int(e.Offset) - e.Column + 1; strings.Count(in[:start], "\n") != e.Line-1 ||
		start > 0 && in[start-1] != '\n' && !strings.HasPrefix(in, "\ufeff") {
		t.Fatalf("error %v at offset %d", e, e.Offset)
	}
	return e.Line
}

// checkPositions checks the offsets and lines of an iteration and its values.
func checkPositions(t *testing.T, in string, it *Iteration) {
	if strings.Count(in[:it.Offset], "\n") != it.Line-1 {
		t.Fatalf("iteration %d at offset %d on line %d", it.Index, it.Offset, it.Line)
	}
	for _, kv := range it.Perf {
		key := kv.Key
		if !strings.HasPrefix(in[kv.Offset:], key) {
			key = strings.TrimSuffix(key, deviationSuffix)
		}
		if !strings.HasPrefix(in[kv.Offset:], key) {
			t.Fatalf("iteration %d: %q isn't at offset %d", it.Index, kv.Key, kv.Offset)
		}
	}
}

// checkWritten checks that an input's iterations and records are written and read back equal,
// unless the Writer has a reason to reject them.
func checkWritten(t *testing.T, in string) {
	var asIterations, asRecords bytes.Buffer
	w := NewWriter(&asIterations, Header{})
	var want []string
	for it, err := range newReader(strings.NewReader(in)).Iterations() {
		if err != nil {
			continue
		}
		perf := map[string]float64{}
		for _, kv := range it.Perf {
			perf[kv.Key] = kv.Value
		}
		if err := w.WriteIteration(it); err != nil {
			return // a key that must not be written
		}
		want = append(want, fmt.Sprintf("%d %q %v", it.Index, it.Attr, perf))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for it, err := range newReader(&asIterations).Iterations() {
		if err != nil {
			t.Fatal(err)
		}
		perf := map[string]float64{}
		for _, kv := range it.Perf {
			perf[kv.Key] = kv.Value
		}
		got = append(got, fmt.Sprintf("%d %q %v", it.Index, it.Attr, perf))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("iterations written and read back (-written +read):\n%s", diff)
	}

	w = NewWriter(&asRecords, Header{})
	var records []string
	for rec, err := range newReader(strings.NewReader(in)).Records() {
		if err != nil {
			continue
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		records = append(records, formattest.Show(rec))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append([]string{}, records...), readAll(&asRecords)); diff != "" {
		t.Fatalf("records written and read back (-written +read):\n%s", diff)
	}
}

// FuzzValidate checks that Validate yields the same in each way of arriving, in the order of the
// input, and every error of the Reader.
func FuzzValidate(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		formattest.CheckValidate(t, Format(), in)
		found := validate(strings.NewReader(in))
		for _, line := range readAll(strings.NewReader(in)) {
			line = strings.TrimPrefix(line, "FATAL ")
			if strings.HasPrefix(line, "in:") && !slices.Contains(found, line) {
				t.Errorf("Validate doesn't find %s", line)
			}
		}
	})
}

// FuzzWriter checks that the output of a Writer passes Validate and is read back equal, and that
// rejected input leaves no trace. The script consists of fields separated by |: a record has a
// key, an iteration, a value and attributes; an iteration has attributes and values.
func FuzzWriter(f *testing.F) {
	for _, seed := range []string{
		"r|a|1|1.5|x|y||r|b|1|2|x|y||r|a|2|3||r|a||4||r|a|9|-0||r|c|8|1||",
		"i|x|y||a|1|b|inf||r|a|2|1||r|b|3|nan||i|||i|||a|1e400||",
		"r|a b|1|1||r||1|1||r|a|1|1|k l|v||r|a|1|1|k|v ||r|a|1|1|k|\xff||r|a|01|1||r|a|1|1|k|a\n" +
			"b||r|a|1|1|k||l| x\ty||",
		"i|k|v\r||a|1||i|k|\ufeff||\ufeffa|1||i|k{perf}|v||a+-b|1||i|k||l|\v||a|1||i|k|=||" +
			"a|1e-320|b|123456789012345678||",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		next := func() (field string) {
			field, rest, _ = strings.Cut(rest, "|")
			return field
		}
		pairs := func() map[string]string {
			pairs := map[string]string{}
			for key := next(); key != ""; key = next() {
				pairs[key] = next()
			}
			return pairs
		}
		number := func(s string) float64 {
			n, _ := strconv.ParseFloat(s, 64)
			return n
		}
		var out bytes.Buffer
		w := NewWriter(&out, Header{})
		var want []string
		for rest != "" {
			switch next() {
			case "r":
				p := traceid.Params{{Key: paramKey, Value: next()}}
				if iteration := next(); iteration != "" {
					p = append(traceid.Params{{Key: paramIteration, Value: iteration}}, p...)
				}
				r := &format.Record{Params: p, Value: number(next()), Attrs: traceid.FromMap(pairs())}
				if n, _ := r.Params.Get(paramIteration); len(n) < 4 && w.Write(r) == nil {
					want = append(want, describe(p, r.Value, r.Attrs))
				}
			case "i":
				attrs, perf := pairs(), map[string]float64{}
				for key, value := range pairs() {
					perf[key] = number(value)
				}
				if w.WriteIteration(iteration(attrs, perf)) == nil {
					for _, key := range slices.Sorted(maps.Keys(perf)) {
						want = append(want, describe(traceid.Params{{
							Key:   paramKey,
							Value: key,
						}}, perf[key], traceid.FromMap(attrs)))
					}
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if found := validate(bytes.NewReader(out.Bytes())); len(found) > 0 {
			t.Fatalf("%q: written: %q", found, out.String())
		}
		var got []string
		for r, err := range NewReader(&out).Records() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, describe(r.Params, r.Value, r.Attrs))
		}
		if !slices.EqualFunc(want, got, sameRecord) {
			t.Fatalf("(-written +read):\n%s", cmp.Diff(want, got))
		}
	})
}

// describe returns the text of a record, with its iteration at the end, if it has one.
func describe(p traceid.Params, value float64, attrs traceid.Params) string {
	key, _ := p.Get(paramKey)
	iteration, _ := p.Get(paramIteration)
	return fmt.Sprintf("%q = %v %q @%s", key, value, attrs, iteration)
}

// sameRecord compares texts of describe. A record that was written may lack its iteration.
func sameRecord(written, read string) bool {
	if strings.HasSuffix(written, "@") {
		read = read[:strings.LastIndexByte(read, '@')+1]
	}
	return written == read
}
