package perfdata

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/jsonscan"
)

// ErrFormat is the cause of the error about an input whose format isn't recognised.
var ErrFormat = errors.New("unknown format")

// sniffBytes is how much of an input Detect is shown.
const sniffBytes = 64 << 10

// maxCompressions is how often an input may be compressed.
const maxCompressions = 2

// Detect returns the format of an input that begins with prefix, of which some kilobytes are enough for most files, and
// 64 KiB for those that keep their header short. It goes by what only one format has, and doesn't guess.
func Detect(prefix []byte) (format.Info, bool) {
	for _, info := range Formats() {
		if info.Sniff(prefix) {
			return info, true
		}
	}
	return format.Info{}, false
}

// DetectReader returns the format of an input that isn't compressed, and a reader of all of it: in itself, back at where it
// was, if it can seek. The name is for the error, whose cause is [ErrFormat] if the format isn't recognised.
func DetectReader(in io.Reader, name string) (format.Info, io.Reader, error) {
	prefix, in, err := peek(in)
	if info, ok := Detect(prefix); ok {
		return info, in, nil
	}
	if err != nil {
		return format.Info{}, nil, readError(name, err)
	}
	message := "unknown format: " + whyUnknown(prefix)
	return format.Info{}, nil, &format.Error{Name: name, Line: 1, Column: 1, Message: message, Err: ErrFormat}
}

// Decompress returns a reader of what an input holds, and how that is compressed, outermost first: gzip, zstd or zlib,
// which are recognised by their first bytes, and at most two of them, one in the other. If it isn't compressed, the reader
// is in itself, back at where it was, if it can seek.
//
// A fault of compressed data is an error of the reader, and so is more data than limits.MaxDecompressedBytes at any level, or
// than limits.MaxCompressionRatio times the compressed bytes of in itself; data that is cut off is an [io.ErrUnexpectedEOF]. The
// format's Reader makes a [format.Error] of each. The name is for the errors of Decompress, which are of that type too.
func Decompress(in io.Reader, name string, limits format.Limits) (io.Reader, []string, error) {
	limits = limits.WithDefaults()
	var ways []string
	var outermost *compressed.Reader
	for {
		prefix, whole, err := peek(in)
		if err != nil && len(prefix) == 0 {
			return nil, nil, readError(name, err)
		}
		in = whole
		way := compressed.Detect(prefix)
		switch {
		case way == compressed.None:
			return in, ways, nil
		case len(ways) == maxCompressions:
			return nil, nil, &format.Error{Name: name, Line: 1, Column: 1, Message: fmt.Sprintf(
				"it is compressed more than twice: %s in %s", way, strings.Join(reversed(ways), " in "))}
		}
		r, err := compressed.NewReader(in, way, limits, outermost)
		if err != nil {
			return nil, nil, readError(name, err)
		}
		if outermost == nil {
			outermost = r
		}
		in = r
		ways = append(ways, way)
	}
}

func reversed(s []string) []string {
	r := make([]string, 0, len(s))
	for i := len(s) - 1; i >= 0; i-- {
		r = append(r, s[i])
	}
	return r
}

func readError(name string, err error) error {
	return &format.Error{Name: name, Line: 1, Column: 1, Message: "reading failed: " + err.Error(), Err: err}
}

// peek returns the beginning of an input, and a reader of all of it. An error of the input is returned, and the reader has it
// again where it belongs.
func peek(in io.Reader) (prefix []byte, whole io.Reader, err error) {
	if seeker, ok := in.(io.Seeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil { // a pipe has the method too, and fails
			prefix, err = io.ReadAll(io.LimitReader(in, sniffBytes))
			if _, seekErr := seeker.Seek(start, io.SeekStart); err == nil {
				err = seekErr
			}
			return prefix, in, err
		}
	}
	buffered := bufio.NewReaderSize(in, sniffBytes)
	prefix, err = buffered.Peek(sniffBytes)
	switch err {
	case nil:
		return prefix, buffered, nil
	case io.EOF:
		return prefix, bytes.NewReader(prefix), nil
	}
	return prefix, io.MultiReader(bytes.NewReader(prefix), failedReader{err}), err
}

type failedReader struct{ err error }

func (r failedReader) Read([]byte) (int, error) { return 0, r.err }

// whyUnknown says for each format why an input isn't of it.
func whyUnknown(prefix []byte) string {
	members := sniffMembers(prefix)
	var reasons []string
	for _, info := range Formats() {
		reasons = append(reasons, fmt.Sprintf("not %s (%s)", info.Name, whyNot(info.Name, members)))
	}
	return strings.Join(reasons, ", ")
}

// whyNot says why an input isn't of a format, by the members of the JSON object that it is; nil stands for no object.
func whyNot(name string, members map[string]jsonscan.Kind) string {
	isObject := members != nil
	var need []string
	switch name {
	case "skiav1":
		for _, m := range []struct {
			name string
			kind jsonscan.Kind
		}{{"version", jsonscan.Number}, {"git_hash", jsonscan.String}, {"results", jsonscan.Array}} {
			if kind, ok := members[m.name]; ok && kind != m.kind {
				return fmt.Sprintf("%s must be %s, and is %s", m.name, kindName(m.kind), kindName(kind))
			}
		}
		need = []string{"version", "git_hash", "results"}
	case "nanolegacy":
		for _, m := range []struct {
			name string
			kind jsonscan.Kind
		}{{"gitHash", jsonscan.String}, {"results", jsonscan.Object}} {
			if kind, ok := members[m.name]; ok && kind != m.kind {
				return fmt.Sprintf("%s must be %s, and is %s", m.name, kindName(m.kind), kindName(kind))
			}
		}
		if _, ok := members["results"]; ok {
			return "results must hold objects of objects"
		}
		need = []string{"gitHash", "results"}
	case "perun":
		need = []string{"header", "collector_info", "resources"}
	case "benchfmt":
		return "no line is a benchmark's result"
	case "keyval":
		if isObject {
			return "it is JSON"
		}
		return "its lines are no keyvals"
	default:
		return "it doesn't look like that"
	}
	if !isObject {
		return "it is no JSON object"
	}
	last := len(need) - 1
	return "none of " + strings.Join(need[:last], ", ") + " and " + need[last] + " is there"
}

// sniffMembers returns the members of the JSON object that an input begins with, as far as prefix goes, or nil if it is none.
func sniffMembers(prefix []byte) map[string]jsonscan.Kind {
	s := jsonscan.New(bytes.NewReader(prefix), "", format.Limits{}.WithDefaults())
	if s.Kind() != jsonscan.Object {
		return nil
	}
	members := make(map[string]jsonscan.Kind)
	for s.EnterObject(); ; s.Skip() {
		name, kind, ok := s.Member()
		if !ok {
			return members
		}
		if kind != jsonscan.None { // no value, or beyond the prefix
			members[string(name)] = kind
		}
	}
}

func kindName(kind jsonscan.Kind) string {
	switch kind {
	case jsonscan.Object:
		return "an object"
	case jsonscan.Array:
		return "an array"
	case jsonscan.String:
		return "a string"
	case jsonscan.Number:
		return "a number"
	case jsonscan.Null:
		return "null"
	}
	return "a boolean"
}
