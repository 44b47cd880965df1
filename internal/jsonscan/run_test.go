package jsonscan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Floats and NumberTexts read what Number reads, as far as they go.
func TestRuns(t *testing.T) {
	numbers := []string{"0", "7", "-1", "12345678", "123456789", "1234567890123456", "0.5", "10.25", "-0.125", "1.5e3", "1E2", "-0", "99999999.9999999",
		"100.0", "1.50", "0.0001", "0.00001", "12345678.12345678", "123456789012345678901234567890", "1.0", "-12.5", "18446744073709551616"}
	for _, sep := range []string{",", ", ", ",\n    ", ",\r\n          ", ",                                                  "} {
		var all []string
		for i := range 5000 {
			all = append(all, numbers[i%len(numbers)], strconv.Itoa(i*i))
		}
		in := "[" + strings.Join(all, sep) + " ]"
		for way, reader := range ways {
			s := newScanner(reader([]byte(in)))
			var floats []float64
			var offsets []int64
			for s.EnterArray(); s.Element(); {
				offsets = append(offsets, s.Offset())
				f, _ := s.Number()
				floats = append(floats, f)
				floats, offsets = s.Floats(floats, offsets, 100)
			}
			if s.Err() != nil || len(floats) != len(all) || len(offsets) != len(all) {
				t.Fatalf("%s: %d floats, %v", way, len(floats), s.Err())
			}
			s = newScanner(reader([]byte(in)))
			var text []byte
			var ends []uint32
			slow := 0
			for s.EnterArray(); s.Element(); slow++ {
				s.Number()
				text = append(text, s.Token()...)
				ends = append(ends, uint32(len(text)))
				text, ends = s.NumberTexts(text, ends, 100)
			}
			if s.Err() != nil || string(text) != strings.Join(all, "") || len(ends) != len(all) {
				t.Fatalf("%s: %d texts, %v", way, len(ends), s.Err())
			}
			if way == "whole" && len(sep) < 10 && slow > len(all)*2/3 {
				t.Errorf("%q: %d of %d were read one by one", sep, slow, len(all))
			}
			for i, want := range all {
				f, _ := strconv.ParseFloat(want, 64)
				if floats[i] != f || math.Signbit(floats[i]) != math.Signbit(f) || !strings.HasPrefix(in[offsets[i]:], want) {
					t.Fatalf("%s: number %d is %v at %d, want %s", way, i, floats[i], offsets[i], want)
				}
			}
		}
	}
}

// They leave what is wrong to be found by Element and Number, with its place.
func TestRunsErrors(t *testing.T) {
	pad := strings.Repeat(",1", 50) + "]"
	for _, wrong := range []string{"01", "1.", "-", ".5", "1x", "1 2", "1e", "--1", "+1", "\"a\"", "1.5.5", "1}", "00.5", "-01"} {
		in := "[1,2," + wrong + pad
		want := check(strings.NewReader(in))
		for _, texts := range []bool{false, true} {
			s := newScanner(strings.NewReader(in))
			for s.EnterArray(); s.Element(); {
				if s.Kind() != Number {
					s.Skip()
				} else {
					s.Number()
				}
				if texts {
					s.NumberTexts(nil, nil, 10)
				} else {
					s.Floats(nil, nil, 10)
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
func skipped(s *Scanner) string {
	if s.Kind() > Bool && s.Kind() < Array && s.Skip() {
		return string(s.Token())
	}
	s.Skip()
	return "?"
}

// readEven reads an array with EvenNumbers where it can, else one by one.
func readEven(s *Scanner, max int) (texts []string, even int) {
	for s.EnterArray(); ; {
		if e, ok := s.EvenNumbers(max); ok {
			for i := range e.Count {
				texts = append(texts, string(e.Text[e.First+i*e.Step:][:e.Length]))
			}
			even += e.Count
		}
		if !s.Element() {
			return texts, even
		}
		texts = append(texts, skipped(s))
	}
}

// EvenNumbers takes numbers that are as long as one another, with the point at the same place, and in a text that Python
// would write; all of them or none.
func TestEvenNumbers(t *testing.T) {
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
			for way, reader := range ways {
				s := newScanner(reader([]byte(in)))
				got, even := readEven(s, 110)
				if diff := cmp.Diff(all, got); diff != "" || !s.End() {
					t.Errorf("%s, %s: %v (-want +got):\n%s", all[0], way, s.Err(), diff)
				}
				if way == "whole" && even > 300 != test.even {
					t.Errorf("%s, %q: %d were even", all[0], sep, even)
				}
			}
		}
	}
}

// Whatever a byte is changed to, the ways of reading an array find the same numbers in it, or the same fault.
func TestChangedNumbers(t *testing.T) {
	pad := strings.Repeat(" ", 100)
	for _, in := range []string{"[12,34,56,78,91]", "[1.5,2.5, 3.5, 4.5, 5.5, 6.5]", "[1234567890, 1234567891, 1234567892]", "[-1.25, -1.26, -1.27]", "[1, 2, 3, 4]"} {
		for i := range in {
			for _, c := range []byte("0123456789.-+eE,]} \n\"x:;/\x00\x80\xff") {
				changed := in[:i] + string([]byte{c}) + in[i+1:] + pad
				read := func(run func(s *Scanner) []string) string {
					s := newScanner(strings.NewReader(changed))
					got := run(s)
					s.End()
					if s.Err() != nil {
						return s.Err().Error()
					}
					return strings.Join(got, " ")
				}
				want := read(func(s *Scanner) (got []string) {
					for s.EnterArray(); s.Element(); {
						got = append(got, skipped(s))
					}
					return got
				})
				if strings.ContainsAny(changed, "\"[}") && strings.Count(changed, "[") > 1 {
					continue
				}
				// Two at a time: then there is often something that is known of the numbers before.
				for _, max := range []int{100, 2} {
					even := read(func(s *Scanner) []string { got, _ := readEven(s, max); return got })
					texts := read(func(s *Scanner) (got []string) {
						var b []byte
						ends := []uint32{0}
						for s.EnterArray(); ; {
							n := len(ends)
							b, ends = s.NumberTexts(b, ends, max)
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
						t.Errorf("%q:\none by one %s\n      even %s\n     texts %s", changed[:len(in)], want, even, texts)
					}
					floats := read(func(s *Scanner) (got []string) {
						var f []float64
						var at []int64
						for s.EnterArray(); ; {
							n := len(f)
							f, at = s.Floats(f, at, max)
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
