package store

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/internal/buffer"
	"perfdata/internal/chars"
	"perfdata/series"
)

// A batch collects the records of a file. It does not use the database before Commit, except for
// what the Store remembers of it.
//
// A record is kept as bytes: the numbers of its trace, commit, annotations and repetition, its
// offset and its value. A record whose trace has no ID yet has its name, or the number of that in
// the batch.
type batch struct {
	store *Store
	ctx   context.Context
	src   ingest.Source
	sink  *sink
	hour  string // as in the database

	version *version // nil unless the path is a name: see IngestOptions.NewVersions

	records *buffer.Spool
	count   int
	scratch []byte
	id      []byte // scratch of appendName

	commits     []batchCommit // of which the numbers count from 1
	numbers     map[string]int
	traces      map[string]cachedTrace // names that have numbers in the batch, in place of their IDs
	annotations annotationInterner

	// The stamp of the database whose IDs of traces the records have; noStamp if they have none.
	stamp int64
}

// Begin implements [ingest.Sink], with the default [IngestOptions]. The cause of its error is
// [fs.ErrInvalid] for a path that cannot be stored, and [format.ErrSchema] for the commit, issue
// or patchset of a header.
func (s *Store) Begin(ctx context.Context, src ingest.Source) (ingest.Batch, error) {
	return (&sink{Store: s}).Begin(ctx, src)
}

// WantsSHA256 implements [ingest.Sink].
func (s *Store) WantsSHA256() bool { return true }

// Begin implements [ingest.Sink], as that of the Store.
func (s *sink) Begin(ctx context.Context, src ingest.Source) (ingest.Batch, error) {
	err := cmp.Or(
		checkPath("path", src.Path),
		checkPath("run", cmp.Or(s.options.Run, src.Path)),
		checkHeader(&src.Header),
		checkText("option: commit", s.options.Opener.Commit),
	)
	if err != nil {
		return nil, err
	}
	return &batch{
		store: s.Store, ctx: ctx, src: src, sink: s, hour: hourText(src.File), version: s.versionOf(src.File),
		records: buffer.NewSpool(s.maxMemory, math.MaxInt64), stamp: noStamp,
		numbers: make(map[string]int), traces: make(map[string]cachedTrace),
	}, nil
}

func checkHeader(h *format.Header) error {
	return cmp.Or(checkText("header: commit", h.Commit), checkText("header: issue", h.Issue),
		checkText("header: patchset", h.Patchset))
}

// run returns the name of the run that the file belongs to.
func (b *batch) run() string { return cmp.Or(b.sink.options.Run, b.src.Path) }

// hourText returns the hour of a file as the database stores it: as text that sorts by time.
func hourText(f ingest.File) string {
	if f.Hour.IsZero() {
		return ""
	}
	return f.Hour.UTC().Format(hourLayout)
}

const hourLayout = "2006/01/02/15"

// parseHour returns the time of an hour in the database.
func parseHour(text string) time.Time {
	hour, _ := time.Parse(hourLayout, text) // the zero time if it is empty
	return hour
}

// maxNumbered is the number of traces that have numbers in a batch.
const maxNumbered = 10_000

// Add implements [ingest.Batch]. The cause of its error is [format.ErrSchema] for a commit that
// cannot be stored, or a trace ID with a zero byte, [ErrNoCommit] for a measurement without a
// commit, [format.ErrLimit] for a key that is too long, and [ErrOtherCharset] for a trace ID in a
// charset other than the store's.
func (b *batch) Add(at *series.Point) (err error) {
	dst := b.scratch[:0]
	ref, stamp, ok := b.store.names.find(at)
	if ok && b.stamp == noStamp {
		b.stamp = stamp
	}
	if ok && b.stamp == stamp {
		dst = binary.AppendUvarint(dst, uint64(ref.trace))
		dst = binary.AppendUvarint(dst, uint64(ref.spelling))
	} else if dst, err = b.appendTrace(dst, at); err != nil {
		return err
	}

	rec := at.Record
	commit, ok := b.numbers[at.Commit]
	if !ok {
		if commit, err = b.addCommit(at); err != nil {
			return err
		}
	}
	dst = binary.AppendUvarint(dst, uint64(commit))
	dst = b.annotations.append(dst, at)
	dst = binary.AppendVarint(dst, int64(at.N))
	dst = binary.AppendVarint(dst, rec.Offset)
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(rec.Value))

	b.scratch = dst
	b.count++
	_, err = b.records.Write(dst)
	return err
}

// A batchCommit is a commit of a batch.
type batchCommit struct {
	name string
	time any   // int64, in seconds since 1970; nil if not known
	run  int64 // when it was first run, in milliseconds; 0 if not known

	id       int64 // in the database, once a transaction has found or added it
	position int64 // in the file
}

// addCommit adds the commit of a point, and returns its number.
func (b *batch) addCommit(at *series.Point) (number int, err error) {
	if at.Commit == "" && !b.sink.options.AllowNoCommit {
		return 0, &inputError{fmt.Sprintf("offset %d: %v", at.Record.Offset, ErrNoCommit), ErrNoCommit}
	}
	if err := checkText(fmt.Sprintf("offset %d: commit", at.Record.Offset), at.Commit); err != nil {
		return 0, err
	}

	one := batchCommit{name: strings.Clone(at.Commit), run: timeOf(at, "date").UnixMilli()}
	if seconds := timeOf(at, "commit-time").Unix(); seconds != 0 {
		one.time = seconds
	}
	b.commits = append(b.commits, one)
	b.numbers[one.name] = len(b.commits)
	return len(b.commits), nil
}

