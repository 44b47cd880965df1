package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"

	"perfdata"
	"perfdata/format"
)

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
	if r, _, err := perfdata.Decompress(bytes.NewReader(prefix), in.name, t.limits); err == nil {
		text, _ = io.ReadAll(io.LimitReader(r, lookAhead))
	}
	other, detected := perfdata.Detect(text)
	if named.Detect(text).Yes || other.Name == named.Name || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}

	// Nothing shows the format so far, so that a measurement must.
	in.doubtful = true
	isDocument := bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
	// In a log, the lines that have not arrived may be of the format.
	if detected && (whole || isDocument) {
		message := fmt.Sprintf("the format is not %s: it looks like %s (%s)", named.Name, other.Name, other.Title)
		return notFrom(in.name, message)
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
