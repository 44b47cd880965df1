package perfdata

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"perfdata/format"
	"perfdata/internal/lines"
	"perfdata/internal/opening"
)

// An Opener opens files of any format. The zero Opener has the default options. Several goroutines
// may use one Opener.
type Opener struct {
	// Options configure the files' Readers. Open and NewReader set its Name. An option that the
	// format of a file does not have is an error.
	format.Options

	// Format is the name of the files' format, such as "keyval". If it is empty, the Opener
	// detects the format.
	Format string
}

// A File is an open file. Its Reader has the Reader type of the format's package:
//
//	if profile, ok := f.Reader.(*perun.Reader); ok { ... }
//
// A program may call the methods of the Reader instead of the File's methods: they return what the
// file says, without the options Commit and Promote. The zero File has no Reader, and only its
// methods Reset and Close can be called.
type File struct {
	format.Reader

	Format      format.Format // of the file
	Compression []string      // such as "gzip", outermost first

	opener  Opener
	name    string
	src     io.Reader // the input of the Reader; nil for a folder
	warning string    // about the encoding of its text
	file    io.Closer // nil after it was closed, and for other inputs
	prefix  []byte    // of the input, in memory for the next one
}

// Open opens the named file, or the results folder of an Autotest job or of Criterion.rs, and detects
// its format. To set options, use an [Opener].
//
// Close closes the file, and the end of Records does too.
func Open(name string) (*File, error) { return Opener{}.Open(name) }

// OpenFS is Open for a file of fsys.
func OpenFS(fsys fs.FS, name string) (*File, error) { return Opener{}.OpenFS(fsys, name) }

// NewReader is Open for any input. It does not close in. The name is for errors.
func NewReader(in io.Reader, name string) (*File, error) { return Opener{}.NewReader(in, name) }

// Open opens the named file, or the results folder of an Autotest job or of Criterion.rs. The Reader
// of a job is a [*perfdata/keyval/job.Reader], and the Name of its Format "keyval job". For another
// folder the error is syscall.EISDIR, with the name in a [*fs.PathError]; package ingest reads the
// files of a tree.
//
// A file that is written to while it is read gives an error with the cause [format.ErrChanged]: all
// records before that error are of the file that was opened. A file that is replaced, under the
// same name, is read to its end.
//
// It returns the errors of [os.Open] and [Opener.NewReader]. Close closes the file, and the end of
// Records does too.
func (o Opener) Open(name string) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return o.openFile(file, name, o.openFolder)
}

// OpenFS is Open for a file of fsys.
func (o Opener) OpenFS(fsys fs.FS, name string) (*File, error) {
	file, _, err := opening.File(fsys, name)
	if err != nil {
		return nil, err
	}
	return o.openFile(file, name, func(name string) (*File, error) { return o.openDir(fsys, name, "", name) })
}

// openFile opens an open file, or with the function, the folder that it is.
func (o Opener) openFile(file fs.File, name string, openFolder func(name string) (*File, error)) (*File, error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		file.Close()
		return nil, err
	case info.IsDir():
		file.Close()
		return openFolder(name)
	}

	file = opening.Unchanged(file, info)
	f, err := o.NewReader(file, name)
	if err != nil {
		file.Close()
		return nil, err
	}
	f.file = file
	return f, nil
}

// openFolder opens the results folder of a job. A link in it cannot lead out of it.
func (o Opener) openFolder(name string) (*File, error) {
	top, dir, outer, err := jobTop(name)
	if err != nil {
		return nil, err
	}
	folder, err := opening.OpenFolder(top)
	if err != nil {
		return nil, err
	}
	f, err := o.openDir(folder, dir, outer, name)
	if err != nil {
		folder.Close()
		return nil, err
	}
	f.file = folder
	return f, nil
}

// openDir opens folder dir of fsys as the Opener's Format, or as the first format that recognizes
// it. The outer name is the name of fsys, and name the name of the folder, for errors.
func (o Opener) openDir(fsys fs.FS, dir, outer, name string) (*File, error) {
	f, err := detectFolder(fsys, dir, o.Format, name)
	if err != nil {
		return nil, err
	}
	options := o.Options
	options.Name = outer
	return &File{Reader: f.OpenDir(fsys, dir, options), Format: f, opener: o, name: name}, nil
}

// NewReader decompresses an input, detects its format and returns a File of it. It does not close
// in. The name is for errors. Unlike Open, it does not notice if in is a file that is written to:
// its owner may do that.
//
// Its errors are a [*format.Error], with the cause [format.ErrUnknown] if the format is not
// recognized, and those about the Opener's Format and Settings.
func (o Opener) NewReader(in io.Reader, name string) (*File, error) {
	if err := CheckSettings(o.Settings); err != nil {
		return nil, err
	}
	f := &File{opener: o}
	if err := f.Reset(in, name); err != nil {
		return nil, err
	}
	return f, nil
}

