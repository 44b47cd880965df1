package traceid_test

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"testing"

	"perfdata/internal/testing/quick"
	"perfdata/traceid"
)

// parseExpr returns the query that matches an expression with the values of key a.
func parseExpr(expr string) (*traceid.Query, error) {
	return traceid.ParseQuery("a=~" + url.QueryEscape(expr))
}

// A query matches its expressions as package regexp does, for values of all lengths.
func TestExpressions(t *testing.T) {
	long := strings.Repeat("v", 400)
	for _, test := range []struct {
		name, expr string
		values     []string
	}{
		{"many instructions", "(?:v?){400}v{80}$", []string{long, "0" + long, long + "0", long[:79], long[:80]}},
		{"both ends", "^v+$", []string{long, long + "x", "x" + long}},
		{"the beginning of some alternatives", "^x|y$", []string{"x" + long, long + "x", long + "y", "y" + long}},
		{"lines", "(?m)^x$", []string{long + "\nx", long + "\nx\n" + long, long + "\nxx"}},
		{"the end of the text, not of a line", "x$", []string{long + "x\n", long + "x"}},
		{"words", `\bx\b`, []string{long + "x", long + " x", long + " x " + long, long + ".x", long + "_x", "x " + long}},
		{"no words", `\Bx\B`, []string{long + "x" + long, long + "x", long + " x"}},
		{"letters of any case", "(?i)straße", []string{long + "STRAßE", long + "strasse", long + "ſtraße"}},
		{"any character", "^.{400}x.$", []string{long + "xé", long + "x\n", long + "x\xff", long + "x\xff\xff"}},
		{"also line ends", "(?s)^.{400}x.$", []string{long + "x\n"}},
		{"characters that are not ASCII", "[à-é]µ", []string{long + "éµ", long + "êµ"}},
		{"nothing", `[^\x00-\x{10FFFF}]`, []string{long}},
		{"empty", "", []string{long, ""}},
		{"classes", "[0-4].{80}v$", []string{"3" + long[:81], "7" + long[:81], strings.Repeat("48x", 200) + "v"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			q, err := parseExpr(test.expr)
			if err != nil {
				t.Fatal(err)
			}
			re := regexp.MustCompile(test.expr)
			for range 2 { // the second time, with the cache
				for _, value := range test.values {
					got, err := q.Match(traceid.Of("a", value))
					if want := re.MatchString(value); got != want || err != nil {
						t.Errorf("%q: %v, %v, want %v", value, got, err, want)
					}
				}
			}
		})
	}
}

// Values of any text lead to more states than an automaton keeps.
func TestForgottenStates(t *testing.T) {
	const expr = "(?:0.{30}|1.{40})1$"
	q, err := parseExpr(expr)
	if err != nil {
		t.Fatal(err)
	}
	re := regexp.MustCompile(expr)
	matched := 0
	n := quick.Of(2000, 700)
	for i := range n {
		value := fmt.Sprintf("%064b", uint64(i)*0x9E3779B97F4A7C15)
		got, err := q.Match(traceid.Of("a", value))
		if want := re.MatchString(value); got != want || err != nil {
			t.Fatalf("%s: %v, %v, want %v", value, got, err, want)
		}
		if got {
			matched++
		}
	}
	if matched < n/4 || matched > n*3/4 {
		t.Errorf("%d of %d values matched", matched, n)
	}
}

// Several goroutines may use a query.
func TestQueryGoroutines(t *testing.T) {
	q, err := parseExpr("(?:v?){100}x")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			for j := range 100 {
				value := strings.Repeat("v", 100+i*j) + [...]string{"", "x"}[j%2]
				if got, err := q.Match(traceid.Of("a", value)); got != (j%2 == 1) || err != nil {
					t.Errorf("%s: %v, %v", value, got, err)
				}
			}
		})
	}
	running.Wait()
}

