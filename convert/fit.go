package convert

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/traceid"
)

// outOfFloat32 is the reason for leaving out a measurement that Skia Perf cannot store.
const outOfFloat32 = "out of the range of float32"

// cannotHold is the reason for leaving out a number that JSON does not have.
func cannotHold(f float64) string { return "JSON cannot hold " + strconv.FormatFloat(f, 'g', -1, 64) }

// validPairs reports whether all of the pairs are UTF-8.
func validPairs(pairs traceid.Params) bool {
	return !slices.ContainsFunc(pairs, func(p traceid.Param) bool {
		return !utf8.ValidString(p.Key) || !utf8.ValidString(p.Value)
	})
}

// validText returns pairs with _ in place of bytes that are not UTF-8.
func validText(out *sink, rec *format.Record, pairs traceid.Params) traceid.Params {
	return mapPairs(out, rec, pairs, func(p traceid.Param) traceid.Param {
		return traceid.Param{Key: strings.ToValidUTF8(p.Key, "_"), Value: strings.ToValidUTF8(p.Value, "_")}
	})
}

// mapPairs returns the pairs that fit makes of pairs, sorted, and counts those that it changes.
// Where a changed key is one that is there, _ is appended to it.
func mapPairs(
	out *sink, rec *format.Record, pairs traceid.Params, fit func(traceid.Param) traceid.Param,
) traceid.Params {
	if len(pairs) == 0 {
		return nil
	}

	// Usually, all fit.
	var fitted []traceid.Param
	for i, p := range pairs {
		q := fit(p)
		if fitted == nil && q != p {
			fitted = append(make([]traceid.Param, 0, len(pairs)), pairs[:i]...)
		}
		if fitted != nil {
			fitted = append(fitted, q)
		}
	}

	switch {
	case fitted == nil && pairs.Sorted():
		return pairs
	case fitted == nil:
		return traceid.FromPairs(pairs...)
	}

	used := make(map[string]bool, len(pairs))
	for i, p := range pairs {
		if fitted[i].Key == p.Key {
			used[p.Key] = true
		}
	}

	for i, p := range pairs {
		q := &fitted[i]
		if q.Key != p.Key {
			for used[q.Key] {
				q.Key += "_"
			}
			used[q.Key] = true
		}
		if *q != p {
			out.count(ChangedCharacters, p.Key, pairOf(p.Key, p.Value, rec))
		}
	}
	return traceid.FromPairs(fitted...)
}

// maxName is how long a name is that is made of the values of params. The readers of the formats
// refuse strings and lines of more than 1 MiB.
const maxName = 64 << 10

// cutName returns a name that is short enough.
func cutName(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "")
}
