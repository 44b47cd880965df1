package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"
)

// Traces are in groups of 64, by their IDs, and a set of traces of a group is the bits of an
// integer.
//
// A row of the table row_groups has the measurements of a group that a file has at a commit.
// Traces that are new in a file get IDs one after another, so the files that have them have few
// and full rows. A row for each measurement took 145 bytes of PostgreSQL and 35 of SQLite. A row
// for a trace and several commits would be as small, but each file would write the rows of all its
// traces again.
const groupSize = 64

// A member is a trace as a group and a bit.
type member struct {
	group int64
	bit   uint64
}

func memberOf(trace int64) member { return member{trace / groupSize, 1 << (trace % groupSize)} }

// maxRowGroup is the number of bytes at which another row begins. SQLite keeps 1,002 bytes of a
// row on its page.
const maxRowGroup = 900

// An entry is a measurement in a row group.
type entry struct {
	trace       int64
	n           int64 // the number in its file
	spelling    int64
	annotations int64 // see annotationsPerRow
	offset      int64
	value       float64
}

// A measurement in a row group begins with a byte that says which fields follow. Most have this
// byte, the bytes of the value, and one or two of the offset.
//
//   - Its low 4 bits are the number of bytes of the value. Those at the end that are zero are
//     left out.
//   - sameTrace: the trace is that of the measurement before, and not the next one of the row.
//   - otherNumber: n follows. Else it is 1, or with sameTrace one more than before.
//   - otherAnnotations: the changes of spelling and annotations follow. Else the spelling is that of the
//     measurement before, and annotations change by as much as there.
//   - The offset follows, as what it changes more than before.
//
// Then the value follows, as big-endian bytes of float64. Numbers are varints.
const (
	valueBytes       = 0x0f
	sameTrace        = 0x10
	otherNumber      = 0x20
	otherAnnotations = 0x40
)

// A rowGroupWriter makes row groups of measurements of a group, sorted by trace.
type rowGroupWriter struct {
	last                        entry // that the next bytes are relative to
	annotationsStep, offsetStep int64
	traces                      uint64
	bytes                       []byte
}

// add adds a measurement.
func (p *rowGroupWriter) add(m *entry) {
	head := len(p.bytes)
	p.bytes = append(p.bytes, 0)
	flags := byte(0)

	number := int64(1)
	bit := memberOf(m.trace).bit
	if p.traces != 0 && p.last.trace == m.trace {
		flags |= sameTrace
		number = p.last.n + 1
	}
	p.traces |= bit
	if m.n != number {
		flags |= otherNumber
		p.bytes = binary.AppendVarint(p.bytes, m.n)
	}

	step := m.annotations - p.last.annotations
	if m.spelling != p.last.spelling || step != p.annotationsStep {
		flags |= otherAnnotations
		p.bytes = binary.AppendVarint(p.bytes, m.spelling-p.last.spelling)
		p.bytes = binary.AppendVarint(p.bytes, step)
	}
	p.annotationsStep = step

	step = m.offset - p.last.offset
	p.bytes = binary.AppendVarint(p.bytes, step-p.offsetStep)
	p.offsetStep = step

	value := math.Float64bits(m.value)
	size := 8 - bits.TrailingZeros64(value)/8
	for i := range size {
		p.bytes = append(p.bytes, byte(value>>(56-8*i)))
	}
	p.bytes[head] = flags | byte(size)
	p.last = *m
}

// take sets the row group of a row and its traces, and begins another one.
func (p *rowGroupWriter) take(r *rowGroup) {
	r.traces = p.traces
	r.data = seal(slices.Clone(p.bytes), r.keys())
	*p = rowGroupWriter{bytes: p.bytes[:0]}
}

// A rowGroup is a row of row_groups.
type rowGroup struct {
	block, group, commit, source, part int64
	traces                             uint64
	data                               []byte
}

// eachRowGroup calls do for the row groups that a condition selects. The next call overwrites the
// row group. If the condition selects whole groups of blocks, an error says that some are missing:
// the database has a row with their number, which it finds beside them.
func eachRowGroup(
	ctx context.Context, q querier, whole bool, where string, args []any, do func(r *rowGroup) error,
) error {
	// Numbers are scanned as any, because database/sql converts other types by reflection.
	var columns [4]any
	var data sql.RawBytes
	var r rowGroup
	missing := int64(0)
	dest := []any{&columns[0], &columns[1], &columns[2], &columns[3], &data}
	err := eachRow(ctx, q, "SELECT "+rowGroupColumns+" FROM row_groups m WHERE "+where, args, dest, func() error {
		r.group, _ = columns[0].(int64)
		r.commit, _ = columns[1].(int64)
		r.source, _ = columns[2].(int64)
		traces, _ := columns[3].(int64)
		r.traces, r.data = uint64(traces), data
		if r.commit == countCommit {
			missing += traces
			return nil
		}
		missing--
		return do(&r)
	})
	if err == nil && whole && missing != 0 {
		err = errLost("a row of measurements")
	}
	return err
}

// rowGroupColumns are the columns of row_groups that questions need.
const rowGroupColumns = "m.trace_group, m.commit_id, m.source_id, m.traces, m.data"

