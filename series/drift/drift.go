package drift

import (
	"fmt"

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
	files [2]files

	side     int
	file     uint32 // number of the current file, from 0
	begun    uint32 // files that were begun
	name     string
	measured bool // the current file has a measurement

	last   []cell // the params of the last measurement
	params []uint32
	text   []byte
}

// files has the facts about the files of a side.
type files struct {
	len   int
	empty []string // the first files without measurements
	bare  int      // the number of these
}

const (
	defaultMaxIDs = 20_000_000
	maxParams     = 60_000
	maxEmpty      = 100 // names that are kept
)

// File begins a file of a side.
func (c *Collector) File(side int, name string) {
	c.endFile()
	c.side, c.name, c.measured, c.file = side, name, false, c.begun
	c.begun++
	c.files[side].len++
	c.last = c.last[:0]
}

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

// endFile counts the current file, if it has no measurements.
func (c *Collector) endFile() {
	if c.begun == 0 || c.measured {
		return
	}
	f := &c.files[c.side]
	if f.bare++; f.bare <= maxEmpty {
		f.empty = append(f.empty, c.name)
	}
	c.measured = true
}

// Add adds the trace ID of params, which are the params of a measurement without commit and
// repetition, and a value that has it. The cause of an error is [format.ErrLimit].
func (c *Collector) Add(params traceid.Params, value float64) error {
	c.measured = true
	most := c.MaxIDs
	if most == 0 {
		most = defaultMaxIDs
	}
	if c.ids.len >= most {
		return message.LimitError(fmt.Sprintf("too many trace IDs: want at most %d", most))
	}
	if len(params) > maxParams {
		return message.LimitError(fmt.Sprintf("%d params: want at most %d", len(params), maxParams))
	}
	c.params = c.params[:0]
	sum := uint64(0)
	for i := range params {
		n := c.number(i, &params[i])
		c.params = append(c.params, n)
		sum += hash(n)
	}
	c.last = c.last[:len(params)]
	c.ids.add(c.params, sum, c.side, value)
	return nil
}

// number returns the number of the i-th param. Most params equal the last measurement's.
func (c *Collector) number(i int, p *traceid.Param) uint32 {
	if i < len(c.last) {
		old := &c.last[i]
		if delta.SameText(old.param.Value, p.Value) && delta.SameText(old.param.Key, p.Key) {
			old.param = *p
			return old.number
		}
	} else {
		c.last = append(c.last, cell{})
	}
	to := &c.last[i]
	if to.param.Key == "" || to.param.Key != p.Key {
		c.text = c.Charset.AppendString(c.text[:0], p.Key)
		to.key = c.pairs.key(string(c.text))
	}

	c.text = c.Charset.AppendString(c.text[:0], p.Value)
	to.param = *p
	to.number = c.pairs.number(to.key, c.text, to.number+1)
	if string(c.text) == p.Value {
		c.pairs.at(to.number).seen |= isPlain
	} else {
		c.pairs.spelled(to.number, p.Value)
	}
	c.pairs.see(to.number, c.file, c.side)
	return to.number
}