// T3: the expressions of a query are limited.
func TestT3(t *testing.T) {
	for _, test := range []struct {
		name, query, want string // of the error
	}{
		{"length", "a=~" + strings.Repeat("x", 4096), ""},
		{"a greater length", "a=~" + strings.Repeat("x", 4097),
			`key "a": regular expression "` + strings.Repeat("x", 60) + `": limit exceeded: want at most 4096 bytes`},
		{"a greater length in all", "a=~" + strings.Repeat("x", 4000) + "&b=!~" + strings.Repeat("y", 97),
			`key "b": regular expression "` + strings.Repeat("y", 60) + `": limit exceeded: want at most 4096 bytes`},
		{"values have no such limit", strings.Repeat("a=value&", 5000), ""},
		{"instructions", "a=~" + strings.Repeat("x{999}y", 9) + "x{998}", ""},
		{"more instructions", "a=~" + strings.Repeat("x{999}y", 9) + "x{999}",
			`key "a": regular expression "x{999}yx{999}yx{999}yx{999}yx{999}yx{999}yx{999}yx{999}yx{99": limit exceeded: want at most 10000 instructions`},
		{"more instructions in all", "a=~" + strings.Repeat("x{999}y", 9) + "&a=~[^x]{998}&b=~x",
			`key "a": regular expression "[^x]{998}": limit exceeded: want at most 10000 instructions`},
		{"instructions of repeated parts", "a=~" + strings.Repeat("(?:a.){999}", 5), ""},
		{"more instructions than were estimated", "a=~(?:x?){1000}" + strings.Repeat("|(y?){1000}", 4),
			`limit exceeded: want at most 10000 instructions`},
		{"many long loops", "a=~" + strings.Repeat(`\pL{1000}.`, 400),
			`": limit exceeded: want at most 10000 instructions`},
	} {
		t.Run(test.name, func(t *testing.T) {
			q, err := traceid.ParseQuery(test.query)
			if test.want == "" {
				if err != nil || (q.Instructions() > 0) != strings.Contains(test.query, "~") {
					t.Errorf("%v; %d instructions", err, q.Instructions())
				}
				return
			}
			if err == nil || !errors.Is(err, traceid.ErrLimit) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %.200v, want ErrLimit with %s", err, test.want)
			} else if len(err.Error()) > 1000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// The instructions times the bytes of a value are limited. A greater product is an error, and
// selects nothing.
func TestMatchLimit(t *testing.T) {
	const expr = "x{98}" // has 100 instructions
	q, err := parseExpr(expr)
	if err != nil {
		t.Fatal(err)
	}
	value := strings.Repeat("v", 100_000)
	if got, err := q.Match(traceid.Of("a", value)); got || err != nil {
		t.Errorf("100,000 bytes: %v, %v", got, err)
	}

	want := `regular expression "x{98}": limit exceeded: 100 instructions and a value of 100001 bytes: ` +
		`want a product of at most 10000000`
	id := ",a=" + value + "v,"
	for _, q := range []*traceid.Query{q, q.Canonical()} {
		if got, err := q.MatchID(id); got || !errors.Is(err, traceid.ErrLimit) || err.Error() != want {
			t.Errorf("100,001 bytes: %v, %v, want %s", got, err, want)
		}
	}

	// An exclusion that cannot be decided does not select.
	q, err = traceid.ParseQuery("a=!~" + expr)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := q.MatchID(id); got || !errors.Is(err, traceid.ErrLimit) {
		t.Errorf("exclusion: %v, %v", got, err)
	}
}

// FuzzExpression compares with package regexp. The value is repeated, so that it is long.
func FuzzExpression(f *testing.F) {
	f.Add("(?:v?){40}v{8}$", "v0")
	f.Add(`(?im)^\w+\b|[^a]\B.$`, "ab cé\n")
	f.Add(`\x{fffd}`, "a\xffb")
	f.Add(`(?s)(a|b*c){3,7}?\z`, "abc")
	f.Fuzz(func(t *testing.T, expr, value string) {
		q, err := parseExpr(expr)
		parsed, wantErr := syntax.Parse(expr, syntax.Perl)
		if err != nil && wantErr == nil && !errors.Is(err, traceid.ErrLimit) || err == nil && wantErr != nil {
			t.Fatalf("%q: %v, want %v", expr, err, wantErr)
		}
		if err != nil || len(parsed.String()) > 1000 || len(value) > 1000 {
			return
		}

		re := regexp.MustCompile(expr)
		value += strings.Repeat(value, 1+400/(1+len(value)))
		got, err := q.Match(traceid.Of("a", value))
		if want := re.MatchString(value); err == nil && got != want {
			t.Errorf("%q, %q: %v, want %v", expr, value, got, want)
		}
	})
}