// timeOf returns a time that a param or attr gives, or zero seconds since 1970 if it is not known.
func timeOf(at *series.Point, key string) time.Time {
	text, ok := at.Record.Params.Get(key)
	if !ok {
		text, _ = at.Record.Attrs.Get(key)
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Unix(0, 0)
	}
	return t
}

// appendTrace appends a trace that has no ID yet: the number 0, and the number that it has in the
// batch. If this is new, or 0 for none, the name follows.
//
// A trace that repeats gets a number: in a history, each has a value at most commits. Without it,
// storing one of 989 commits takes a fifth more CPU time.
func (b *batch) appendTrace(dst []byte, at *series.Point) ([]byte, error) {
	dst = append(dst, 0)
	if at.N == 1 && len(b.commits) <= 1 {
		return b.appendName(append(dst, 0), at)
	}
	known, ok := b.traces[string(at.Trace)]
	switch {
	case ok && known.isSpelledBy(at):
		return binary.AppendUvarint(dst, uint64(known.trace)), nil
	case ok || len(b.traces) >= maxNumbered:
		return b.appendName(append(dst, 0), at)
	}
	known.unit, known.better = strings.Clone(at.Record.Unit), at.Record.Better
	known.trace = int64(len(b.traces) + 1)
	if !isID(at.Identity, at.Trace) {
		known.params = at.Identity.Clone()
	}
	b.traces[string(at.Trace)] = known
	return b.appendName(binary.AppendUvarint(dst, uint64(known.trace)), at)
}

// appendName appends the name of a trace, whose ID must be in the charset of the store.
func (b *batch) appendName(dst []byte, at *series.Point) (_ []byte, err error) {
	for _, p := range at.Identity {
		if len(p.Key) > maxKey {
			message := fmt.Sprintf("offset %d: param key of %d bytes: want at most %d", at.Record.Offset, len(p.Key), maxKey)
			return dst, &inputError{message, format.ErrLimit}
		}
	}
	b.id = b.store.charset.AppendID(b.id[:0], at.Identity)
	if !bytes.Equal(b.id, at.Trace) {
		return dst, &inputError{fmt.Sprintf("offset %d: trace ID %.500q, want %.500q: %v", at.Record.Offset, at.Trace,
			b.id, ErrOtherCharset), ErrOtherCharset}
	}
	if b.store.charset != nil { // else it is ASCII without control characters
		if err = checkText(fmt.Sprintf("offset %d: trace ID", at.Record.Offset), string(at.Trace)); err != nil {
			return dst, err
		}
	}

	dst = appendText(dst, at.Trace)
	var params []byte // none if they are those of the ID
	if !isID(at.Identity, at.Trace) {
		params = chars.AppendJSONObject(nil, at.Identity.All())
	}
	dst = appendText(appendText(dst, params), replaceUnstorable(at.Record.Unit))
	return append(dst, byte(at.Record.Better)), nil
}

func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// Rollback implements [ingest.Batch].
func (b *batch) Rollback() error { return b.records.Close() }

// A stored is a record as a batch keeps it.
type stored struct {
	entry              // without a trace, if that has no ID yet
	commit int64       // the number in the batch, and then the ID: see commit.resolve
	named  *namedTrace // the trace, if it has no ID yet
}

// A namedTrace is a trace that the Store did not know. Several records may have it.
type namedTrace struct {
	name verbatim
	ref  traceRef // zero until it is found or added
}

// A batchReader reads the records of a batch.
type batchReader struct {
	in     *bufio.Reader
	err    error         // the first, also of what is done with the records
	traces []*namedTrace // by their number in the batch, from 1
	rows   []string      // of annotations: complete ones since they were taken
	seen   int64         // the last number of annotations
}

// read reads a record, unless an earlier one had an error.
func (r *batchReader) read(rec *stored) {
	*rec = stored{}
	if rec.trace = int64(r.uvarint()); rec.trace != 0 {
		rec.spelling = int64(r.uvarint())
	} else if number := r.uvarint(); number > 0 && number <= uint64(len(r.traces)) {
		rec.named = r.traces[number-1]
	} else {
		rec.named = &namedTrace{name: verbatim{r.text(), spelling{params: r.text(), unit: r.text()}}}
		better, err := r.in.ReadByte()
		r.fail(err)
		rec.named.name.better = format.Direction(better)
		if number > 0 {
			r.traces = append(r.traces, rec.named)
		}
	}

	rec.commit = int64(r.uvarint())
	if rec.annotations = int64(r.uvarint()); rec.annotations > r.seen {
		r.seen = rec.annotations
		if rec.annotations%annotationsPerRow == 0 && rec.annotations > annotationsPerRow {
			r.rows = append(r.rows, r.text())
		}
	}

	rec.n, rec.offset = r.varint(), r.varint()
	var bits [8]byte
	_, err := io.ReadFull(r.in, bits[:])
	r.fail(err)
	rec.value = math.Float64frombits(binary.LittleEndian.Uint64(bits[:]))
}

func (r *batchReader) fail(err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("reading the temporary file: %w", err)
	}
}

func (r *batchReader) uvarint() uint64 {
	n, err := binary.ReadUvarint(r.in)
	r.fail(err)
	return n
}

func (r *batchReader) varint() int64 {
	n, err := binary.ReadVarint(r.in)
	r.fail(err)
	return n
}

func (r *batchReader) text() string {
	text := make([]byte, r.uvarint())
	_, err := io.ReadFull(r.in, text)
	r.fail(err)
	return string(text)
}
