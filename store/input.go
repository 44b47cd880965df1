package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"perfdata/format"
)

// ErrUnknownCommit is the cause of an error about a commit of a [Range] that has no measurements.
var ErrUnknownCommit = errors.New("commit is not in the store")

// ErrUnknownTrace is the cause of an error about a trace that has no value in a [Range].
var ErrUnknownTrace = errors.New("trace has no value")

// ErrNoCommit is the cause of the failure of a file with a measurement that names no commit. See
// [IngestOptions]. Its own cause is [format.ErrSchema].
var ErrNoCommit error = &inputError{"measurement without a commit", format.ErrSchema}

// ErrUnknownPath is the cause of the failure of an [Upload] that replaces a file that the store
// does not have. Its own cause is [fs.ErrNotExist].
var ErrUnknownPath error = &inputError{"path is not in the store", fs.ErrNotExist}

// An inputError is about what the caller or a file has given, and not about the database. To try
// again does not help.
type inputError struct {
	message string
	cause   error // is not in the message
}

func (e *inputError) Error() string { return e.message }
func (e *inputError) Unwrap() error { return e.cause }

// maxPath is the length of the longest path, in bytes: that of names in Google Cloud Storage and
// S3, and PostgreSQL limits the keys of an index.
const maxPath = 1024

// checkPath returns an error for the path of a file, or the name of a run, that cannot be stored.
func checkPath(what, path string) error {
	switch {
	case path == "":
		return &inputError{"the file has no path", fs.ErrInvalid}
	case len(path) > maxPath:
		return &inputError{fmt.Sprintf("%s of %d bytes: want at most %d", what, len(path), maxPath), fs.ErrInvalid}
	case !isText(path):
		return &inputError{checkText(what, path).Error(), fs.ErrInvalid}
	}
	return nil
}

// checkText returns an error for a text that cannot be stored. The error starts with the name.
func checkText(name, text string) error {
	if !isText(text) {
		return &inputError{fmt.Sprintf("%s %q has invalid UTF-8 or a zero byte", name, text), format.ErrSchema}
	}
	return nil
}

// replaceUnstorable returns a text with U+FFFD in place of the bytes that no database can store:
// invalid UTF-8 and zero bytes.
func replaceUnstorable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// isText reports whether PostgreSQL can store a text. All databases hold the same texts.
func isText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }
