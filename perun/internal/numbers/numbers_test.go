package numbers_test

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/formattest"
	"perfdata/internal/jsonscan"
	"perfdata/perun/internal/numbers"
)

// An array is an array whose unusual elements a scanner reads.
type array struct {
	*jsonscan.Scanner
	numbers.Array
}

func newArray(in io.Reader) *array {
	return &array{Scanner: jsonscan.New(in, "in", format.Limits{}.WithDefaults())}
}

func (a *array) floats(dst []float64, offsets []int64, max int) ([]float64, []int64) {
	before := len(dst)
	dst, offsets, n := a.Array.Floats(dst, offsets, a.Ahead(0), a.Offset(), max)
	a.Take(n, len(dst)-before)
	return dst, offsets
}

func (a *array) texts(dst []byte, ends []uint32, max int) ([]byte, []uint32) {
	before := len(ends)
	dst, ends, n := a.Array.Texts(dst, ends, a.Ahead(0), max)
	a.Take(n, len(ends)-before)
	return dst, ends
}

// strided returns copies of the texts, because the scanner overwrites them.
func (a *array) strided(max int) (texts []string) {
	t, n := a.Array.Strided(a.Ahead(max*numbers.MaxStrided+numbers.Longest), max)
	for i := range t.Count {
		texts = append(texts, string(t.Text[t.First+i*t.Step:][:t.Length]))
	}
	a.Take(n, t.Count)
	return texts
}

// Floats and Texts read the same numbers as the scanner.
func TestNumbers(t *testing.T) {
	numbers := []string{
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
		for i := range 5000 {
			all = append(all, numbers[i%len(numbers)], strconv.Itoa(i*i))
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
			var text []byte
			var ends []uint32
			slow := 0
			for s.EnterArray(); s.Element(); slow++ {
				s.Number()
				text = append(text, s.Token()...)
				ends = append(ends, uint32(len(text)))
				text, ends = s.texts(text, ends, 100)
			}
			if s.Err() != nil || string(text) != strings.Join(all, "") || len(ends) != len(all) {
				t.Fatalf("%s: %d texts, %v", way, len(ends), s.Err())
			}
			if way == "stream" && len(sep) < 10 && slow > len(all)*2/3 {
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
					s.texts(nil, nil, 10)
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
	if s.Kind() > jsonscan.Bool && s.Kind() < jsonscan.Array && s.Skip() {
		return string(s.Token())
	}
	s.Skip()
	return "?"
}

// readStrided reads an array with Strided, and the elements that it does not take one by one.
func readStrided(s *array, max int) (texts []string, strided int) {
	for s.EnterArray(); ; {
		some := s.strided(max)
		texts = append(texts, some...)
		strided += len(some)
		if !s.Element() {
			return texts, strided
		}
		texts = append(texts, skipped(s))
	}
}

// Strided takes numbers that have the same length, a point at the same place, and the form in
// which Python writes them. It takes all or none.
func TestStrided(t *testing.T) {
	for _, test := range []struct {
		item func(i int) string
		even bool
	}{
		{func(i int) string { return strconv.Itoa(i % 10) }, true},
		{func(i int) string { return "0" }, true},
		{func(i int) string { return strconv.Itoa(1000 + i) }, true},
		{func(i int) string { return strconv.Itoa(-1000 - i) }, true},
		{func(i int) string { return strconv.Itoa(12345670 + i) }, true},
		{func(i int) string { return strconv.FormatInt(1234567890123456+int64(i), 10) }, true},
		{func(i int) string { return fmt.Sprintf("%d.%d", 1000+i, 1+i%9) }, true},
		{func(i int) string { return fmt.Sprintf("%d.0", 1000+i) }, true},
		{func(i int) string { return fmt.Sprintf("1.%d%d", i%10, 1+i%9) }, true},
		{func(i int) string { return fmt.Sprintf("1.%d%d", i%10, i%10) }, false}, // 1.10
		{func(i int) string { return strconv.Itoa(5 + i*i) }, false},
		{func(i int) string { return fmt.Sprintf("%de5", 100+i) }, false},
		{func(i int) string { return strconv.Itoa(1+i%9) + strings.Repeat("1", 30) }, false},
	} {
		for _, sep := range []string{",", ", ", ",\n  "} {
			var all []string
			for i := range 333 {
				all = append(all, test.item(i))
			}
			in := "[" + strings.Join(all, sep) + " ]" + strings.Repeat(" ", 100)
			for way, source := range formattest.Sources {
				s := newArray(source(in))
				got, even := readStrided(s, 110)
				if diff := cmp.Diff(all, got); diff != "" || !s.End() {
					t.Errorf("%s, %s: %v (-want +got):\n%s", all[0], way, s.Err(), diff)
				}
				if way == "stream" && even > 300 != test.even {
					t.Errorf("%s, %q: %d were even", all[0], sep, even)
				}
			}
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
				// With 2 at a time, the numbers before are often known.
				for _, max := range []int{100, 2} {
					even := read(func(s *array) []string { got, _ := readStrided(s, max); return got })
					texts := read(func(s *array) (got []string) {
						var b []byte
						ends := []uint32{0}
						for s.EnterArray(); ; {
							n := len(ends)
							b, ends = s.texts(b, ends, max)
							for ; n < len(ends); n++ {
								got = append(got, string(b[ends[n-1]:ends[n]]))
							}
							if !s.Element() {
								return got
							}
							got = append(got, skipped(s))
						}
					})
					if even != want || texts != want {
						t.Errorf("%q:\none by one %s\n      even %s\n     texts %s", changed[:len(in)], want,
							even, texts)
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
								got = append(got, text)
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
