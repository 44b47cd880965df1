package perun

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// An array is an array whose unusual elements a scanner reads.
type array struct {
	*jsonscan.Scanner
	spans []span
}

func newArray(in io.Reader) *array {
	return &array{Scanner: jsonscan.New(in, "in", format.Limits{}.WithDefaults())}
}

// scan calls read with the text ahead and the places of numbers in it.
func (a *array) scan(max int, read func(text []byte, offset int64, spans []span)) {
	text, n := a.Ahead(0), 0
	a.spans, n = scanNumbers(a.spans, text, max)
	read(text, a.Offset(), a.spans)
	a.Take(n, len(a.spans))
}

func (a *array) floats(dst []float64, offsets []int64, max int) ([]float64, []int64) {
	a.scan(max, func(text []byte, offset int64, spans []span) {
		dst = appendFloats(dst, text, spans)
		for _, at := range spans {
			offsets = append(offsets, offset+int64(at.start))
		}
	})
	return dst, offsets
}

func (a *array) texts(dst []string, max int) []string {
	a.scan(max, func(text []byte, _ int64, spans []span) { dst = appendTexts(dst, text, spans) })
	return dst
}

// Floats and Texts read the same numbers as the scanner.
func TestNumbers(t *testing.T) {
	various := []string{
		"0", "7", "-1", "12345678", "123456789", "1234567890123456", "0.5", "10.25", "-0.125", "1.5e3",
		"1E2", "-0", "99999999.9999999", "100.0", "1.50", "0.0001", "0.00001", "12345678.12345678",
		"123456789012345678901234567890", "1.0", "-12.5", "18446744073709551616",
	}
	for _, sep := range []string{
		",",
		", ",
		",\n    ",
		",\r\n          ",
		",                                                  ",
	} {
		var all []string
		for i := range quick.Of(5000, 1500) {
			all = append(all, various[i%len(various)], strconv.Itoa(i*i))
		}
		in := "[" + strings.Join(all, sep) + " ]"
		for way, source := range formattest.Sources {
			s := newArray(source(in))
			var floats []float64
			var offsets []int64
			for s.EnterArray(); s.Element(); {
				offsets = append(offsets, s.Offset())
				f, _ := s.Number()
				floats = append(floats, f)
				floats, offsets = s.floats(floats, offsets, 100)
			}
			if s.Err() != nil || len(floats) != len(all) || len(offsets) != len(all) {
				t.Fatalf("%s: %d floats, %v", way, len(floats), s.Err())
			}
			s = newArray(source(in))
			var texts, wantTexts []string
			slow := 0
			for s.EnterArray(); s.Element(); slow++ {
				s.Number()
				texts = append(texts, pythonNumber(string(s.Token())))
				texts = s.texts(texts, 100)
			}
			for _, text := range all {
				wantTexts = append(wantTexts, pythonNumber(text))
			}
			if !slices.Equal(texts, wantTexts) || s.Err() != nil {
				t.Fatalf("%s: %v (-want +got):\n%s", way, s.Err(), cmp.Diff(wantTexts, texts))
			}
			if way == "stream" && len(sep) < 10 && slow > len(all)/10 {
				t.Errorf("%q: %d of %d were read one by one", sep, slow, len(all))
			}
			for i, want := range all {
				f, _ := strconv.ParseFloat(want, 64)
				if floats[i] != f || math.Signbit(floats[i]) != math.Signbit(f) ||
					!strings.HasPrefix(in[offsets[i]:], want) {
					t.Fatalf("%s: number %d is %v at %d, want %s", way, i, floats[i], offsets[i], want)
				}
			}
		}
	}
}

// Errors are left to the scanner, which knows their positions.
func TestFaults(t *testing.T) {
	pad := strings.Repeat(",1", 50) + "]"
	for _, wrong := range []string{
		"01", "1.", "-", ".5", "1x", "1 2", "1e", "--1", "+1", "\"a\"", "1.5.5", "1}", "00.5",
		"-01",
	} {
		in := "[1,2," + wrong + pad
		want := check(in)
		for _, texts := range []bool{false, true} {
			s := newArray(strings.NewReader(in))
			for s.EnterArray(); s.Element(); {
				if s.Kind() != jsonscan.Number {
					s.Skip()
				} else {
					s.Number()
				}
				if texts {
					s.texts(nil, 10)
				} else {
					s.floats(nil, nil, 10)
				}
			}
			if fmt.Sprint(s.Err()) != fmt.Sprint(want) && s.Err() != nil == (want != nil) {
				t.Errorf("%s: %v, want %v", wrong, s.Err(), want)
			}
			if (s.Err() == nil) != (want == nil) {
				t.Errorf("%s: %v, want %v", wrong, s.Err(), want)
			}
		}
	}
}

