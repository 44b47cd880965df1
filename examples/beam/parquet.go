package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"perfdata/ingest"
)

// A key names a trace: the first bytes of the SHA-256 of its ID.
type key [16]byte

func keyOf(trace string) key {
	sum := sha256.Sum256([]byte(trace))
	return key(sum[:])
}

// high returns the first bytes, which sort as the key.
func (k key) high() uint64 { return binary.BigEndian.Uint64(k[:]) }

// measurementColumns are the columns of mainline and trials, in their order: those of perfdata records, with
// the key in place of id, trace and params, then the change under review and the hour of the file.
type measurementColumns struct {
	Key    key               `parquet:"key,dict"`
	Commit string            `parquet:"commit,optional,dict"`
	N      int64             `parquet:"n,optional"`
	Value  float64           `parquet:"value"`
	Unit   string            `parquet:"unit,optional,dict"`
	Better string            `parquet:"better,optional,dict"`
	Attrs  map[string]string `parquet:"attrs" parquet-key:",dict" parquet-value:",dict"`
	Links  map[string]string `parquet:"links" parquet-key:",dict" parquet-value:",dict"`

	Position   *int64     `parquet:"position,optional"` // always null: there is no list of commits
	CommitTime *time.Time `parquet:"commit_time,optional,timestamp"`

	File   string `parquet:"file,optional,dict"`
	Offset int64  `parquet:"offset,optional"`

	Issue    string     `parquet:"issue,dict"`
	Patchset string     `parquet:"patchset,dict"`
	Hour     *time.Time `parquet:"hour,optional,timestamp"`
}

// traceColumns are the columns of traces.
type traceColumns struct {
	Key    key               `parquet:"key"`
	Trace  string            `parquet:"trace"`
	Params map[string]string `parquet:"params" parquet-key:",dict" parquet-value:",dict"`
}

// rowsInGroup is the number of rows of a group, and rowsAtOnce of those that are passed to Parquet.
const (
	rowsInGroup = 1 << 17
	rowsAtOnce  = 64
)

// writeFn writes a part. It emits the numbers of its measurements and files. It holds the part in
// memory, about 250 bytes a row.
type writeFn struct {
	Out   string
	Retry retry
	packer
}

func (fn *writeFn) ProcessElement(
	ctx context.Context, p part, blocks func(*[]byte) bool, emit func(string, counts),
) error {
	var rows collected
	for packed := []byte(nil); blocks(&packed); {
		if err := fn.read(packed, rows.intern, rows.add); err != nil {
			return err
		}
	}
	newest := rows.newest()

	written := counts{Written: int64(len(newest))}
	trial := func(r *placed) bool { return r.Texts[textIssue] != "" || r.Texts[textPatchset] != "" }
	mainline, trials := partition(newest, trial)
	for table, rows := range map[string][]*placed{mainlineTable: mainline, trialsTable: trials} {
		if len(rows) == 0 {
			continue
		}
		written.Parts++
		err := fn.write(ctx, p.name(fn.Out, table, "parquet"), measurementColumns{}, rows, addMeasurement)
		if err != nil {
			return err
		}
	}
	if traces := tracesOf(newest); len(traces) > 0 {
		if err := fn.write(ctx, p.name(fn.Out, tracesTable, "parquet"), traceColumns{}, traces, addTrace); err != nil {
			return err
		}
	}
	if len(rows.failed) > 0 {
		slices.SortFunc(rows.failed, func(a, b failure) int { return strings.Compare(a.Path, b.Path) })
		if err := writeJSON(ctx, fn.Retry, p.name(fn.Out, failedTable, "jsonl"), rows.failed); err != nil {
			return err
		}
	}
	emit(p.Day, written)
	return nil
}

// A placed is a row in memory, with what it is sorted by.
type placed struct {
	row
	key  key
	hour int64 // of the file, in milliseconds; noHour if it has none
}

const noHour = math.MinInt64

