package perfdata

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
)

// ErrFormat is the cause of the error about an input whose format isn't recognised.
var ErrFormat = errors.New("unknown format")

// Formats returns the formats that the module reads.
func Formats() []format.Info {
	return []format.Info{
		skiav1.Info(),
		nanolegacy.Info(),
		benchfmt.Info(),
		keyval.Info(),
		perun.Info(),
	}
}

// FormatNamed returns the format with that name, such as "skiav1".
func FormatNamed(name string) (format.Info, bool) {
	for _, info := range Formats() {
		if info.Name == name {
			return info, true
		}
	}
	return format.Info{}, false
}

// Detect returns the format of an input that begins with prefix, of which some kilobytes are enough for most files.
func Detect(prefix []byte) (format.Info, bool) {
	for _, info := range Formats() {
		if info.Sniff(prefix) {
			return info, true
		}
	}
	return format.Info{}, false
}

// sniffBytes is how much of an input Detect is shown.
const sniffBytes = 64 << 10

// DetectReader returns the format of an input, and a reader of all of it: in itself, back at where it was, if it
// can seek. The name is for the error, whose cause is [ErrFormat] if the format isn't recognised.
func DetectReader(in io.Reader, name string) (format.Info, io.Reader, error) {
	var prefix []byte
	var err error
	if seeker, ok := in.(io.Seeker); ok && canSeek(seeker) {
		if prefix, err = io.ReadAll(io.LimitReader(in, sniffBytes)); err == nil {
			_, err = seeker.Seek(-int64(len(prefix)), io.SeekCurrent)
		}
	} else {
		buffered := bufio.NewReaderSize(in, sniffBytes)
		if prefix, err = buffered.Peek(sniffBytes); err == io.EOF {
			err = nil
		}
		in = buffered
	}
	if err != nil {
		return format.Info{}, nil, &format.Error{Name: name, Line: 1, Column: 1, Message: "reading failed: " + err.Error(), Err: err}
	}
	info, ok := Detect(prefix)
	if !ok {
		return format.Info{}, nil, &format.Error{Name: name, Line: 1, Column: 1, Message: unknown(), Err: ErrFormat}
	}
	return info, in, nil
}

func canSeek(s io.Seeker) bool {
	_, err := s.Seek(0, io.SeekCurrent) // a pipe has the method too, and fails
	return err == nil
}

func unknown() string {
	var names []string
	for _, info := range Formats() {
		names = append(names, fmt.Sprintf("%s (%s)", info.Name, info.Title))
	}
	return "unknown format: it is none of " + strings.Join(names, ", ")
}

// NewReader returns a Reader of in, in the format that it detects. The name is for errors.
func NewReader(in io.Reader, name string) (format.Reader, error) {
	info, in, err := DetectReader(in, name)
	if err != nil {
		return nil, err
	}
	return info.NewReader(in, name, format.Limits{}), nil
}
