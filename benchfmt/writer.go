package benchfmt

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/goname"
	"perfdata/internal/number"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Writer writes result lines, and configuration lines where the configuration changes. It is
// deterministic. Its output is read back equal, and passes Validate. Consecutive records that
// differ only in their unit become one line.
//
// Write divides a record's params between the benchmark's name and the configuration. goos,
// goarch, pkg, cpu, commit and the keys of the Header's Config become configuration. All others
// become parts of the name, if it can hold them. The unit is the param unit, or else units. The
// attr iterations is the number of iterations; without it, the number is 1. The attrs better,
// assume, and the keys of the Header's Units become unit metadata.
//
// Lines of the same name are repetitions, in their order. So a record's Repetition needs no text,
// and params repetition and iteration that spell it are left out. If it is not the next one of its
// benchmark and unit, /repetition=N becomes a part of the name.
//
// A Writer checks records before it writes any part of them. It refuses links, other attrs, and
// params that neither a name nor a configuration line can hold. Unit metadata applies to all later
// records of its unit, in every spelling, so it also refuses a record with other metadata than an
// earlier one, or without it. A refused record leaves the Writer as it was.
//
// A Writer serves one goroutine.
type Writer struct {
	// DropAttrs leaves out attrs that the format can't hold: those other than iterations and unit
	// metadata. Records of a unit whose metadata differ are then written, and read back with the
	// metadata that was written first.
	DropAttrs bool

	out    buffer.Output
	header Header
	begun  bool // the header is in out

	records assembler
	units   unitWriter
	config  configWriter

	repetitions traceset.Numberer
}

// NewWriter returns a Writer to out. The Header's configuration is written first. The first call
// of another method reports an invalid Header, and writes nothing.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Config = header.Config.Clone()
	w := &Writer{out: buffer.NewOutput(out), header: header}
	w.records.init(header)
	return w
}

// Write writes a record.
func (w *Writer) Write(rec *format.Record) error {
	if err := w.begin(); err != nil {
		return err
	}
	fit := rec
	if rec.Repetition != 0 {
		var err error
		if fit, _, err = w.repetitions.Ordered(rec); err != nil {
			return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
		}
	}
	if err := w.writeRecord(fit); err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}
	if fit != rec {
		w.repetitions.Wrote()
	}
	return w.out.FlushIfLarge()
}

func (w *Writer) writeRecord(rec *format.Record) error {
	if len(rec.Links) > 0 {
		return fmt.Errorf("the format can't hold links, such as %q", rec.Links[0].Key)
	}
	if err := rec.Attrs.CheckSorted(); err != nil {
		return fmt.Errorf("attrs: %w", err)
	}

	a := &w.records
	at := a.unitIndex(rec.Params)
	unit := valueUnit(rec.Params, at)
	fits := a.fits(rec)
	if err := w.units.checkUnit(unit); err != nil {
		return err
	}

	metadata, err := w.units.ofRecord(rec, unit, at, w.DropAttrs)
	if err != nil {
		return err
	}
	isOpen := func(v Value) bool { return w.units.base(v.Unit) == w.units.base(unit) } // metadata would come too late
	if fits && (len(metadata) == 0 || !slices.ContainsFunc(a.result.Values, isOpen)) {
		w.out.Bytes = w.units.appendRecord(w.out.Bytes, unit, metadata)
		a.add(rec)
		return nil
	}

	pending := len(a.result.Values) > 0
	if err := a.begin(rec, at); err != nil {
		return err
	}
	if pending {
		w.appendResult(&a.spare)
	}
	w.out.Bytes = w.units.appendRecord(w.out.Bytes, unit, metadata)
	return nil
}

// WriteResult writes a result line. Its Config is the configuration in force; nil means the
// Header's Config. The Name may begin with "Benchmark", as the name of a testing.B does.
// WriteResult refuses an empty Name, and Iterations below 1.
func (w *Writer) WriteResult(res *Result) error {
	if err := w.begin(); err != nil {
		return err
	}
	line := *res
	line.Name = strings.TrimPrefix(line.Name, prefix)
	if err := w.checkResult(&line); err != nil {
		return fmt.Errorf("benchmark %q: %w", res.Name, err)
	}
	w.endRecords()
	w.appendResult(&line)
	return w.out.FlushIfLarge()
}

