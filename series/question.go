package series

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/traceid"
)

// A Trial is a change under review. The zero Trial is the mainline.
type Trial struct {
	Issue, Patchset string
}

// A Question says which measurements are asked for. The zero Question asks for all of the mainline.
// The [Answer] says which params are not part of the identity of a series.
type Question struct {
	// Queries must all select the params of a measurement. They are compared in canonical form.
	Queries []*traceid.Query

	// Trial is the change under review whose measurements are asked for.
	Trial Trial

	// Commits are the names of commits, or the beginnings of their hashes, if only the values at
	// these are asked for. The values of each are a side of the answer; the first side is Old.
	Commits []string

	// First and Until are the first and the last commit that are asked for, or the beginnings of their
	// hashes. Earlier and later ones are left out. Each may be empty.
	First, Until string

	// Last is how many of the last commits are asked for, of a source that knows their order. 0 means
	// all.
	Last int
}

// The sides of an answer.
const (
	Old = 0 // the history, or the set that is compared with
	New = 1
)

// A Source has measurements: a file that is read, or a database that looks them up.
type Source interface {
	// Ask adds the measurements that a question asks for to an answer. It may leave it to the answer
	// to drop others.
	Ask(ctx context.Context, q *Question, to *Answer) error
}

// Records is a Source of the records of one file, whose Reader it reads once.
type Records struct {
	Name      string // of the run
	IsHistory bool   // the file defines the order of its commits: see [format.Format]
	All       iter.Seq2[*format.Record, error]
}

// Ask adds the records. It reads on after errors that a Reader reads on after, and returns the first of these
// at the end, if no other ends the reading: the answer has the other records.
func (r *Records) Ask(_ context.Context, _ *Question, to *Answer) error {
	to.Begin(r.Name)
	if r.IsHistory {
		to.History()
	}
	var first error
	for rec, err := range r.All {
		if err == nil {
			err = to.Add(rec, -1)
		}
		if err == nil {
			continue
		}
		fault, ok := errors.AsType[*format.Error](err)
		if !errors.Is(err, ErrNoIdentity) && !(ok && fault.Severity == format.Recoverable) {
			return err
		}
		first = cmp.Or(first, err)
	}
	return first
}

// maxListed is the number of values of a param up to which a query lists them.
const maxListed = 300

// Shared returns the query of the params that all series with values of a side share, and the query
// that also lists the values of other params that each of them has. With the first, a database
// finds series that belong together, such as all series of a machine, and with the second, few
// series except these. Keys that the answer leaves out are not in the queries.
func (a *Answer) Shared(side int, without ...string) (shared, listed *traceid.Query, err error) {
	values := make(map[string]map[string]int) // the series with each value, by the key
	n := 0
	for _, s := range a.values.all {
		if !s.Has(side) {
			continue
		}
		n++
		for _, p := range a.placer.Charset.Canonical(s.Identity) {
			if values[p.Key] == nil {
				values[p.Key] = make(map[string]int)
			}
			values[p.Key][p.Value]++
		}
	}
	for _, key := range without {
		delete(values, string(a.placer.Charset.AppendString(nil, key)))
	}

	var all, one []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		sum, isPlain := 0, true // a query would take the first character for an operator
		for value, count := range values[key] {
			sum += count
			isPlain = isPlain && !strings.ContainsAny(value[:1], "!~*")
		}
		if sum < n || !isPlain || len(values[key]) > maxListed {
			continue
		}

		for _, value := range slices.Sorted(maps.Keys(values[key])) {
			term := url.QueryEscape(key) + "=" + url.QueryEscape(value)
			all = append(all, term)
			if len(values[key]) == 1 {
				one = append(one, term)
			}
		}
	}
	if shared, err = traceid.ParseQuery(strings.Join(one, "&")); err != nil {
		return nil, nil, err
	}
	listed, err = traceid.ParseQuery(strings.Join(all, "&"))
	return shared, listed, err
}