// Reset makes f a File of another input, as [Opener.NewReader] does with the options that f was
// opened with. It closes the previous file. If the format is the same, the Reader stays, and its
// memory is used again: it overwrites the records of the previous input. After an error, f can only
// be reset again or closed.
func (f *File) Reset(in io.Reader, name string) error {
	if f.Reader != nil {
		f.Close() // it was read only, so an error does not matter
	}

	o := f.opener
	next := File{opener: o, name: name, Reader: f.Reader}
	if o.Format != "" {
		var ok bool
		if next.Format, ok = FormatNamed(o.Format); !ok || next.Format.Open == nil {
			return fmt.Errorf("%w %q", format.ErrUnknown, o.Format)
		}
	}

	in, content, err := decompress(in, name, o.Limits, f.prefix)
	if err != nil {
		return err
	}
	if o.Format == "" {
		if next.Format, in, err = detectReader(in, name, content, o.Settings); err != nil {
			return err
		}
	}

	next.Compression, next.warning, next.src = content.compression, content.warning, in
	if next.prefix = content.prefix; next.prefix == nil {
		next.prefix = f.prefix
	}
	options := o.Options
	options.Name = name
	next.Reader = next.Format.Open(next.Reader, in, options)
	*f = next
	return nil
}

// FileHeader returns the header, as the Reader's FileHeader does. If it has no Commit, it gets its param
// commit, or else that of the options.
func (f *File) FileHeader() (format.Header, error) {
	h, err := f.Reader.FileHeader()
	if err == nil && h.Commit == "" {
		param, _ := h.Params.Get(commitParam)
		h.Commit = cmp.Or(param, f.opener.Commit)
	}
	return h, err
}

// Records iterates over the measurements, as the Reader's Records does, with the options Commit and
// Promote. The end of the iteration, including via break, closes the file.
func (f *File) Records() iter.Seq2[*format.Record, error] {
	records := f.Reader.Records()
	if f.opener.Commit != "" || len(f.opener.Promote) > 0 {
		records = amended(records, &f.opener.Options)
	}
	return func(yield func(*format.Record, error) bool) {
		defer f.closeFile() // it was read only, so an error does not matter
		records(yield)
	}
}

// Validate reads the file to its end and yields every error and warning, in order. Call it instead
// of the methods of the Reader. The end of the iteration, including via break, closes the file.
func (f *File) Validate() iter.Seq[*format.Error] {
	return func(yield func(*format.Error) bool) {
		defer f.closeFile()
		if f.src == nil {
			if r, ok := f.Reader.(opening.Warner); ok {
				r.Warn()
			}
			for _, err := range f.Reader.Records() {
				if e, ok := err.(*format.Error); ok && !yield(e) {
					return
				}
			}
			return
		}
		if f.warning != "" {
			e := lines.FileError(f.name, f.warning, nil)
			e.Severity = format.Warning
			if !yield(e) {
				return
			}
		}
		options := f.opener.Options
		options.Name = f.name
		f.Format.Validate(f.src, options)(yield)
	}
}

// Close releases everything that the Reader holds, and closes the file if Open or OpenFS opened it.
func (f *File) Close() error {
	if f.Reader == nil {
		return nil
	}
	return errors.Join(f.Reader.Close(), f.closeFile())
}

func (f *File) closeFile() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	return file.Close()
}

// jobTop returns the uppermost folder of the job in the named folder, the name of the job's folder
// in it, and the name of the uppermost folder for errors. See package perfdata/keyval/job.
func jobTop(name string) (top, dir, outer string, err error) {
	own, err := filepath.Abs(name)
	if err != nil {
		return "", "", "", err
	}
	outer = name
	for top = own; ; top, outer = filepath.Dir(top), filepath.Join(outer, "..") {
		if _, err := os.Stat(filepath.Join(top, ".autoserv_execute")); err == nil {
			break
		}
		if top == filepath.Dir(top) {
			top, outer = own, name
			break
		}
	}
	dir, err = filepath.Rel(top, own)
	return top, filepath.ToSlash(dir), outer, err
}

// detectFolder returns the format of folder dir of fsys: the one with that name, or if the name is empty,
// the first that recognizes the folder. The path is for errors.
func detectFolder(fsys fs.FS, dir, name, path string) (format.Format, error) {
	for _, f := range known {
		if f.OpenDir == nil {
			continue
		}
		// The name is that of the format of the files, followed by more, as in "keyval job".
		is := name != "" && (name == f.Name || strings.HasPrefix(f.Name, name+" "))
		if name == "" {
			var err error
			if is, err = f.DetectDir(fsys, dir); err != nil {
				return format.Format{}, &fs.PathError{Op: "read", Path: path, Err: err}
			}
		}
		if is {
			return f, nil
		}
	}
	err := fmt.Errorf("%w: want a file, the results folder of an Autotest job or of asv, or target/criterion; "+
		"ingest.Walk lists the files of a tree", syscall.EISDIR)
	return format.Format{}, &fs.PathError{Op: "read", Path: path, Err: err}
}
