package series

import (
	"math"
	"slices"

	"perfdata/internal/traceset"
)

// counts has the last number of each series at each commit. The zero counts is empty.
//
// Series are known by hashes. Most records differ from the previous one only in the unit or the
// statistic: series that differ in nothing else are a family, and are found through the first of
// it. A file of many series has a look-up in a large table for each family, which takes as long as
// all else that a Placer does with a record, in place of one for each record.
type counts struct {
	families traceset.Set // their hashes, with the indices of their first series
	series   [][]count    // in chunks, from index 0
	len      int          // of series

	// The last family.
	family uint64
	first  int
}

// A count is the last number of a series.
type count struct {
	series uint64
	number uint32
	next   uint32 // the index of the next series of the family; 0 for the last
}

const (
	chunk     = 512 // counts that are allocated together
	maxFamily = 16  // series; all others are families of their own
	maxKept   = 16  // chunks that are kept for the next file
)

func (c *counts) clear() {
	c.families.Clear()
	if len(c.series) > maxKept {
		c.series = slices.Clone(c.series[:maxKept])
	}
	c.len, c.family = 0, 0
}

// of returns the last number of a series of a family, to be changed. It is 0 for a new series. If it
// is nil, there are most series already. The hashes are not 0.
func (c *counts) of(family, series uint64, most int) *uint32 {
	if family != c.family {
		c.family, c.first = family, c.firstOf(family)
	}
	if n, ok := c.find(c.first, series, most); ok {
		return n
	}
	n, _ := c.find(c.firstOf(series), series, most)
	return n
}

// firstOf returns the index of the first series of a family: the next one, if the family is new.
func (c *counts) firstOf(family uint64) int {
	c.families.Lines = true
	if first, _ := c.families.AddHash(family, c.len+1, math.MaxInt); first > 0 {
		return first - 1
	}
	return c.len
}

// find finds a series in the family with the first index, or adds it. It returns false if the family
// is full.
func (c *counts) find(first int, series uint64, most int) (n *uint32, ok bool) {
	if first == c.len {
		return c.add(series, most), true
	}
	at := c.at(first)
	for range maxFamily - 1 {
		if at.series == series {
			return &at.number, true
		}
		if at.next == 0 {
			if n = c.add(series, most); n != nil {
				at.next = uint32(c.len - 1)
			}
			return n, true
		}
		at = c.at(int(at.next))
	}
	return &at.number, at.series == series
}

func (c *counts) at(i int) *count { return &c.series[i/chunk][i%chunk] }

// add adds a series. It returns nil if there are most already.
func (c *counts) add(series uint64, most int) *uint32 {
	if c.len >= most {
		return nil
	}
	if c.len/chunk == len(c.series) {
		c.series = append(c.series, make([]count, chunk))
	}
	at := c.at(c.len)
	*at = count{series: series}
	c.len++
	return &at.number
}
