package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/spool"
	"perfdata/traceid"
)

// An input is a file that can be read several times.
type input struct {
	name        string // for people
	index       int    // among the command's files
	info        format.Info
	compression []string // outermost first
	file        io.ReadSeeker
	pipe        *spool.Spool // used instead of file: a copy of an unseekable input
	reading     reading
	limits      format.Limits
}

// A file is what the tool opens.
type file interface {
	io.ReadSeekCloser
	Stat() (fs.FileInfo, error)
}

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
	copy *spool.Spool
	err  error // the error of copying
}

// reading is the flags about reading.
type reading struct {
	format          string
	optionsAsParams bool
	params          []string // key=value
	samples         bool     // read samples as measurements
}

// addReadingFlags adds the flags of a command that reads measurements.
func (t *tool) addReadingFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	t.addFromFlag(cmd, formatNames()...)
	flags.BoolVar(&t.reading.optionsAsParams, "options-as-params", false,
		"treat options in nanolegacy files as params, as Skia Perf's ingester does")
	flags.StringArrayVar(&t.reading.params, "param", nil,
		"param to add to every keyval measurement, as `key=value`, e.g. test=boot (repeatable)")
	complete(cmd, "param")
	t.addLimitFlag(cmd)
}

// addFromFlag adds the flag that chooses the input format, and its former name.
func (t *tool) addFromFlag(cmd *cobra.Command, formats ...string) {
	flags := cmd.Flags()
	for _, name := range []string{"from", "format"} {
		flags.StringVar(&t.reading.format, name, "", "input `FORMAT` (default: detect): "+oneOf(formats))
		complete(cmd, name, formats...)
	}
	flags.MarkHidden("format")
}

// complete makes the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// It fails only for an unknown flag; a test shows that all are known.
	cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func (r *reading) check() error {
	if r.format != "" {
		name, err := formatNamed(r.format)
		if err != nil {
			return err
		}
		r.format = name
	}
	for _, p := range r.params {
		switch key, _, ok := strings.Cut(p, "="); {
		case !ok || key == "":
			return fmt.Errorf("--param %q: want key=value", p)
		case key == "key" || key == "iteration":
			return fmt.Errorf("--param %q: %s comes from the file", p, key)
		}
	}
	return nil
}

// eachInput opens each file in turn, detects its format and calls do with it. It reports files
// that cannot be opened or have an unknown format, and then returns failed = true.
func (t *tool) eachInput(names []string, do func(*input)) (failed bool, err error) {
	if err := t.reading.check(); err != nil {
		return true, err
	}
	for i, name := range names {
		err := t.withInput(i, name, func(in *input) error {
			t.noteUnused(in)
			do(in)
			return nil
		})
		if err != nil {
			t.report(err)
			failed = true
		}
	}
	return failed, nil
}

// noteUnused prints a note for each flag that has no effect on the input.
func (t *tool) noteUnused(in *input) {
	for _, flag := range []struct {
		name, format string
		given        bool
	}{
		{"--param", "keyval", len(in.reading.params) > 0},
		{"--options-as-params", "nanolegacy", in.reading.optionsAsParams},
	} {
		if flag.given && in.info.Name != flag.format {
			t.note("%s: %s has no effect: the format is %s, not %s", in.name, flag.name, in.info.Name, flag.format)
		}
	}
	if in.reading.samples && in.info.Name != "nanolegacy" {
		t.note("%s: the format %s has no samples", in.name, in.info.Name)
	}
}

// withInput opens a file, detects its format and calls do with it. It returns the error of any of
// these.
func (t *tool) withInput(index int, name string, do func(*input) error) error {
	in := &input{name: name, index: index, reading: t.reading, limits: t.limits}
	if name == "-" {
		in.name = "<stdin>"
	}
	f, err := t.openInput(in, name)
	if err != nil {
		return err
	}

	if f != nil {
		defer f.Close()
		if bar := t.newProgress(f, name); bar != nil {
			defer bar.done()
			in.file = bar
		}
	}

	src, err := in.reader()
	if err != nil {
		return err
	}
	if t.reading.format != "" {
		in.info, _ = perfdata.FormatNamed(t.reading.format)
	} else if in.info, _, err = perfdata.DetectReader(src, in.name); err != nil {
		return err
	}
	return do(in)
}

// openInput opens the input's file. If the file can be read only once, openInput copies it and
// returns nil.
func (t *tool) openInput(in *input, name string) (file, error) {
	if p, ok := t.pipes[name]; ok {
		in.pipe = p.copy
		return nil, p.err
	}
	if name == "-" {
		if in.file = t.seekableStdin(); in.file != nil {
			return nil, nil
		}
		return nil, t.copyPipe(in, name, t.stdin)
	}

	f, err := t.open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	if err != nil {
		f.Close()
		return nil, err
	}

	if !info.Mode().IsRegular() {
		if _, err := f.Seek(0, io.SeekCurrent); err != nil {
			defer f.Close()
			return nil, t.copyPipe(in, name, f)
		}
	}
	in.file = f
	return f, nil
}

// seekableStdin returns standard input from its initial offset on, or nil if it is not seekable.
func (t *tool) seekableStdin() io.ReadSeeker {
	if t.stdinFile == nil {
		if seeker, ok := t.stdin.(io.ReadSeeker); ok {
			if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
				t.stdinFile = &tail{seeker, start}
			}
		}
	}
	return t.stdinFile
}

// copyPipe copies an input that can be read only once. All inputs with this name are read from the
// copy; if copying fails, they all have its error.
func (t *tool) copyPipe(in *input, name string, src io.Reader) error {
	p := &pipe{copy: spool.New(t.limits.MaxSpoolMemory, t.limits.MaxSpoolBytes)}
	t.pipes[name] = p
	_, p.err = io.Copy(p.copy, src)
	if p.err == spool.ErrFull {
		msg := message.Limit("MaxSpoolBytes", t.limits.MaxSpoolBytes, "bytes of an unseekable input")
		p.err = fmt.Errorf("%s: %s", in.name, msg)
	}
	if p.err != nil {
		p.copy.Close()
	}
	in.pipe = p.copy
	return p.err
}

// A tail is a file from the offset start on.
type tail struct {
	io.ReadSeeker
	start int64
}

func (t *tail) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		offset += t.start
	}
	n, err := t.ReadSeeker.Seek(offset, whence)
	return n - t.start, err
}

// reader returns a reader of the whole input, decompressed.
func (in *input) reader() (io.Reader, error) {
	src, err := in.rewind()
	if err != nil {
		return nil, err
	}
	src, in.compression, err = perfdata.Decompress(src, in.name, in.limits)
	return src, err
}

// rewind returns a reader of all of the input as it is.
func (in *input) rewind() (io.Reader, error) {
	if in.file == nil {
		return in.pipe.Reader()
	}
	_, err := in.file.Seek(0, io.SeekStart)
	return in.file, err
}

// open returns a Reader of the input's measurements.
func (in *input) open() (format.Reader, error) {
	src, err := in.rewind()
	if err != nil {
		return nil, err
	}
	opener := perfdata.Opener{Limits: in.limits, Format: in.info.Name, OptionsAsParams: in.reading.optionsAsParams}
	for _, p := range in.reading.params {
		key, value, _ := strings.Cut(p, "=")
		opener.Params = traceid.Merge(opener.Params, traceid.Params{{Key: key, Value: value}})
	}
	f, err := opener.NewReader(src, in.name)
	if err != nil {
		return nil, err
	}
	if in.reading.samples {
		return samplesOf(f.Reader), nil
	}
	return f.Reader, nil
}
