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
)

// An input is a file to read, as often as is wanted.
type input struct {
	name string
	info format.Info
	file io.ReadSeeker
	pipe *spool.Spool // instead of file: what came from standard input, if that can't seek
}

// addFormatFlag adds the flag --format to a command.
func (t *tool) addFormatFlag(cmd *cobra.Command) {
	var names []string
	for _, info := range perfdata.Formats() {
		names = append(names, info.Name)
	}
	cmd.Flags().StringVar(&t.format, "format", "", "the files' format, instead of detecting it: "+strings.Join(names, ", "))
}

// eachInput opens each file in turn, finds its format and calls do with it. Files that can't be opened, or of an
// unknown format, are reported.
func (t *tool) eachInput(names []string, do func(*input)) error {
	if _, ok := perfdata.FormatNamed(t.format); t.format != "" && !ok {
		return fmt.Errorf("unknown format %q: see --help for those that are known", t.format)
	}
	for _, name := range names {
		if err := t.withInput(name, do); err != nil {
			t.report(err)
		}
	}
	return nil
}

func (t *tool) withInput(name string, do func(*input)) error {
	in := &input{name: name}
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
	}
	src, err := in.reader()
	if err != nil {
		return err
	}
	if t.format != "" {
		in.info, _ = perfdata.FormatNamed(t.format)
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

// reader returns a reader of all of the input.
func (in *input) reader() (io.Reader, error) {
	if in.file == nil {
		return in.pipe.Reader()
	}
	_, err := in.file.Seek(0, io.SeekStart)
	if err != nil {
		return nil, err
	}
	return in.file, nil
}

// open returns a Reader of the input's measurements.
func (in *input) open() (format.Reader, error) {
	src, err := in.reader()
	if err != nil {
		return nil, err
	}
	return in.info.NewReader(src, in.name, format.Limits{}), nil
}
