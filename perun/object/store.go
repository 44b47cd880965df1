package object

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zlib"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/jsonscan"
	"perfdata/internal/opening"
)

// pathOf returns where in a folder of objects the object of that name is: ab/cdef... It is an error
// if the name is not a SHA-1 in lower-case hexadecimal.
func pathOf(sum string) (string, error) {
	if b, err := hex.DecodeString(sum); err != nil || len(b) != sha1.Size || strings.ToLower(sum) != sum {
		return "", fmt.Errorf("%q is not the name of a stored object: want 40 hexadecimal digits", sum)
	}
	return sum[:2] + "/" + sum[2:], nil
}

// Open opens the object of that name in a folder of objects. Its Reader also checks that the name
// is the checksum. The caller closes it.
func Open(objects fs.FS, sum string, limits format.Limits) (*Reader, error) {
	name, err := pathOf(sum)
	if err != nil {
		return nil, err
	}
	f, err := opening.Open(objects, name)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f, name, limits)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.sum, r.closer = sum, f
	return r, nil
}

// List iterates over the names of the objects in a folder of objects, sorted. It skips other
// files, such as Perun's own.
func List(objects fs.FS) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		fs.WalkDir(objects, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				if !yield("", err) {
					return fs.SkipAll
				}
				return nil
			}
			if d.IsDir() && strings.Contains(name, "/") {
				return fs.SkipDir // objects are one folder deep
			}
			sum := strings.ReplaceAll(name, "/", "")
			if want, err := pathOf(sum); err == nil && want == name && !d.IsDir() && !yield(sum, nil) {
				return fs.SkipAll
			}
			return nil
		})
	}
}

// Write writes a profile of the given type to out as a stored object, and returns the object's
// name. It leaves out the profile's origin, as Perun does, and changes nothing else. It reads the
// profile from its beginning, three times. A profile that is not a JSON object is an error, a
// [*format.Error] with its position.
func Write(out io.Writer, typ string, profile io.ReadSeeker) (sum string, err error) {
	if !isType(typ) {
		return "", fmt.Errorf("the profile's type is %q, want time, memory or mixed", typ)
	}
	text, err := newProfileText(profile)
	if err != nil {
		return "", err
	}
	var length counter
	if err := text.writeTo(&length); err != nil {
		return "", err
	}

	hash := sha1.New()
	packed := zlib.NewWriter(buffer.Whole(out))
	both := io.MultiWriter(hash, packed)
	if _, err := fmt.Fprintf(both, "%s%s %d\x00", prefix, typ, length); err != nil {
		return "", err
	}
	if err := text.writeTo(both); err != nil {
		return "", err
	}
	if err := packed.Close(); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// A counter counts the characters that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(characters(p))
	return len(p), nil
}

// Store writes a profile of the given type into the folder of objects, as Write does, and returns
// the object's name. The object is written to a temporary file, which is then renamed: the folder
// never has a part of an object.
func Store(dir, typ string, profile io.ReadSeeker) (sum string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "tmp-object-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name()) // it was renamed if all went well

	sum, err = Write(f, typ, profile)
	if err == nil {
		err = errors.Join(f.Chmod(0o444), f.Sync())
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return "", err
	}

	name := filepath.Join(dir, sum[:2], sum[2:])
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return "", err
	}
	return sum, nil
}

// A profileText is the text of a profile, without its member origin.
type profileText struct {
	in    io.ReadSeeker
	parts []span // all but the member, and the comma that separates it
}

// A span is a part of a text, in bytes.
type span struct{ start, end int64 }

// newProfileText finds the origin of a profile. Its error is a [*format.Error] if the profile is not
// a JSON object.
func newProfileText(profile io.ReadSeeker) (*profileText, error) {
	if _, err := profile.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	s := jsonscan.New(struct{ io.Reader }{profile}, "profile", format.Limits{}.WithDefaults())
	s.AllowNaN()

	t := &profileText{in: profile}
	start, cut := int64(0), int64(-1) // of the next part; of origin, if it was the last member
	last, end := int64(-1), int64(0)  // the ends of the last other member, and of the last one
	s.EnterObject()
	for {
		name, _, ok := s.Member()
		if !ok {
			break
		}
		at := s.NamePosition().Offset
		isOrigin := string(name) == "origin"
		if isOrigin && cut < 0 {
			cut = at
		} else if !isOrigin && cut >= 0 {
			t.parts = append(t.parts, span{start, cut})
			start, cut = at, -1
		}

		s.Skip()
		if end = s.Offset(); !isOrigin {
			last = end
		}
	}

	s.End()
	if cut >= 0 && last >= 0 {
		cut = last // the comma before origin
	}
	if cut >= 0 {
		t.parts = append(t.parts, span{start, cut})
		start = end
	}
	t.parts = append(t.parts, span{start, s.Offset()})
	return t, s.Err()
}

// writeTo writes the text.
func (t *profileText) writeTo(out io.Writer) error {
	for _, part := range t.parts {
		if _, err := t.in.Seek(part.start, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(out, t.in, part.end-part.start); err == io.EOF {
			return io.ErrUnexpectedEOF // the profile has become shorter
		} else if err != nil {
			return err
		}
	}
	return nil
}
