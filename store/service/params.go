package service

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"perfdata/internal/hint"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/store"
	"perfdata/traceid"
)

// maxQueryParams is the number of parameters that are looked at. Each takes more memory than it has text.
const maxQueryParams = 100

// checkParams returns the fault of the parameters of a request. Each must be one that the handler
// knows, once: ignoring a parameter would lose its meaning.
func checkParams(known []string, r *http.Request) error {
	// The text is looked at before it is parsed, which takes the memory.
	if strings.Count(r.URL.RawQuery, "&") > maxQueryParams {
		return fmt.Errorf("the query of the URL has more than %d parameters", maxQueryParams)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fmt.Errorf("the query of the URL: %w", err)
	}
	for name, values := range query {
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			return fmt.Errorf("unknown parameter %q: want none", name)
		case !slices.Contains(known, name):
			return fmt.Errorf("unknown parameter %q: want any of %s", name, strings.Join(known, ", "))
		case len(values) > 1:
			return fmt.Errorf("parameter %q is given %d times: want it once", name, len(values))
		}
	}
	return nil
}

// params are the parameters of a request. The values that are read after a fault do not matter, so
// that a handler reads all, and looks for a fault once.
type params struct {
	url.Values
	err error // of the first fault
}

func paramsOf(r *http.Request) *params { return &params{Values: r.URL.Query()} }

// refuse notes a fault, and fault that of a parameter.
func (p *params) refuse(err error) {
	p.err = cmp.Or(p.err, badRequest(err))
}

func (p *params) fault(name string, err error) { p.refuse(fmt.Errorf("%s: %w", name, err)) }

// query returns the query of package traceid.
func (p *params) query() *traceid.Query {
	q, err := hint.ParseQuery(p.Get("q"))
	if err != nil {
		p.fault("q", err)
	}
	return q
}

// trial returns the change under review.
func (p *params) trial() store.Trial {
	return store.Trial{Issue: p.Get("issue"), Patchset: p.Get("patchset")}
}

// question returns which series are asked for, between which commits, and of which trial.
func (p *params) question() *series.Question {
	return &series.Question{
		Queries: []*traceid.Query{p.query()}, Trial: p.trial(), First: p.Get("first"), Until: p.Get("last"),
	}
}

// options returns the options of a comparison, by threshold and alpha. With a threshold of 0, all
// differences are large enough; with an alpha of 0, none would be significant.
func (p *params) options() compare.Options {
	options := compare.DefaultOptions()
	share := func(name string, value *float64) {
		text := p.Get(name)
		if text == "" {
			return
		}
		var err error
		// For NaN, the comparisons are false.
		if *value, err = strconv.ParseFloat(text, 64); err != nil || !(*value >= 0 && *value < 1) {
			p.fault(name, errors.New("want a share such as 0.05"))
		}
	}
	share("threshold", &options.Threshold)
	if share("alpha", &options.Alpha); options.Alpha == 0 {
		p.fault("alpha", errors.New("want a share such as 0.05"))
	}
	return options
}

// time returns a time as in RFC 3339, or zero if there is none.
func (p *params) time(name string) (t time.Time) {
	if text := p.Get(name); text != "" {
		var err error
		if t, err = time.Parse(time.RFC3339, text); err != nil {
			p.fault(name, err)
		}
	}
	return t
}

// number returns a number of a range.
func (p *params) number(name string, least, most int, want string) int {
	n, err := strconv.Atoi(p.Get(name))
	if err != nil || n < least || n > most {
		p.fault(name, errors.New("want "+want))
	}
	return n
}

// isSet reports whether a parameter is 1. It may be 0 or missing.
func (p *params) isSet(name string) bool { return p.Has(name) && p.number(name, 0, 1, "1 or 0") == 1 }

// limit returns the limit of an answer, or the default.
func (p *params) limit(limit, most int) int {
	if p.Get("limit") == "" {
		return limit
	}
	return p.number("limit", 1, most, fmt.Sprint("a number from 1 to ", most))
}

// index returns an index of n things.
func (p *params) index(name string, n int) int {
	return p.number(name, 0, n-1, fmt.Sprint("a number under ", n))
}

// checkUpload returns the fault of the parameters and the key of an upload.
func checkUpload(query url.Values, key string) error {
	for _, param := range []struct{ name, value string }{
		{"name", query.Get("name")}, {"format", query.Get("format")}, {"commit", query.Get("commit")},
		{"run", query.Get("run")}, {"replaces", query.Get("replaces")}, {idempotencyKey, key},
	} {
		if !isShort(param.value) {
			return fmt.Errorf("%s: want at most %d bytes without control characters", param.name, maxName)
		}
		// As that of a command that failed: ?commit=$(git rev-parse HEAD).
		if query.Has(param.name) && param.value == "" {
			return fmt.Errorf("%s is empty: want a value, or leave it out", param.name)
		}
	}
	return nil
}

// isShort reports whether a text is not too long, and has no control characters.
func isShort(text string) bool {
	return len(text) <= maxName && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
