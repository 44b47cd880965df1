package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/spool"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/traceid"
)

// An input is a file to read, as often as is wanted.
type input struct {
	name        string
	info        format.Info
	compression []string // outermost first
	file        io.ReadSeeker
	pipe        *spool.Spool // instead of file: what came from standard input, if that can't seek
	reading     reading
}

// reading is what the flags say about how to read.
type reading struct {
	format          string
	optionsAsParams bool
	params          []string // key=value
}

// addReadingFlags adds the flags of a command that reads measurements.
func (t *tool) addReadingFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&t.reading.format, "format", "", "the files' `format`, instead of detecting it: "+strings.Join(formatNames(), ", "))
	flags.BoolVar(&t.reading.optionsAsParams, "options-as-params", false,
		"the options in legacy files of Skia Perf are params, as for its ingestion")
	flags.StringArrayVar(&t.reading.params, "param", nil,
		"a `key=value` that all measurements of keyval files have, such as the test's name; may be given several times")
	complete(cmd, "format", formatNames()...)
	complete(cmd, "param")
}

func formatNames() []string {
	var names []string
	for _, info := range perfdata.Formats() {
		names = append(names, info.Name)
	}
	return names
}

// complete has the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// It fails for a flag that isn't there only; a test shows that they are.
	cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func (r *reading) check() error {
	if _, ok := perfdata.FormatNamed(r.format); r.format != "" && !ok {
		return fmt.Errorf("unknown format %q: see --help for those that are known", r.format)
	}
	for _, p := range r.params {
		switch key, _, ok := strings.Cut(p, "="); {
		case !ok || key == "":
			return fmt.Errorf("--param %q is not of the form key=value", p)
		case key == "key" || key == "iteration":
			return fmt.Errorf("--param %q: %s is the file's own", p, key)
		}
	}
	return nil
}

// eachInput opens each file in turn, finds its format and calls do with it. Files that can't be opened, or of an
// unknown format, are reported, and tell by the result that some couldn't be read at all.
func (t *tool) eachInput(names []string, do func(*input)) (failed bool, err error) {
	if err := t.reading.check(); err != nil {
		return true, err
	}
	for _, name := range names {
		if err := t.withInput(name, do); err != nil {
			t.report(err)
			failed = true
		}
	}
	return failed, nil
}

func (t *tool) withInput(name string, do func(*input)) error {
	in := &input{name: name, reading: t.reading}
	if name == "-" {
		in.name = "<stdin>"
		if err := t.openStdin(); err != nil {
			return err
		}
		in.file, in.pipe = t.stdinFile, t.stdinPipe
	} else {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in.file = f
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
	do(in)
	return nil
}

// openStdin makes standard input one that can be read again: itself if it is a file, else a copy of it.
func (t *tool) openStdin() error {
	if t.stdinFile != nil || t.stdinPipe != nil {
		return nil
	}
	if seeker, ok := t.stdin.(io.ReadSeeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			t.stdinFile = &tail{seeker, start}
			return nil
		}
	}
	limits := format.Limits{}.WithDefaults()
	t.stdinPipe = spool.New(limits.MaxSpoolMemory, limits.MaxSpoolBytes)
	_, err := io.Copy(t.stdinPipe, t.stdin)
	return err
}

// A tail is what follows start of a file.
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

// reader returns a reader of all of the input, decompressed.
func (in *input) reader() (io.Reader, error) {
	var src io.Reader
	var err error
	if in.file == nil {
		src, err = in.pipe.Reader()
	} else {
		src = in.file
		_, err = in.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	src, in.compression, err = perfdata.Decompress(src, in.name, format.Limits{})
	return src, err
}

// open returns a Reader of the input's measurements.
func (in *input) open() (format.Reader, error) {
	src, err := in.reader()
	if err != nil {
		return nil, err
	}
	r := in.info.NewReader(src, in.name, format.Limits{})
	switch r := r.(type) {
	case *nanolegacy.Reader:
		r.OptionsAsParams = in.reading.optionsAsParams
	case *keyval.Reader:
		for _, p := range in.reading.params {
			key, value, _ := strings.Cut(p, "=")
			r.Params = traceid.Merge(r.Params, traceid.Params{{Key: key, Value: value}})
		}
	}
	return r, nil
}