// countCommit is the commit of the rows with the number of row groups of a group in a block.
const countCommit = 0

// keys returns the columns that the checksum of a row group also covers. The block follows from
// the commit.
func (r *rowGroup) keys() [4]int64 { return [...]int64{r.group, r.commit, r.source, int64(r.traces)} }

// seal appends to what a row has its checksum, which covers some keys of the row. With SQLite, it
// is the second one: see pages.go. PostgreSQL may have been set up without any.
func seal(text []byte, keys [4]int64) []byte {
	return binary.BigEndian.AppendUint32(text, sumOf(text, keys))
}

// unseal returns the sealed bytes.
func unseal(sealed []byte, keys [4]int64) ([]byte, error) {
	n := len(sealed) - crc32.Size
	if n < 0 || binary.BigEndian.Uint32(sealed[n:]) != sumOf(sealed[:n], keys) {
		return nil, fmt.Errorf("%w: a row has another checksum", ErrDamaged)
	}
	return sealed[:n], nil
}

func sumOf(text []byte, keys [4]int64) uint32 {
	var b [8 * len(keys)]byte
	for i, key := range keys {
		binary.BigEndian.PutUint64(b[8*i:], uint64(key))
	}
	return crc32.Update(crc32.Checksum(b[:], castagnoli), castagnoli, text)
}

// groupCountsTable has the columns of a row with the number of row groups: the others are zero.
var groupCountsTable = table{"row_groups", "block, trace_group, traces"}

var rowGroupsTable = table{"row_groups", "block, trace_group, commit_id, source_id, part, traces, data"}

// insertRowGroups sorts records of the file, whose commits and traces have IDs, and adds them as
// row groups, which are numbered by parts.
func (c *commit) insertRowGroups(rows []stored) error {
	slices.SortFunc(rows, func(a, b stored) int {
		return cmp.Or(cmp.Compare(a.commit, b.commit), cmp.Compare(a.trace, b.trace), cmp.Compare(a.n, b.n))
	})
	var values []any
	var p rowGroupWriter
	for len(rows) > 0 {
		first := rows[0]
		group := memberOf(first.trace).group
		for len(rows) > 0 && len(p.bytes) < maxRowGroup {
			r := &rows[0]
			if r.commit != first.commit || memberOf(r.trace).group != group {
				break
			}
			p.add(&r.entry)
			rows = rows[1:]
		}

		c.parts++
		r := rowGroup{block: blockOf(first.commit, c.trial()), group: group, commit: first.commit, source: c.source}
		p.take(&r)
		c.rowGroups[r.commit]++
		c.countIn(counted{block: r.block, group: group}, 1)
		values = append(values, r.block, r.group, r.commit, r.source, c.parts, int64(r.traces), r.data)
	}
	return c.insert(c.ctx, rowGroupsTable, values)
}

// errRowGroup is the error of a row group that this package has not written.
var errRowGroup = fmt.Errorf("%w: a data of measurements has another form", ErrDamaged)

// decode calls each with the measurements of a row whose traces are among the wanted ones. The
// next call overwrites the measurement.
func (r *rowGroup) decode(wanted uint64, each func(m *entry)) error {
	data, err := unseal(r.data, r.keys())
	if err != nil {
		return err
	}
	return decodeRowGroup(r.group, r.traces, wanted, data, each)
}

// decodeRowGroup is rowGroup.decode without the checksum.
func decodeRowGroup(group int64, traces, wanted uint64, data []byte, each func(m *entry)) error {
	m := new(entry)
	var annotationsStep, offsetStep, spelling, more int64
	bit := uint64(0)

	for rest := data; len(rest) > 0; {
		flags := rest[0]
		rest = rest[1:]
		number := m.n + 1
		if flags&sameTrace == 0 {
			if traces == 0 {
				return errRowGroup
			}
			bit = traces & -traces
			traces &^= bit
			m.trace, number = group*groupSize+int64(bits.TrailingZeros64(bit)), 1
		} else if bit == 0 {
			return errRowGroup
		}

		if flags&otherNumber != 0 {
			number, rest = varint(rest)
		}
		m.n = number
		if flags&otherAnnotations != 0 {
			spelling, rest = varint(rest)
			m.spelling += spelling
			annotationsStep, rest = varint(rest)
		}
		m.annotations += annotationsStep
		more, rest = varint(rest)
		offsetStep += more
		m.offset += offsetStep

		size := int(flags & valueBytes)
		if rest == nil || size > 8 || size > len(rest) {
			return errRowGroup
		}
		value := uint64(0)
		for i, b := range rest[:size] {
			value |= uint64(b) << (56 - 8*i)
		}
		rest = rest[size:]
		if bit&wanted != 0 {
			m.value = math.Float64frombits(value)
			each(m)
		}
	}
	return nil
}

// varint reads a number. Most have one byte. Without one, there is no rest, nor a number in it: it is nil.
func varint(b []byte) (n int64, rest []byte) {
	if len(b) > 0 && b[0] < 0x80 {
		return int64(b[0]>>1) ^ -int64(b[0]&1), b[1:]
	}
	n, size := binary.Varint(b)
	if size <= 0 {
		return 0, nil
	}
	return n, b[size:]
}
