package drift

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"perfdata/internal/delta"
	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/traceid"
)

// A Collector collects the trace IDs of two sets of files. The zero Collector is empty and has the
// defaults. Call File for each file, and Add for each of its measurements.
type Collector struct {
	// Charset is the charset of the trace IDs.
	Charset *traceid.Charset

	// MaxIDs is the largest number of trace IDs. If it is 0, it is 20,000,000.
	MaxIDs int

	pairs pairs
	ids   ids

	counts   Counts
	side     int
	file     uint32 // number of the current file, from 1
	name     string
	measured bool // the current file has a measurement

	last   []cell // the params of the last measurement
	lastID uint32
	text   []byte
}

// A cell is a param of the last measurement, and the numbers of its key and of its pair.
type cell struct {
	param       traceid.Param
	key, number uint32
	file        uint32 // that has the measurement
}

// ids is the set of the trace IDs of both sides. The text of an ID is the numbers of its params as
// varints: most params of a file have small numbers, so that a million IDs of seven params take
// 10 MB, and 28 as integers of 32 bits.
type ids struct {
	set    set
	values list[[2]float32] // on each side: see value
}

const (
	defaultMaxIDs = 20_000_000
	maxParams     = 60_000
	maxEmpty      = 100 // names that are kept

	// noValue is in the place of the value of a side that does not have an ID.
	noValue = -1
)

// OfSeries says why series begin and end between two sides with names. The function returns the values of a
// series on a side: without one, the series is not there.
func OfSeries(
	all []*series.Series, names []string, values func(s *series.Series, side int) []float64,
) (*Report, error) {
	var c Collector
	for side := range 2 {
		c.File(side, names[side])
		for _, s := range all {
			if v := values(s, side); len(v) > 0 {
				if err := c.Add(s.Identity, v[0]); err != nil {
					return nil, err
				}
			}
		}
	}
	return c.Report(), nil
}

// File begins a file of a side.
func (c *Collector) File(side int, name string) {
	c.endFile()
	c.side, c.name, c.measured = side, name, false
	c.file++
	if side == series.Old {
		c.counts.OldFiles++
	} else {
		c.counts.NewFiles++
	}
}

// endFile counts the current file, if it is new and has no measurements.
func (c *Collector) endFile() {
	if c.file == 0 || c.measured || c.side == series.Old {
		return
	}
	if c.counts.EmptyFiles++; c.counts.EmptyFiles <= maxEmpty {
		c.counts.emptyNames = append(c.counts.emptyNames, c.name)
	}
}

// Add adds the trace ID of params, which are the params of a measurement without commit and
// repetition, and a value that has it. The cause of an error is [format.ErrLimit].
func (c *Collector) Add(params traceid.Params, value float64) error {
	if c.file == 0 {
		c.File(series.Old, "") // nothing was begun: files are told apart by numbers from 1
	}
	c.measured = true
	most := cmp.Or(c.MaxIDs, defaultMaxIDs)
	if int(c.ids.values.len) >= most {
		return message.LimitError(fmt.Sprintf("too many trace IDs: want at most %d", most))
	}
	if len(params) > maxParams {
		return message.LimitError(fmt.Sprintf("%d params: want at most %d", len(params), maxParams))
	}

	for len(c.last) < len(params) {
		c.last = append(c.last, cell{})
	}
	for i := range params {
		c.see(&c.last[i], &params[i])
	}
	c.last = c.last[:len(params)]
	c.text = c.text[:0]
	for i := range c.last {
		c.text = binary.AppendUvarint(c.text, uint64(c.last[i].number))
	}

	id, isNew := c.ids.set.number(c.text, c.lastID+1)
	if isNew {
		c.ids.values.add([2]float32{noValue, noValue})
	}
	c.ids.note(id, c.side, value)
	c.lastID = id
	return nil
}

// see notes that the current file has a param. Most params equal the last measurement's.
func (c *Collector) see(last *cell, p *traceid.Param) {
	isKnown := last.file == c.file && delta.SameText(last.param.Key, p.Key)
	if isKnown && delta.SameText(last.param.Value, p.Value) {
		last.param = *p
		return
	}

	if !isKnown {
		c.text = c.Charset.AppendString(c.text[:0], p.Key)
		last.key = c.pairs.addKey(c.text)
	}
	c.text = binary.LittleEndian.AppendUint32(c.text[:0], last.key)
	c.text = c.Charset.AppendString(c.text, p.Value)
	number, isNew := c.pairs.set.number(c.text, last.number+1)
	if isNew {
		c.pairs.facts.add(pair{key: last.key})
	}
	last.param, last.number, last.file = *p, number, c.file

	x := c.pairs.facts.at(number)
	switch known := c.pairs.spellings[number]; {
	case string(c.text[keySize:]) == p.Value:
		x.seen |= isPlain
	case len(known) < maxSpellings && !slices.Contains(known, p.Value):
		c.pairs.spellings[number] = append(known, strings.Clone(p.Value))
	}
	if x.last != c.file {
		x.last = c.file
		x.seen = (x.seen | 1<<c.side) + oneFile
	}
	if k := &c.pairs.keys[last.key]; k.last != c.file {
		k.last = c.file
		k.files[c.side]++
	}
}

func (s *ids) isOn(side int, id uint32) bool { return s.values.at(id)[side] >= 0 }

// value returns the smallest magnitude of the values of a side that are not 0. It depends neither
// on their order nor, as much as the first one, on noise. It is 0 if all are 0, and infinite if
// it is not known.
func (s *ids) value(id uint32, side int) float64 { return float64(s.values.at(id)[side]) }

// appendParams appends the numbers of the params of an ID.
func (s *ids) appendParams(dst []uint32, id uint32) []uint32 {
	for text := s.set.text(id); len(text) > 0; {
		n, size := uint64(text[0]), 1 // most have one byte
		if n >= 0x80 {
			n, size = binary.Uvarint(text)
		}
		dst, text = append(dst, uint32(n)), text[size:]
	}
	return dst
}

// note notes a value of an ID on a side.
func (s *ids) note(id uint32, side int, value float64) {
	at := &s.values.at(id)[side]
	small := float32(max(math.Abs(value), math.SmallestNonzeroFloat32))
	switch {
	case value == 0:
		*at = max(*at, 0)
	case small != small:
		small = float32(math.Inf(1))
		fallthrough
	case *at <= 0 || small < *at:
		*at = small
	}
}
