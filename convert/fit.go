package convert

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"perfdata/traceid"
)

// with returns the params with another value of the key, in the memory of room.
func with(room *[]traceid.Param, p traceid.Params, key, value string) traceid.Params {
	i, has := p.Find(key)
	if has && p[i].Value == value {
		return p
	}
	*room = append(append((*room)[:0], p[:i]...), traceid.Param{Key: key, Value: value})
	if has {
		i++
	}
	*room = append(*room, p[i:]...)
	return *room
}

// validPair returns a pair with _ in place of bytes that are not UTF-8.
func validPair(p traceid.Param) traceid.Param {
	if utf8.ValidString(p.Key) && utf8.ValidString(p.Value) {
		return p
	}
	return traceid.Param{Key: strings.ToValidUTF8(p.Key, "_"), Value: strings.ToValidUTF8(p.Value, "_")}
}

// mapPairs returns the pairs that fit makes of pairs, sorted, and counts the pairs that it
// changes. If a changed key exists already, _ is appended to it.
func mapPairs(out *sink, pairs traceid.Params, fit func(traceid.Param) traceid.Param) traceid.Params {
	// Usually, all fit.
	i := 0
	for i < len(pairs) && fit(pairs[i]) == pairs[i] {
		i++
	}
	if i == len(pairs) && pairs.CheckSorted() == nil {
		return pairs
	}

	fitted := pairs.Clone()
	sameKeys := pairs.CheckSorted() == nil
	for j := range fitted[i:] {
		p, q := pairs[i+j], &fitted[i+j]
		if *q = fit(p); *q != p {
			out.count(changedCharacters, p.Key)
			sameKeys = sameKeys && q.Key == p.Key
		}
	}
	if sameKeys {
		return fitted
	}

	used := make(map[string]bool, len(pairs))
	for i, p := range pairs {
		used[p.Key] = used[p.Key] || fitted[i].Key == p.Key
	}
	for i := range fitted {
		if q := &fitted[i]; q.Key != pairs[i].Key {
			for used[q.Key] {
				q.Key += "_"
			}
			used[q.Key] = true
		}
	}
	return traceid.FromPairs(fitted...)
}

// maxName is how long a name is that is made of the values of params. The readers of the formats
// refuse strings and lines of more than 1 MiB.
const maxName = 64 << 10

// cutName returns a name that is short enough. A hash tells names apart that begin with the same text.
func cutName(name string) string {
	if len(name) <= maxName {
		return name
	}
	hash := sha256.Sum256([]byte(name))
	return strings.ToValidUTF8(name[:maxName-2*len(hash)], "") + hex.EncodeToString(hash[:])
}
