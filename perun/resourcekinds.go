package perun

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"perfdata/internal/jsonenc"
)

// maxKinds is the largest number of kinds of resources that are remembered.
const maxKinds = 1 << 20

// resourceKinds finds the resources of a snapshot that Perun cannot read together. Perun makes one
// resource type of the resources that are equal in all fields that are not collected. If such a
// resource lacks a collected field that the first one has, Perun loses values; if it has another
// collected field, Perun fails.
type resourceKinds struct {
	collected map[uint64]collectedSet // by the hash of the other fields
	own       Fields                  // scratch
	text      []byte                  // scratch
}

// A collectedSet is a set of collected fields: the bits of their indices in collectable.
type collectedSet uint8

// reset begins another snapshot.
func (k *resourceKinds) reset() {
	if len(k.collected) > 1000 {
		k.collected = nil // clearing it would take long for each small snapshot that follows
	}
	clear(k.collected)
}

// add remembers a resource. It returns why the resource cannot be in the same snapshot as an
// earlier one, and then remembers nothing.
func (k *resourceKinds) add(fields Fields) error {
	set := collectedSet(0)
	k.own = k.own[:0]
	for _, f := range fields {
		if i := collectableIndex(f.Key); i >= 0 {
			set |= 1 << i
		} else {
			k.own = append(k.own, f)
		}
	}
	slices.SortFunc(k.own, func(a, b Field) int { return strings.Compare(a.Key, b.Key) })

	k.text = k.text[:0]
	for i := range k.own {
		k.text = append(jsonenc.AppendString(k.text, k.own[i].Key), ':')
		k.text = k.own[i].Value.AppendKey(k.text)
	}
	h := fnv.New64a()
	h.Write(k.text)
	hash := h.Sum64()

	have, ok := k.collected[hash]
	switch {
	case ok && have != set:
		return fmt.Errorf("resource: it has the collected fields %s, but an earlier one of its snapshot that is equal "+
			"in all others has %s, and Perun loses or refuses such resources: use LayoutTypes", set, have)
	case !ok && len(k.collected) < maxKinds:
		if k.collected == nil {
			k.collected = map[uint64]collectedSet{}
		}
		k.collected[hash] = set
	}
	return nil
}

// String returns the names of the fields.
func (s collectedSet) String() string {
	var names []string
	for i, name := range collectable {
		if s>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
