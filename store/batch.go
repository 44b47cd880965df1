package store

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/internal/spool"
	"perfdata/series"
)

// A batch collects the records of a file. It does not use the database before Commit, except for
// what the Store remembers of it.
//
// A record is kept as bytes: the numbers of its trace, commit, links and repetition, and its value.
// The first record of a name that has no number yet has the name itself.
type batch struct {
	store *Store
	ctx   context.Context
	src   ingest.Source
	sink  *sink
	hour  string // as in the database

	records *spool.Spool
	count   int
	scratch []byte
	id      []byte // scratch of checkTrace

	commits   dictionary
	links     dictionary
	lastLinks format.Links // the links of the last record, and their number
	linksID   uint64
}

// Begin implements [ingest.Sink], with the default [IngestOptions]. The cause of its error is
// [fs.ErrInvalid] for a path that cannot be stored, and [format.ErrSchema] for the commit, issue or
// patchset of a header.
func (s *Store) Begin(ctx context.Context, src ingest.Source) (ingest.Batch, error) {
	return s.begin(ctx, src, &sink{Store: s})
}

// WantsSHA256 implements [ingest.Sink].
func (s *Store) WantsSHA256() bool { return true }

func (s *Store) begin(ctx context.Context, src ingest.Source, sink *sink) (ingest.Batch, error) {
	if err := checkPath("path", src.Path); err != nil {
		return nil, err
	}
	if sink.options.Run != "" {
		if err := checkPath("run", sink.options.Run); err != nil {
			return nil, err
		}
	}

	if err := checkHeader(&src.Header); err != nil {
		return nil, err
	}
	if err := checkText("option: commit", sink.options.Opener.Commit); err != nil {
		return nil, err
	}

	return &batch{
		store: s, ctx: ctx, src: src, sink: sink, hour: hourText(src.File),
		records: spool.New(s.maxMemory, math.MaxInt64),
	}, nil
}

func checkHeader(h *format.Header) error {
	for _, field := range []struct{ name, text string }{
		{"commit", h.Commit}, {"issue", h.Issue}, {"patchset", h.Patchset},
	} {
		if err := checkText("header: "+field.name, field.text); err != nil {
			return err
		}
	}
	return nil
}

// run returns the name of the run that the file belongs to.
func (b *batch) run() string {
	if b.sink.options.Run != "" {
		return b.sink.options.Run
	}
	return b.src.Path
}

// hourText returns the hour of a file as the database has it: its order is that of time.
func hourText(f ingest.File) string {
	if f.Hour.IsZero() {
		return ""
	}
	return f.Hour.UTC().Format(hourLayout)
}

const hourLayout = "2006/01/02/15"

// parseHour returns the time of an hour in the database.
func parseHour(text string) time.Time {
	hour, err := time.Parse(hourLayout, text)
	if err != nil {
		return time.Time{} // it is empty
	}
	return hour
}

// A dictionary numbers texts from 1.
type dictionary struct {
	numbers map[string]uint64
	last    uint64
}

// maxDictionary is the number of texts that a dictionary remembers.
const maxDictionary = 10_000

// number returns the number of a text, and whether it is new.
func (d *dictionary) number(text string) (n uint64, isNew bool) {
	if n, ok := d.numbers[text]; ok {
		return n, false
	}
	if d.numbers == nil || len(d.numbers) >= maxDictionary {
		d.numbers = make(map[string]uint64)
	}
	d.last++
	d.numbers[strings.Clone(text)] = d.last
	return d.last, true
}

// Add implements [ingest.Batch]. The cause of its error is [format.ErrSchema] for a commit that cannot
// be stored, or a trace ID with a zero byte, [ErrNoCommit] for a measurement without a commit,
// [format.ErrLimit] for a key that is too long, and [ErrOtherCharset] for a trace ID in another charset
// than that of the store.
func (b *batch) Add(at *series.Point) error {
	dst := b.scratch[:0]
	if ref, ok := b.store.names.find(at.Trace, at.Identity); ok {
		dst = binary.AppendUvarint(dst, uint64(ref.trace))
		dst = binary.AppendUvarint(dst, uint64(ref.spelling))
	} else {
		var err error
		if dst, err = b.appendTrace(dst, at); err != nil {
			return err
		}
	}

	rec := at.Record
	commit, isNew := b.commits.number(at.Commit)
	dst = binary.AppendUvarint(dst, commit)
	if isNew {
		if at.Commit == "" && !b.sink.options.AllowNoCommit {
			return &inputError{fmt.Sprintf("offset %d: %v", rec.Offset, ErrNoCommit), ErrNoCommit}
		}
		if err := checkText(fmt.Sprintf("offset %d: commit", rec.Offset), at.Commit); err != nil {
			return err
		}
		dst = appendText(dst, at.Commit)
		dst = binary.AppendVarint(dst, commitTime(at))
	}
	dst, err := b.appendLinks(dst, rec.Links)
	if err != nil {
		return err
	}
	dst = binary.AppendVarint(dst, int64(at.N))
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(rec.Value))

	b.scratch = dst
	b.count++
	_, err = b.records.Write(dst)
	return err
}

