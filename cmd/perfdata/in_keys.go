package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/hint"
	"perfdata/store"
)

// A key of a flag that no measurement has is likely a typo: a table would have an empty column, or
// series would not be put together, without a word.

// namedKeys are the keys of params that flags name, such as --columns, until a measurement has
// them.
type namedKeys struct {
	absent []namedKey
	seen   bool            // there was a measurement
	params map[string]bool // the keys of measurements, for suggestions
	attrs  map[string]bool // the same for attrs, which --promote names
}

// A namedKey is a key, and the name of the flag that names it.
type namedKey struct{ flag, key string }

// The flag that names attrs. It is looked up among params, because the measurement has the param
// when it is looked at.
const promoteFlag = "promote"

// add adds the keys that a flag names.
func (n *namedKeys) add(flag string, keys []string) {
	for _, key := range keys {
		n.absent = append(n.absent, namedKey{flag, key})
	}
	if n.params == nil {
		n.params, n.attrs = make(map[string]bool), make(map[string]bool)
	}
}

// isMissing reports whether no measurement yet has some key.
func (n *namedKeys) isMissing() bool { return len(n.absent) > 0 }

// look forgets the keys that a measurement has. While keys are left, it keeps its keys, which may
// have been meant.
func (n *namedKeys) look(rec *format.Record) {
	if !n.isMissing() {
		return
	}
	n.seen = true
	n.absent = slices.DeleteFunc(n.absent, func(named namedKey) bool {
		_, ok := rec.Params.Get(named.key)
		return ok
	})
	if !n.isMissing() {
		return
	}
	for _, p := range rec.Params {
		keep(n.params, p.Key)
	}
	for _, p := range rec.Attrs {
		keep(n.attrs, p.Key)
	}
}

// keep adds a key or value that the user may have meant. Their number is bounded, because a file may
// have any number of them; a copy is kept, because the word of a record is a part of a large buffer.
func keep(words map[string]bool, word string) {
	if len(words) < hint.MaxWords && !words[word] {
		words[strings.Clone(word)] = true
	}
}

// reportKeys reports each key that no measurement has, with a similar key that exists.
func (t *tool) reportKeys(n *namedKeys) {
	if !n.seen {
		return // and there is none
	}
	for _, named := range n.absent {
		// The keys of series are all params, so the commands that judge set attrs to nil.
		known, plural := n.params, "params"
		if named.flag == promoteFlag && n.attrs != nil {
			known, plural = n.attrs, "attrs"
		}
		meant := hint.DidYouMeanOr(named.key, slices.Sorted(maps.Keys(known)), plural)
		t.report(fmt.Errorf("--%s: no measurement has a param %s%s", named.flag, named.key, meant))
	}
}

// reportStoreKeys is reportKeys for a part of a store: others of its traces may have the keys.
func (t *tool) reportStoreKeys(ctx context.Context, s *store.Store, trial store.Trial, flags *tableFlags) error {
	n := &flags.named
	if !n.isMissing() {
		return nil
	}
	// This is slow for a large store, but is needed only if a key is missing.
	set, err := s.ParamSet(ctx, trial)
	if err != nil {
		return err
	}
	for key := range set.All() {
		keep(n.params, key)
		n.absent = slices.DeleteFunc(n.absent, func(named namedKey) bool { return named.key == key })
	}
	t.reportKeys(n)
	return nil
}
