package convert

import (
	"hash/maphash"
	"iter"
	"reflect"
	"strings"

	"perfdata/internal/message"
	"perfdata/traceid"
)

// Some targets hold records, or remember something of each of them, until Close. All of that is
// charged to Limits.MaxHeldBytes, at the size that it has in memory.

// charge charges n bytes. Beyond the limit it returns an error, which is also that of all further
// calls of the Writer.
func (s *sink) charge(n int) error {
	s.held += int64(n)
	if most := s.limits.MaxHeldBytes; s.held > most && s.err == nil {
		const what = "bytes of memory for the records that the conversion holds"
		s.err = message.LimitError(message.Limit("MaxHeldBytes", most, what))
	}
	return s.err
}

const (
	pairBytes  = 32 // of a traceid.Param, without its text
	traceBytes = 56 // of a trace in a traceset.Set that has just grown
)

// textBytes returns the size of a string's text: the allocator rounds up.
func textBytes(s string) int { return len(s) + len(s)/8 + 8 }

// entryBytes returns the size of an entry of a map whose key and value together have n bytes; an
// empty struct is padded. A map keeps room for others.
func entryBytes(n int) int { return 2 * (n + 1) }

// A holder copies the parts of records that are held.
type holder struct {
	out   *sink
	seeds [2]maphash.Seed
	texts []string // by hash; a new one takes the place of the one that it meets
}

const holderTexts = 1 << 12

func newHolder(out *sink) holder {
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	return holder{out: out, seeds: seeds, texts: make([]string, holderTexts)}
}

// text returns a copy of s, or one that was made before. The strings of a Reader won't do: a
// short one may keep a kilobyte of others in memory.
func (h *holder) text(s string) string {
	if s == "" {
		return ""
	}
	known := &h.texts[maphash.String(h.seeds[0], s)%holderTexts]
	if *known != s {
		h.out.charge(textBytes(s))
		*known = strings.Clone(s)
	}
	return *known
}

// pairs returns a copy of the pairs, or last if that is equal. It must not be changed.
func (h *holder) pairs(pairs, last traceid.Params) traceid.Params {
	if len(pairs) == 0 {
		return nil
	}
	if last.Equal(pairs) {
		return last
	}
	h.out.charge(len(pairs) * pairBytes)
	kept := make(traceid.Params, len(pairs))
	for i, p := range pairs {
		kept[i] = traceid.Param{Key: h.text(p.Key), Value: h.text(p.Value)}
	}
	return kept
}

// A hash represents a text in a map, in less memory. Under random seeds, no two texts have the
// same by accident.
type hash [2]uint64

// blocks allocate many values at once.
type blocks[T any] []T // of the last block, those that are not used

const blockLength = 1 << 9

// size returns the size of a value: its part of a block, which the allocator rounds up to pages.
func (b *blocks[T]) size() int {
	const page = 8 << 10
	pages := (int(reflect.TypeFor[T]().Size())*blockLength + page - 1) / page
	return pages * page / blockLength
}

// add returns a new value.
func (b *blocks[T]) add() *T {
	if len(*b) == 0 {
		*b = make([]T, blockLength)
	}
	value := &(*b)[0]
	*b = (*b)[1:]
	return value
}

// runs iterates over the parts of a list whose values have the same key.
func runs[T any, K comparable](list []T, key func(T) K) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for begin, end := 0, 0; begin < len(list); begin = end {
			for end < len(list) && key(list[end]) == key(list[begin]) {
				end++
			}
			if !yield(list[begin:end]) {
				return
			}
		}
	}
}