// Collected are the rows of a part. The zero value is empty.
type collected struct {
	rows   []*placed
	free   []placed // of the chunk that rows are put in
	failed []failure

	texts map[string]string
	keys  map[string]key
	path  string // of the last row
	hour  int64
}

// intern returns a text that all equal ones share.
func (c *collected) intern(s string) string {
	if c.texts == nil {
		c.texts = make(map[string]string)
	}
	if same, ok := c.texts[s]; ok {
		return same
	}
	c.texts[s] = s
	return s
}

func (c *collected) add(r *row) {
	t := &r.Texts
	if t[textError] != "" {
		c.failed = append(c.failed, failure{t[textPath], t[textError]})
		return
	}
	if t[textPath] != c.path || len(c.rows) == 0 {
		c.path, c.hour = t[textPath], noHour
		if hour, ok := ingest.HourOf(c.path); ok {
			c.hour = hour.UnixMilli()
		}
	}

	k, ok := c.keys[t[textTrace]]
	if !ok {
		if c.keys == nil {
			c.keys = make(map[string]key)
		}
		k = keyOf(t[textTrace])
		c.keys[t[textTrace]] = k
	}

	if len(c.free) == 0 {
		c.free = make([]placed, 1024)
	}
	c.free[0] = placed{*r, k, c.hour}
	c.rows = append(c.rows, &c.free[0])
	c.free = c.free[1:]
}

// comparePlaces compares what rows measure. An issue or a patchset makes it a place of its own, so
// that a change under review never replaces values of the mainline. So does the file of a
// measurement without a commit: no other file replaces it.
func comparePlaces(a, b *placed) int {
	c := cmp.Or(
		bytes.Compare(a.key[:], b.key[:]),
		strings.Compare(a.Texts[textCommit], b.Texts[textCommit]),
		strings.Compare(a.Texts[textIssue], b.Texts[textIssue]),
		strings.Compare(a.Texts[textPatchset], b.Texts[textPatchset]),
	)
	if c == 0 && a.Texts[textCommit] == "" {
		c = strings.Compare(a.Texts[textPath], b.Texts[textPath])
	}
	return c
}

// compareFiles compares the age of files: by their hour, and then by their path.
func compareFiles(a, b *placed) int {
	return cmp.Or(cmp.Compare(a.hour, b.hour), strings.Compare(a.Texts[textPath], b.Texts[textPath]))
}

// newest returns the rows of the newest file of each place, sorted. All repetitions are of one file,
// so that two runs are not mixed.
func (c *collected) newest() []*placed {
	slices.SortFunc(c.rows, func(a, b *placed) int {
		if places := comparePlaces(a, b); places != 0 {
			return places
		}
		return cmp.Or(compareFiles(b, a), cmp.Compare(a.N, b.N))
	})
	newest := c.rows[:0]
	var first *placed
	for _, r := range c.rows {
		if first == nil || comparePlaces(first, r) != 0 {
			first = r
		}
		if compareFiles(first, r) == 0 {
			newest = append(newest, r)
		}
	}
	return newest
}

// partition returns the rows for which a function returns false, and the others.
func partition(rows []*placed, is func(*placed) bool) (not, others []*placed) {
	for _, r := range rows {
		if is(r) {
			others = append(others, r)
		} else {
			not = append(not, r)
		}
	}
	return not, others
}

// tracesOf returns a row of each trace: of the newest file, which says how params are spelled.
func tracesOf(rows []*placed) (traces []*placed) {
	for _, r := range rows {
		last := len(traces) - 1
		switch {
		case last < 0 || traces[last].key != r.key:
			traces = append(traces, r)
		case compareFiles(traces[last], r) < 0:
			traces[last] = r
		}
	}
	return traces
}

func (fn *writeFn) write(
	ctx context.Context, name string, columns any, rows []*placed, add func(*parquet.RowBuilder, *placed) error,
) error {
	return writeFile(ctx, fn.Retry, name, func(w io.Writer) error { return writeRows(w, columns, rows, add) })
}

