package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// reader returns a reader of the copy.
func (p *pipe) reader() io.ReadSeeker { return io.NewSectionReader(p.copy, 0, p.copy.Size()) }

// reading is the flags about reading.
type reading struct {
	opener  perfdata.Opener // without limits
	samples bool            // read samples as measurements
	charset string          // the expression of --charset, or empty
	given   string          // one of the other flags that are given
}

// setGiven notes a flag of a command line that says how files are read.
func (r *reading) setGiven(flags *pflag.FlagSet) {
	for _, name := range []string{"from", "format", "param", "commit", "promote", "set", "samples"} {
		if flags.Changed(name) {
			r.given = name
		}
	}
}

// addReadingFlags adds the flags of a command that reads measurements of files and folders.
func (t *tool) addReadingFlags(cmd *cobra.Command) {
	t.addOpenerFlags(cmd)
	t.addFolderFlag(cmd)
}

// addOpenerFlags adds the flags that say how files are read.
func (t *tool) addOpenerFlags(cmd *cobra.Command) {
	o := &t.reading.opener
	t.addFromFlag(cmd, namesOf(readFormats())...)
	addFunc(cmd, "param", "param to add to every keyval measurement, as `key=value`, e.g. test=boot (repeatable)",
		func(text string) error {
			key, value, ok := strings.Cut(text, "=")
			switch {
			case !ok || key == "":
				return errors.New("want key=value")
			case key == "key" || key == "iteration":
				return fmt.Errorf("%s comes from the file", key)
			}
			o.Params = traceid.Merge(o.Params, traceid.Of(key, value))
			return nil
		})
	addFunc(cmd, "commit", "the `COMMIT` of measurements for which the input names none", func(commit string) error {
		if commit == "" { // usually from a failed command substitution in a shell
			return errors.New("the commit is empty")
		}
		o.Commit = commit
		return nil
	})
	addFunc(cmd, "promote", "make the attr `KEY` a param, unless the measurement has a param of that key (repeatable)",
		func(key string) error {
			if key == "" {
				return errors.New("the key is empty")
			}
			o.Promote = append(o.Promote, key)
			return nil
		})

	var names []string
	for _, f := range perfdata.Formats() {
		for _, s := range f.Settings {
			names = append(names, f.Name+"."+s.Name+"=")
		}
	}
	addFunc(cmd, "set", "setting of one format, as `FORMAT.SETTING=VALUE`, e.g. skiav1.branches=main (repeatable); "+
		"see perfdata formats", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("want FORMAT.SETTING=VALUE; perfdata formats lists the settings")
		}
		if o.Settings == nil {
			o.Settings = make(map[string]string)
		}
		o.Settings[name] = value
		return perfdata.CheckSettings(o.Settings)
	}, names...)
	t.addLimitFlag(cmd)
}

// addFromFlag adds the flag that chooses the input format, and its former name. Scripts of users
// may still have the former one, so it stays, without a line in the usage.
func (t *tool) addFromFlag(cmd *cobra.Command, formats ...string) {
	for _, name := range []string{"from", "format"} {
		addFunc(cmd, name, "input `FORMAT` (default: detect): "+oneOf(formats), func(text string) error {
			f, err := formatNamed(text, readFormats())
			t.reading.opener.Format = f.Name
			return err
		}, formats...)
	}
	cmd.Flags().MarkHidden("format")
}

// complete makes the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// It fails only for an unknown flag; a test shows that all are known.
	cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// opener returns an Opener with the values of the flags.
func (t *tool) opener() perfdata.Opener {
	o := t.reading.opener
	o.Limits = t.limits
	return o
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
		err := t.openStored(name, func(name string, s *store.Store) error {
			info := format.Format{Name: "store", Title: "results database"}
			return do(&input{name: name, index: index, info: info, stored: s})
		})
		if err != nil {
			t.status = statusFailed // a database is not an input that may be invalid
		}
		return err
	}

	in := &input{name: inputName(name), index: index, opener: t.opener(), samples: t.reading.samples}
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
	// This is the second reading of a pipe, or the second time that it is named.
	if p, ok := t.pipes[name]; ok {
		in.file = p.reader()
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
	p := &pipe{copy: buffer.NewSpool(t.limits.MaxSpoolMemory, t.limits.MaxSpoolBytes)}
	t.pipes[name] = p
	_, p.err = io.Copy(p.copy, src)

	// The limit belongs to the tool, so the error has the form of a library error, and names the
	// flag.
	if p.err == buffer.ErrFull {
		msg := message.Limit("MaxSpoolBytes", t.limits.MaxSpoolBytes, "bytes of an unseekable input")
		p.err = fmt.Errorf("%s: %s", in.name, msg)
	}
	if p.err != nil {
		p.copy.Close()
	}
	in.file = p.reader()
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