// WriteUnit writes unit metadata. It does not write the same metadata again. Another value for the
// same key is an error.
func (w *Writer) WriteUnit(u UnitMetadata) error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.units.check(u); err != nil {
		return err
	}
	w.endRecords()
	w.out.Bytes = w.units.append(w.out.Bytes, u.Unit, traceid.Params{{Key: u.Key, Value: u.Value}})
	return w.out.FlushIfLarge()
}

// Flush writes everything that the Writer holds to out.
func (w *Writer) Flush() error {
	if err := w.begin(); err != nil {
		return err
	}
	w.endRecords()
	return w.out.Flush()
}

// Close writes everything that the Writer holds to out. It does not close out. A second call
// returns nil if the first one did.
func (w *Writer) Close() error {
	if w.out.Closed() {
		return nil
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return w.out.Close()
}

// begin writes the header, unless it was written before.
func (w *Writer) begin() error {
	if w.out.Err() != nil || w.begun {
		return w.out.Err()
	}
	for _, p := range w.header.Config {
		if err := goname.CheckConfig(p); err != nil {
			return fmt.Errorf("header: configuration %q: %q: %w", p.Key, p.Value, err)
		}
	}

	w.units = unitWriter{
		metadata: make(map[string]traceid.Params),
		required: make(map[string]traceid.Params),
		keys:     map[string]bool{"better": true, "assume": true},
		bases:    make(map[string]string),
	}
	var n nameEncoder
	if err := n.arrange(w.header.Config, -1, w.records.config); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	w.out.Bytes = w.config.append(w.out.Bytes, n.config)

	for _, u := range w.header.Units {
		if err := w.units.check(u); err != nil {
			w.out.Bytes = w.out.Bytes[:0]
			return fmt.Errorf("header: %w", err)
		}
		w.units.keys[u.Key] = true
		w.out.Bytes = w.units.append(w.out.Bytes, u.Unit, traceid.Params{{Key: u.Key, Value: u.Value}})
	}
	w.header.Config = n.config
	w.begun = true
	return nil
}

// endRecords writes the open result.
func (w *Writer) endRecords() {
	a := &w.records
	if len(a.result.Values) > 0 {
		w.appendResult(&a.result)
		a.result.Values = a.result.Values[:0]
	}
}

func (w *Writer) checkResult(res *Result) error {
	size := nameSize(len(res.Name))
	for i := range res.Values {
		unit := res.Values[i].Unit
		size += valueSize(len(unit))
		if err := w.units.checkUnit(unit); err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
	}

	switch {
	case len(res.Values) == 0:
		return errors.New("missing values")
	case res.Name == "":
		return errors.New("missing name")
	case res.Iterations < 1:
		return fmt.Errorf("%d iterations, want at least 1", res.Iterations)

	case strings.Count(res.Name, "/") >= maxParams:
		return fmt.Errorf("a name has at most %d parts", maxParams)
	case !utf8.ValidString(res.Name):
		return errors.New("the name is not UTF-8")
	case strings.ContainsFunc(res.Name, unicode.IsSpace):
		return errors.New("a name must not have spaces")
	case size > maxLine:
		return goname.ErrLong
	}

	if slices.Equal(res.Config, w.config.last) {
		return nil
	}
	for _, p := range res.Config {
		if err := goname.CheckConfig(p); err != nil {
			return fmt.Errorf("configuration %q: %q: %w", p.Key, p.Value, err)
		}
	}
	return checkSize(res.Config)
}

// appendResult appends the lines of a valid result.
func (w *Writer) appendResult(res *Result) {
	config := res.Config
	if config == nil {
		config = w.header.Config
	}
	b := w.config.append(w.out.Bytes, config)
	b = append(append(append(b, prefix...), res.Name...), ' ')
	b = strconv.AppendInt(b, int64(res.Iterations), 10)
	for i := range res.Values {
		v := &res.Values[i]
		b = append(b, ' ')
		if v.Value-v.Value != 0 {
			b = strconv.AppendFloat(b, v.Value, 'g', -1, 64)
		} else {
			b = number.AppendShortest(b, v.Value)
		}
		b = append(append(b, ' '), v.Unit...)
	}
	w.out.Bytes = append(b, '\n')
	w.config.results = true
}
