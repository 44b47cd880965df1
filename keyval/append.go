package keyval

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/internal/message"
	"perfdata/internal/number"
)

// The tags of keyvals.
const (
	perfTag = "{perf}"
	attrTag = "{attr}"
)

// Bounds of the output, so that it can be read with the default limits.
const (
	maxLine   = 1 << 20  // bytes of a line
	maxAttrs  = 1000     // attributes of an iteration
	maxPerf   = 1 << 20  // performance values of an iteration
	maxResult = 16 << 20 // bytes of an iteration
)

// AppendIteration appends an iteration to the named file, as a test does after each run. It
// creates the file if necessary, but not its folder. It writes and refuses the same iterations as
// [Writer.WriteIteration]. If the last line or iteration of the file is incomplete,
// AppendIteration first completes it. It writes everything at once, so that several processes can
// append to a file. If only a part can be written, as on a full disk, AppendIteration removes
// that part, unless another process has appended something after it.
func AppendIteration(name string, it *Iteration) (err error) {
	text, err := appendIteration(nil, it)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return appendTo(f, text)
}

// An appendFile is a file to which text is appended.
type appendFile interface {
	io.WriteSeeker
	io.ReaderAt
	Truncate(size int64) error
}

// appendTo appends the text of an iteration.
func appendTo(f appendFile, text []byte) error {
	before, err := missingEnd(f)
	if err != nil {
		return err
	}
	text = append([]byte(before), text...)
	n, err := f.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if err == nil || n == 0 {
		return err
	}

	// If only part is written, the next call would start another iteration. So remove it, if it is still the
	// end of the file.
	end, seekErr := f.Seek(0, io.SeekCurrent)
	size := int64(0)
	if seekErr == nil {
		size, seekErr = f.Seek(0, io.SeekEnd)
	}
	if seekErr == nil && size == end {
		seekErr = f.Truncate(size - int64(n))
	}
	return errors.Join(err, seekErr)
}

// missingEnd returns the text that ends the file's last line and iteration.
func missingEnd(f appendFile) (string, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return "", err
	}
	tail := make([]byte, min(size, 4<<10))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return "", err
	}
	if size == int64(len(tail)) {
		tail = append([]byte("\n"), tail...)
	}
	switch end := strings.TrimRight(string(tail), " \t\v\f\r"); {
	case !strings.HasSuffix(end, "\n"):
		return "\n\n", nil // a line without a line end
	case len(end) < len(tail):
		return "\n", nil // a blank line without a line end
	case strings.HasSuffix(strings.TrimRight(end[:len(end)-1], " \t\v\f\r"), "\n"):
		return "", nil // a blank line
	}
	return "\n", nil
}

// appendIteration appends the text of an iteration, or returns why that can't be written. The
// performance values are in the order of their keys, as the specification writes them.
func appendIteration(dst []byte, it *Iteration) ([]byte, error) {
	if err := it.Attr.CheckSorted(); err != nil {
		return dst, fmt.Errorf("attributes: %w", err)
	}
	text := dst
	for _, p := range it.Attr {
		if err := checkAttr(p.Key, p.Value); err != nil {
			return dst, err
		}
		text = appendAttr(text, p.Key, p.Value)
	}

	perf := slices.Clone(it.Perf)
	slices.SortFunc(perf, func(a, b Keyval) int { return strings.Compare(a.Key, b.Key) })
	for i, kv := range perf {
		if err := checkPerf(kv.Key); err != nil {
			return dst, err
		}
		if i > 0 && kv.Key == perf[i-1].Key {
			return dst, fmt.Errorf("duplicate key %s", message.Quote(kv.Key))
		}
		text = appendPerf(text, kv.Key, kv.Value)
	}
	if err := checkSize(len(it.Attr), len(perf), len(text)-len(dst)-len(it.Attr)-len(perf)); err != nil {
		return dst, err
	}
	return append(text, '\n'), nil
}

// checkSize returns why an iteration is too large: its attributes, its performance values, or the
// bytes of their lines.
func checkSize(attrs, perf, size int) error {
	switch {
	case attrs > maxAttrs:
		return fmt.Errorf("the iteration has more than %d attributes", maxAttrs)
	case perf > maxPerf:
		return fmt.Errorf("the iteration has more than %d performance values", maxPerf)
	case size > maxResult:
		return fmt.Errorf("the iteration takes more than %d bytes", maxResult)
	}
	return nil
}

// attrSize returns the length of an attribute's line, and perfSize the largest length of a
// performance value's line: the longest number has 25 bytes.
func attrSize(key, value string) int { return len(key) + len(attrTag+"=") + len(value) }
func perfSize(key string) int        { return len(key) + len(perfTag+"=") + 25 }

// checkPerf returns why a performance value can't have that key.
func checkPerf(key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if perfSize(key) > maxLine {
		return fmt.Errorf("key %s: the line would be longer than 1 MiB", message.Quote(key))
	}
	return nil
}

// checkAttr returns why an attribute can't be written.
func checkAttr(key, value string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	fault := ""
	switch {
	case !utf8.ValidString(value):
		fault = message.Quote(value) + " is not UTF-8"
	case strings.Contains(value, "\n"):
		fault = message.Quote(value) + " has a line end"
	case value != "" && isSpace(value[len(value)-1]):
		fault = message.Quote(value) + " ends in white space, which readers drop"
	case attrSize(key, value) > maxLine:
		fault = "the line would be longer than 1 MiB"
	default:
		return nil
	}
	return fmt.Errorf("attribute %s: %s", message.Quote(key), fault)
}

func appendAttr(dst []byte, key, value string) []byte {
	return append(append(append(append(dst, key...), attrTag+"="...), value...), '\n')
}

func appendPerf(dst []byte, key string, value float64) []byte {
	dst = append(append(dst, key...), perfTag+"="...)
	switch { // the fewest digits that give back the same float64
	case math.IsNaN(value):
		dst = append(dst, "nan"...)
	case math.IsInf(value, 1):
		dst = append(dst, "inf"...)
	case math.IsInf(value, -1):
		dst = append(dst, "-inf"...)
	default:
		dst = number.AppendShortest(dst, value)
	}
	return append(dst, '\n')
}
