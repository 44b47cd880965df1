package perun

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"perfdata/internal/buffer"
)

// A snapshotWriter writes the layout of snapshots.
type snapshotWriter struct {
	out       *buffer.Output
	number    int    // of the open snapshot, or noSnapshot in the region global, or noResources
	resources int    // written to it so far
	time      Value  // its time; null: none
	own       Fields // scratch
	kinds     resourceKinds

	// Resources without a snapshot that came after resources with one.
	late      keptList
	lateKinds resourceKinds
}

// maxSnapshot is the largest number that a snapshot can have: a larger number would make many
// empty snapshots of little text.
const maxSnapshot = 1 << 24

// noResources is the number of the open snapshot before the first resource. It is less than
// noSnapshot.
const noResources = -2

// isLate reports whether a resource of the snapshot belongs to the list after the snapshots.
func (s *snapshotWriter) isLate(number int) bool { return s.number >= 0 && number == noSnapshot }

// check returns the number of the resource's snapshot, or why the resource cannot be written.
func (s *snapshotWriter) check(fields Fields) (number int, err error) {
	number = noSnapshot
	if v, ok := fields.Get("snapshot"); ok {
		if number, ok = wholeNumber(v); !ok || number > maxSnapshot {
			return 0, fmt.Errorf("resource: %s is not the number of a snapshot", v)
		}
	}

	time, _ := fields.Get("time")
	switch {
	case s.isLate(number):
		return number, s.lateKinds.add(fields)
	case number < s.number:
		return 0, fmt.Errorf("resource: snapshot %d comes after snapshot %d", number, s.number)
	case number > s.number:
		s.kinds.all = nil
	case !s.time.IsNull() && time.IsNull():
		return 0, errors.New("resource: missing time, which other resources of its snapshot have")
	}
	return number, s.kinds.add(fields)
}

// write writes a resource that was just checked.
func (s *snapshotWriter) write(fields Fields, number int) error {
	if s.isLate(number) {
		return s.late.add(s.out, func(b []byte) []byte { return fields.appendJSON(b, false) })
	}
	if number > s.number { // begin the snapshot, after those in between, which have no resources
		if number == noSnapshot {
			s.out.Bytes = append(s.out.Bytes, ",\n\"global\":{"...)
		} else {
			before := [...]string{",\n\"snapshots\":[", "]},\n\"snapshots\":[", "]},"}[min(s.number, 0)-noResources]
			s.out.Bytes = append(s.out.Bytes, before...)
			for range number - max(s.number, noSnapshot) - 1 {
				s.out.Bytes = append(s.out.Bytes, "\n{\"resources\":[]},"...)
				if s.out.FlushIfLarge() != nil {
					break
				}
			}
			s.out.Bytes = append(s.out.Bytes, "\n{"...)
		}

		time, _ := fields.Get("time")
		if !time.IsNull() {
			s.out.Bytes = append(time.appendJSON(append(s.out.Bytes, `"time":`...), false), ',')
		}
		s.out.Bytes = append(s.out.Bytes, `"resources":[`...)
		s.number, s.resources, s.time = number, 0, time
	}
	if s.resources > 0 {
		s.out.Bytes = append(s.out.Bytes, ',')
	}
	s.resources++

	s.own = s.own[:0]
	for _, f := range fields {
		if f.Key != "snapshot" && !(f.Key == "time" && !s.time.IsNull() && f.Value.Equal(s.time)) {
			s.own = append(s.own, f)
		}
	}
	s.out.Bytes = s.own.appendJSON(append(s.out.Bytes, '\n'), false)
	return s.out.FlushIfLarge()
}

// end writes everything that comes after the resources.
func (s *snapshotWriter) end() {
	after := [...]string{",\n\"snapshots\":[]", "]}", "]}]"}[min(s.number, 0)-noResources]
	s.out.Bytes = append(s.out.Bytes, after...)
	if s.late.spool != nil {
		s.late.writeTo(s.out, ",\n\"resources\":[", "]")
	}
}

// resourceKinds finds the resources of a snapshot that Perun cannot read together. Perun makes one
// resource type of the resources that are equal in all fields that are not collected. If such a
// resource lacks a collected field that the first one has, Perun loses values; if it has another
// collected field, Perun fails.
type resourceKinds struct {
	all  map[uint64]collectedSet // by the hash of the other fields
	text []byte                  // scratch
	splitFields
}

// A collectedSet is a set of collected fields: the bits of their indices in collectable.
type collectedSet uint8

// add remembers a resource. It returns why the resource cannot be in the same snapshot as an
// earlier one, and then remembers nothing.
func (k *resourceKinds) add(fields Fields) error {
	k.set(fields)
	set := collectedSet(0)
	for _, f := range k.collected {
		set |= 1 << slices.Index(collectable[:], f.Key)
	}
	k.text = object(k.own).AppendKey(k.text[:0])
	h := fnv.New64a()
	h.Write(k.text)
	hash := h.Sum64()

	have, ok := k.all[hash]
	switch {
	case ok && have != set:
		return fmt.Errorf("resource: it has the collected fields %s, but an earlier one of its snapshot that is equal "+
			"in all others has %s, and Perun loses or refuses such resources: use the layout of types", set, have)
	case !ok && len(k.all) < 1<<20: // what is remembered is bounded
		if k.all == nil {
			k.all = map[uint64]collectedSet{}
		}
		k.all[hash] = set
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