// writeRows writes rows as a Parquet file. With structs of columns, the order of a map's keys, and
// so of the file's bytes, would be random.
func writeRows(w io.Writer, columns any, rows []*placed, add func(*parquet.RowBuilder, *placed) error) error {
	schema := parquet.NewSchema("measurements", parquet.SchemaOf(columns))
	out := parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(rowsInGroup),
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("key"))))
	builder := parquet.NewRowBuilder(schema)
	buffer := make([]parquet.Row, rowsAtOnce)
	for chunk := range slices.Chunk(rows, rowsAtOnce) {
		for i, r := range chunk {
			builder.Reset()
			if err := add(builder, r); err != nil {
				return err
			}
			buffer[i] = builder.AppendRow(buffer[i][:0])
		}
		if _, err := out.WriteRows(buffer[:len(chunk)]); err != nil {
			return err
		}
	}
	return out.Close()
}

// The leaves of measurementColumns: a map has two.
const (
	leafKey = iota
	leafCommit
	leafN
	leafValue
	leafUnit
	leafBetter
	leafAttrs
	leafLinks      = leafAttrs + 2
	leafPosition   = leafLinks + 2
	leafCommitTime = leafPosition + 1
	leafFile       = leafCommitTime + 1
	leafOffset     = leafFile + 1
	leafIssue      = leafOffset + 1
	leafPatchset   = leafIssue + 1
	leafHour       = leafPatchset + 1
)

func addMeasurement(b *parquet.RowBuilder, r *placed) error {
	t := &r.Texts
	b.Add(leafKey, parquet.FixedLenByteArrayValue(r.key[:]))
	b.Add(leafIssue, text(t[textIssue]))
	b.Add(leafPatchset, text(t[textPatchset]))
	for _, c := range [...]struct{ leaf, text int }{
		{leafCommit, textCommit}, {leafUnit, textUnit}, {leafBetter, textBetter}, {leafFile, textPath},
	} {
		if t[c.text] != "" {
			b.Add(c.leaf, text(t[c.text]))
		}
	}
	b.Add(leafN, parquet.Int64Value(r.N))
	b.Add(leafValue, parquet.DoubleValue(r.Value))
	b.Add(leafOffset, parquet.Int64Value(r.Offset))
	if r.hour != noHour {
		b.Add(leafHour, parquet.Int64Value(r.hour))
	}
	made, err := commitTime(t)
	if err != nil {
		return err
	}
	if !made.IsZero() {
		b.Add(leafCommitTime, parquet.Int64Value(made.UnixMilli()))
	}
	if err := addPairs(b, leafAttrs, t[textAttrs]); err != nil {
		return err
	}
	return addPairs(b, leafLinks, t[textLinks])
}

// commitTime returns the time that a row gives its commit, to the second, or zero if it does not.
func commitTime(t *[numTexts]string) (made time.Time, err error) {
	if t[textCommit] == "" {
		return made, nil
	}
	err = eachPair(t[textAttrs], func(key, value string) {
		if key == "commit-time" {
			at, _ := time.Parse(time.RFC3339, value) // zero after an error
			made = at.Truncate(time.Second)
		}
	})
	return made, err
}

func addTrace(b *parquet.RowBuilder, r *placed) error {
	b.Add(0, parquet.FixedLenByteArrayValue(r.key[:]))
	b.Add(1, text(r.Texts[textTrace]))
	return addPairs(b, 2, r.Texts[textParams])
}

// text returns a text, which Parquet requires to be UTF-8.
func text(s string) parquet.Value {
	return parquet.ByteArrayValue([]byte(strings.ToValidUTF8(s, "\ufffd")))
}

func addPairs(b *parquet.RowBuilder, leaf int, pairs string) error {
	return eachPair(pairs, func(key, value string) {
		b.Add(leaf, text(key))
		b.Add(leaf+1, text(value))
	})
}