// commitTime returns the time of a point's commit in seconds since 1970, or 0 if it is not known.
func commitTime(at *series.Point) int64 {
	text, ok := at.Record.Params.Get("commit-time")
	if !ok {
		text, _ = at.Record.Attrs.Get("commit-time")
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// appendTrace appends a trace that has no number.
func (b *batch) appendTrace(dst []byte, at *series.Point) ([]byte, error) {
	for _, p := range at.Identity {
		if len(p.Key) > maxKey {
			message := fmt.Sprintf("offset %d: param key of %d bytes: want at most %d", at.Record.Offset, len(p.Key), maxKey)
			return dst, &inputError{message, format.ErrLimit}
		}
	}
	if err := b.checkTrace(at); err != nil {
		return dst, err
	}
	dst = append(dst, 0)
	dst = appendText(dst, at.Trace)
	if isID(at.Identity, at.Trace) {
		return append(dst, 0), nil
	}
	params, err := at.Identity.MarshalJSON()
	return appendText(dst, params), err
}

// checkTrace returns an error for a trace ID that is not in the charset of the store, or that
// cannot be stored.
func (b *batch) checkTrace(at *series.Point) error {
	b.id = b.store.charset.AppendID(b.id[:0], at.Identity)
	if !bytes.Equal(b.id, at.Trace) {
		return &inputError{fmt.Sprintf("offset %d: trace ID %.500q, want %.500q: %v", at.Record.Offset, at.Trace, b.id,
			ErrOtherCharset), ErrOtherCharset}
	}
	if b.store.charset == nil {
		return nil // it is ASCII without control characters
	}
	return checkText(fmt.Sprintf("offset %d: trace ID", at.Record.Offset), string(at.Trace))
}

// appendLinks appends the number of links, which is 0 without links.
func (b *batch) appendLinks(dst []byte, links format.Links) ([]byte, error) {
	if len(links) == 0 {
		return append(dst, 0), nil
	}
	if b.linksID != 0 && links.Equal(b.lastLinks) {
		return binary.AppendUvarint(dst, b.linksID), nil
	}

	text, err := links.MarshalJSON()
	if err != nil {
		return dst, err
	}
	id, isNew := b.links.number(string(text))
	b.lastLinks, b.linksID = append(b.lastLinks[:0], links...), id
	dst = binary.AppendUvarint(dst, id)
	if isNew {
		dst = appendText(dst, text)
	}
	return dst, nil
}

func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// Rollback implements [ingest.Batch].
func (b *batch) Rollback() error { return b.records.Close() }

// A stored is a record as a batch keeps it.
type stored struct {
	traceRef          // zero if the trace has no number yet
	name     verbatim // of a trace without a number
	commit   uint64   // the number in the batch
	links    uint64   // the same, for links
	n        int64
	value    float64
}

// A batchReader reads the records of a batch.
type batchReader struct {
	in      *bufio.Reader
	err     error       // the first
	commits []string    // new ones since they were taken, in the order of their numbers
	times   []time.Time // of these; zero if not known
	links   []string    // the same, for links
	seen    struct{ commits, links uint64 }
}

func (b *batch) reader() *batchReader {
	return &batchReader{in: bufio.NewReaderSize(b.records.Reader(), 64<<10)}
}

// read reads a record.
func (r *batchReader) read(rec *stored) error {
	*rec = stored{}
	if rec.trace = int64(r.uvarint()); rec.trace != 0 {
		rec.spelling = int64(r.uvarint())
	} else {
		rec.name = verbatim{r.text(), r.text()}
	}
	if rec.commit = r.uvarint(); rec.commit > r.seen.commits {
		r.seen.commits = rec.commit
		r.commits = append(r.commits, r.text())
		seconds, err := binary.ReadVarint(r.in)
		r.fail(err)
		r.times = append(r.times, parseSeconds(sql.NullInt64{Int64: seconds, Valid: seconds != 0}))
	}
	if rec.links = r.uvarint(); rec.links > r.seen.links {
		r.seen.links = rec.links
		r.links = append(r.links, r.text())
	}

	n, err := binary.ReadVarint(r.in)
	r.fail(err)
	rec.n = n
	var bits [8]byte
	_, err = io.ReadFull(r.in, bits[:])
	r.fail(err)
	rec.value = math.Float64frombits(binary.LittleEndian.Uint64(bits[:]))
	return r.err
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

func (r *batchReader) text() string {
	text := make([]byte, r.uvarint())
	_, err := io.ReadFull(r.in, text)
	r.fail(err)
	return string(text)
}
