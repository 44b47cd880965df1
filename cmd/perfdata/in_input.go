package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strconv"
	"syscall"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/message"
	"perfdata/internal/opening"
	"perfdata/store"
	"perfdata/traceid"
)

// An input is a file, a pipe or a folder. It can be read several times, except for a stream.
type input struct {
	name        string // for people
	index       int    // among the command's files
	info        format.Format
	compression []string // outermost first

	// One of these is set.
	file   io.ReadSeeker // a file, or the copy of an input that cannot seek
	stream io.Reader     // an input that cannot seek, which the command reads once
	folder string        // its name
	stored *store.Store  // a store that is an input

	isParquet bool // the file is Parquet

	stamp    opening.Stamp // of a regular file, which does not change while it is read
	samples  bool          // read samples as measurements
	doubtful bool          // nothing at its beginning shows that it is of the format that --from names
	opener   perfdata.Opener
	first    *perfdata.File // open since the format was detected, until it is read
	last     *perfdata.File // the last one that was opened
}

// A file is what the tool opens.
type file interface {
	io.ReadSeekCloser
	Stat() (fs.FileInfo, error)
}

// openFile opens a file as the tool does unless a test replaces it. A nil *os.File would not be a
// nil file, so that there are two returns.
func openFile(name string) (file, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// A pipe is a copy of an input that can be read only once: a pipe, a terminal, a FIFO, or
// <(command) in a shell.
type pipe struct {
	copy *buffer.Spool
	err  error // the error of copying
}

// eachInput opens each file in turn, detects its format and calls do with it. It reports the files
// for which any of these fails, and returns whether there are any.
func (t *tool) eachInput(names []string, do func(*input) error) (failed bool) {
	t.setRepeated(names)
	for i, name := range names {
		if err := t.withInput(i, name, do); err != nil {
			t.report(err)
			failed = true
		}
	}
	return failed
}

// setRepeated notes which names occur twice on the command line. It is called once for each command
// line, with all files of it.
func (t *tool) setRepeated(names []string) {
	// A pipe that is named twice must be copied, so that its content can be read under both
	// names.
	t.repeated = make(map[string]bool)
	for _, name := range names {
		_, t.repeated[name] = t.repeated[name] // it has the name from the first time on
	}
}

// withInput opens a file, detects its format and calls do with it. It returns the error of any of
// these.
func (t *tool) withInput(index int, name string, do func(*input) error) error {
	if t.readsStores && isStore(name) {
		err := t.openStored(name, func(s *store.Store) error {
			info := format.Format{Name: "store", Title: "results database"}
			return do(&input{name: name, index: index, info: info, stored: s})
		})
		if err != nil {
			t.status = statusFailed // a database is not an input that may be invalid
		}
		return err
	}

	in := &input{name: inputName(name), index: index, opener: t.reading.opener, samples: t.reading.samples}
	f, err := t.openInput(in, name)
	if err != nil {
		return err
	}
	// Parquet is read from its end, so a stream cannot be; then the error says so.
	in.isParquet = in.file != nil && isParquet(in.file)
	if f != nil {
		defer f.Close()
		// The bar is in the place of the file, below everything that reads it.
		if bar := t.newProgress(f, name, index); bar != nil {
			defer t.removeBar()
			in.file = bar
		}
	}

	defer in.close()
	if err := t.checkFrom(in); err != nil {
		return err
	}
	// Opening detects the format. The command does not read the bytes again that were read for
	// that.
	in.first, err = in.openFile()
	if errors.Is(err, syscall.EISDIR) {
		message := "is a directory: want a file"
		if t.readsFolders {
			message = "is a directory; -r reads folders"
		}
		err = &fs.PathError{Op: "read", Path: name, Err: errors.New(message)}
	}
	if err != nil {
		return err
	}

	in.info, in.compression = in.first.Format, in.first.Compression
	// This is not an error, because the next file may have samples.
	if _, ok := in.first.Reader.(format.Sampler); t.reading.samples && !ok {
		t.note("%s: the format %s has no samples", in.name, in.info.Name)
	}
	// Later readings have the same format, even if the file has another one then: the fingerprint
	// shows whether it changed.
	if in.folder == "" {
		in.opener.Format = in.info.Name
	}
	if in.isParquet {
		in.info.Name, in.info.Title = "parquet", "measurements in Parquet"
	}
	return do(in)
}

// inputName returns the name of an input for people.
func inputName(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}

// openInput opens the input's file. It returns nil if there is nothing to close: for a folder, for
// standard input, and for the copy of an unseekable input.
func (t *tool) openInput(in *input, name string) (file, error) {
	// This is the second reading of a pipe, or the second time that it is named. Each reading has a
	// section, and so a position, of its own.
	if p, ok := t.pipes[name]; ok {
		in.file = io.NewSectionReader(p.copy, 0, p.copy.Size())
		return nil, p.err
	}
	if name == "-" {
		if in.file = t.seekableStdin(); in.file != nil {
			return nil, nil
		}
		t.noteTerminal()
		return nil, t.openPipe(in, name, t.stdin)
	}

	f, err := t.openNamed(name)
	if err != nil {
		return nil, err
	}

	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return nil, err
	case info.IsDir():
		in.folder = name
		return nil, f.Close()
	case info.Mode().IsRegular():
		in.stamp = opening.StampOf(info)
		f = opening.Unchanged(f, info).(file)
		in.file = f
		return f, nil
	}

	// Some devices can be read twice. A FIFO, and what a shell makes of <(command), cannot.
	if _, err := f.Seek(0, io.SeekCurrent); err == nil {
		in.file = f
		return f, nil
	}
	// A copy does not need the pipe any more. A stream is closed by the caller.
	if err := t.openPipe(in, name, f); in.stream == nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// noteTerminal says that the tool waits for input, if standard input is a terminal.
func (t *tool) noteTerminal() {
	if in, ok := t.stdin.(io.Writer); ok && t.isTerminal(in) {
		t.note("reading standard input, which is a terminal; Ctrl-D ends it")
	}
}

// seekableStdin returns standard input, or nil if it is not seekable. If another program of a
// script has read a part of it, only the rest is the input, so that is read like a pipe.
func (t *tool) seekableStdin() io.ReadSeeker {
	seeker, ok := t.stdin.(io.ReadSeeker)
	if t.stdinFile != nil || !ok {
		return t.stdinFile
	}
	if start, err := seeker.Seek(0, io.SeekCurrent); start > 0 || err != nil {
		return nil
	}
	if f, ok := seeker.(file); ok {
		if info, err := f.Stat(); err == nil {
			seeker = opening.Unchanged(f, info).(file)
		}
	}
	t.stdinFile = seeker
	return t.stdinFile
}

// openPipe opens an input that can be read only once. If the command reads its files once, it reads
// the pipe itself, and results are printed as they come. Otherwise all inputs with this name are
// read from a copy; if copying fails, they all have its error.
func (t *tool) openPipe(in *input, name string, src io.Reader) error {
	if t.readsOnce && !t.repeated[name] {
		in.stream = &stream{src, t}
		return nil
	}
	// A small copy is in memory only, and the rest of a large one in a temporary file.
	limits := &t.reading.opener.Limits
	p := &pipe{copy: buffer.NewSpool(limits.MaxSpoolMemory, limits.MaxSpoolBytes)}
	t.pipes[name] = p
	_, p.err = io.Copy(p.copy, src)

	// The limit belongs to the tool, so the error has the form of a library error, and names the
	// flag.
	if p.err == buffer.ErrFull {
		msg := message.Limit("MaxSpoolBytes", limits.MaxSpoolBytes, "bytes of an unseekable input")
		p.err = fmt.Errorf("%s: %s", in.name, msg)
	}
	if p.err != nil {
		p.copy.Close()
	}
	in.file = io.NewSectionReader(p.copy, 0, p.copy.Size())
	return p.err
}

// A stream is a pipe. Output appears before the tool waits for more input.
type stream struct {
	io.Reader
	tool *tool
}

// Read flushes the output before it may wait: go test -bench prints a line a second.
func (s *stream) Read(p []byte) (int, error) {
	s.tool.stdout.Flush() // an error is returned by later writes
	return s.Reader.Read(p)
}

// rewind returns a reader of all of the input as it is.
func (in *input) rewind() (io.Reader, error) {
	if in.stream != nil {
		if in.last != nil {
			return nil, fmt.Errorf("%s: cannot be read twice", in.name)
		}
		return in.stream, nil
	}
	// A bar shows one pass, and this is where passes begin.
	if bar, ok := in.file.(*progress); ok {
		bar.begin()
	}
	_, err := in.file.Seek(0, io.SeekStart)
	if err == nil && in.isParquet {
		return newParquetReader(in.file, in.name)
	}
	return in.file, err
}

// openFile opens the input from its beginning, and closes the File of the previous reading, which
// has the same source. The first reading gets the File that detected the format.
func (in *input) openFile() (f *perfdata.File, err error) {
	if f = in.first; f != nil {
		in.first = nil
		return f, nil
	}
	if in.stored != nil {
		all := in.stored.Measurements(context.Background(), nil, store.Range{}) // of the mainline
		return &perfdata.File{Reader: &storeReader{all: all}, Format: in.info}, nil
	}

	in.close()
	if in.folder != "" {
		f, err = in.opener.Open(in.folder)
	} else {
		var src io.Reader
		if src, err = in.rewind(); err == nil {
			f, err = in.opener.NewReader(src, in.name)
		}
	}
	if err == nil {
		in.last = f
	}
	return f, err
}

// open returns a File of the input's measurements.
func (in *input) open() (*perfdata.File, error) {
	f, err := in.openFile()
	if err != nil {
		return nil, err
	}
	if in.samples {
		f.Reader = sampleReader{f.Reader}
	}
	return f, nil
}

// close closes the File of the last reading. What it reads is closed by withInput.
func (in *input) close() {
	if in.last != nil {
		in.last.Close() // it was read only
	}
}

// A sampleReader has the samples of a file as its records, one for each sample.
type sampleReader struct{ format.Reader }

// Records iterates over the samples. A sample has the params of its array and the param iteration,
// from 1 on; if the array has that param already, sample instead.
func (r sampleReader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		sampler, ok := r.Reader.(format.Sampler)
		if !ok {
			return // the user was told that the format has none
		}
		rec := new(format.Record)
		header, _ := r.FileHeader() // Samples has its error
		for s, err := range sampler.Samples() {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}

			// As in keyval files, so that other commands take samples like iterations.
			number := "iteration"
			if _, ok := s.Params.Get(number); ok {
				number = "sample"
			}

			// All samples of an input share one record, as the measurements of a Reader do.
			*rec = format.Record{
				Params: traceid.Merge(s.Params, traceid.Of(number, "")), Attrs: s.Attrs,
				Offset: s.Offset, Commit: header.Commit,
			}

			// The number has the same place in all samples of an array, so each of them is the same
			// record with another number.
			at, _ := rec.Params.Find(number)
			for i, value := range s.Values {
				rec.Params[at].Value = strconv.Itoa(i + 1)
				rec.Value = value
				// If the measurement has an iteration of its own, a sample is not one of its repetitions.
				if number == "iteration" {
					rec.Repetition = i + 1
				}
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}

// With --from, the format is not detected. Readers of lines skip unknown lines, so a wrong --from
// would succeed without a measurement. Therefore the tool looks at the beginning of the input: it
// refuses an input that is evidently of another format, and an input that is not evidently of the
// format must have a measurement.

// lookAhead is how much of an input is compared with --from.
const lookAhead = 64 << 10

// checkFrom compares the beginning of an input with --from. It returns an error if the input is of
// another format.
func (t *tool) checkFrom(in *input) error {
	named, ok := perfdata.FormatNamed(t.reading.opener.Format)
	if !ok || in.folder != "" {
		return nil
	}

	// The input is still read from its beginning. A stream cannot be read again, and may wait for
	// more, like a log that is followed, so only the bytes that have arrived are examined.
	var prefix []byte
	whole := true // all of the input has arrived
	if in.stream != nil {
		// The buffer is filled by one read: io.ReadAll would wait for the end of the stream.
		buffered := bufio.NewReaderSize(in.stream, lookAhead)
		in.stream = buffered
		if _, err := buffered.Peek(1); err != nil {
			return nil // whoever reads the stream gets the error
		}
		prefix, _ = buffered.Peek(buffered.Buffered())
		whole = len(prefix) == lookAhead
	} else {
		_, err := in.file.Seek(0, io.SeekStart)
		if err == nil {
			prefix, err = io.ReadAll(io.LimitReader(in.file, lookAhead))
		}
		if err != nil {
			return err
		}
	}

	// If the beginning cannot be decompressed, whoever reads the input gets the error.
	var text []byte
	if r, _, err := perfdata.Decompress(bytes.NewReader(prefix), in.name, in.opener.Limits); err == nil {
		text, _ = io.ReadAll(io.LimitReader(r, lookAhead))
	}
	other, detected := perfdata.Detect(text)
	// A blank input may be of any format of lines, and has no measurements.
	if named.Detect(text).Yes || other.Name == named.Name || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}

	// Nothing shows the format so far, so that a measurement must.
	in.doubtful = true
	isDocument := bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
	// In a log, the lines that have not arrived may be of the format.
	if detected && (whole || isDocument) {
		return notFrom(in.name,
			fmt.Sprintf("the format is not %s: it looks like %s (%s)", named.Name, other.Name, other.Title))
	}
	return nil
}

// notFrom returns the error about an input that is not of the format that --from names.
func notFrom(name, message string) error {
	return &format.Error{
		Name: name, Position: format.Position{Line: 1, Column: 1}, Message: message, Err: format.ErrUnknown,
	}
}

// records iterates over the measurements that a Reader of the input reads. The input must have one
// if its format is doubtful.
func (in *input) records(r format.Reader) iter.Seq2[*format.Record, error] {
	if !in.doubtful || in.samples {
		return r.Records()
	}
	return func(yield func(*format.Record, error) bool) {
		any := false
		for rec, err := range r.Records() {
			any = true
			if !yield(rec, err) {
				return
			}
		}
		if !any {
			yield(nil, notFrom(in.name, "no measurement found, and nothing else of the format "+in.info.Name))
		}
	}
}