// skipped reads the value ahead and returns its text, if it is a string or number.
func skipped(s *array) string {
	switch kind := s.Kind(); {
	case kind == jsonscan.Number && s.Skip():
		return pythonNumber(string(s.Token()))
	case kind == jsonscan.String && s.Skip():
		return string(s.Token())
	}
	s.Skip()
	return "?"
}

// Texts share a string, but none that is long.
func TestTextsShare(t *testing.T) {
	for _, sep := range []string{",", ", ", ",\n" + strings.Repeat(" ", 30)} {
		in := "[" + strings.Repeat("12345"+sep, 2000) + "1]"
		s := newArray(strings.NewReader(in))
		s.EnterArray()
		s.Element()
		s.Number()
		text := s.Ahead(len(in) / 2)
		spans, _ := scanNumbers(nil, text, 128)
		var texts []string
		allocs := testing.AllocsPerRun(10, func() { texts = appendTexts(texts[:0], text, spans) })
		if len(spans) == 0 || allocs > 1 {
			t.Errorf("%q: %v allocations for %d texts, want at most 1", sep, allocs, len(spans))
		}
	}
}

// After any change of one byte, all ways of reading an array find the same numbers, or the same
// error.
func TestChangedNumbers(t *testing.T) {
	pad := strings.Repeat(" ", 100)
	for _, in := range []string{
		"[12,34,56,78,91]",
		"[1.5,2.5, 3.5, 4.5, 5.5, 6.5]",
		"[1234567890, 1234567891, 1234567892]",
		"[-1.25, -1.26, -1.27]",
		"[1, 2, 3, 4]",
	} {
		for i := range in {
			for _, c := range []byte("0123456789.-+eE,]} \n\"x:;/\x00\x80\xff") {
				changed := in[:i] + string([]byte{c}) + in[i+1:] + pad
				read := func(run func(s *array) []string) string {
					s := newArray(strings.NewReader(changed))
					got := run(s)
					s.End()
					if s.Err() != nil {
						return s.Err().Error()
					}
					return strings.Join(got, " ")
				}
				want := read(func(s *array) (got []string) {
					for s.EnterArray(); s.Element(); {
						got = append(got, skipped(s))
					}
					return got
				})
				if strings.ContainsAny(changed, "\"[}") && strings.Count(changed, "[") > 1 {
					continue
				}
				for _, max := range []int{100, 2} {
					texts := read(func(s *array) (got []string) {
						for s.EnterArray(); ; {
							got = s.texts(got, max)
							if !s.Element() {
								return got
							}
							got = append(got, skipped(s))
						}
					})
					if texts != want {
						t.Errorf("%q:\none by one %s\n     texts %s", changed[:len(in)], want, texts)
					}
					floats := read(func(s *array) (got []string) {
						var f []float64
						var at []int64
						for s.EnterArray(); ; {
							n := len(f)
							f, at = s.floats(f, at, max)
							for ; n < len(f); n++ {
								text := changed[at[n]:]
								text = text[:strings.IndexAny(text, ",] \n\x00")]
								if want, err := strconv.ParseFloat(text, 64); err != nil || f[n] != want {
									t.Errorf("%q: %v at %d", changed[:len(in)], f[n], at[n])
								}
								got = append(got, pythonNumber(text))
							}
							if !s.Element() {
								return got
							}
							got = append(got, skipped(s))
						}
					})
					if floats != want {
						t.Errorf("%q:\none by one %s\n    floats %s", changed[:len(in)], want, floats)
					}
				}
			}
		}
	}
}

// check returns the scanner's error about an array.
func check(in string) error {
	s := newArray(strings.NewReader(in))
	s.Skip()
	s.End()
	return s.Err()
}
