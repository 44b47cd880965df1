package buffer

import (
	"cmp"
	"errors"
	"io"
)

var errClosed = errors.New("the writer was closed")

// flushSize is the size from which FlushIfLarge writes.
const flushSize = 32 << 10

// An Output collects text and writes it to an output. After an error of the output, all calls return
// that error.
type Output struct {
	// Bytes has not been written yet. The owner appends to it, and checks Err first.
	Bytes []byte

	out io.Writer
	err error // of out, or given to Fail, or errClosed
}

// NewOutput returns an Output that writes to out. Its memory is enough for many files: results of a few tests.
func NewOutput(out io.Writer) Output { return Output{Bytes: make([]byte, 0, 4<<10), out: out} }

// Err returns the error of the output, or an error if the Output is closed.
func (b *Output) Err() error { return b.err }

// Closed reports whether Close has succeeded.
func (b *Output) Closed() bool { return b.err == errClosed }

// Fail makes err the error of all further calls, unless there is one already, and returns their
// error.
func (b *Output) Fail(err error) error {
	b.err = cmp.Or(b.err, err)
	return b.err
}

// FlushIfLarge writes Bytes if there are many.
func (b *Output) FlushIfLarge() error {
	if len(b.Bytes) < flushSize {
		return nil
	}
	return b.Flush()
}

// Flush writes Bytes.
func (b *Output) Flush() error {
	if b.err != nil || len(b.Bytes) == 0 {
		return b.err
	}
	_, err := whole{b.out}.Write(b.Bytes)
	b.Bytes, b.err = b.Bytes[:0], err
	return err
}

// Whole returns a writer to out that returns [io.ErrShortWrite] where out writes less than all and
// returns no error. Packages that compress data do not look for that.
func Whole(out io.Writer) io.Writer { return whole{out} }

type whole struct{ out io.Writer }

func (w whole) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return n, err
}

// Copy writes Bytes, and then all of src.
func (b *Output) Copy(src io.Reader) error {
	if b.Flush() == nil {
		_, b.err = io.Copy(b.out, src)
	}
	return b.err
}

// End writes Bytes and the text, and closes the Output. After it has succeeded, further calls do
// nothing.
func (b *Output) End(text string) error {
	switch b.err {
	case nil:
		b.Bytes = append(b.Bytes, text...)
		return b.Close()
	case errClosed:
		return nil
	}
	return b.err
}

// Close writes Bytes. Afterwards nothing can be written. It does not close the output.
func (b *Output) Close() error {
	if err := b.Flush(); err != nil {
		return err
	}
	b.err = errClosed
	return nil
}
