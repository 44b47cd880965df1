package workload

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata"
	"perfdata/format"
)

// documents are all documents, and how a general JSON library reads them.
var documents = []struct {
	name, format string
	document     *Document
	file         any // nil: the format is not JSON
	indent       string
}{
	{"skia indented", "skiav1", NewSkia(Indented), new(SkiaFile), "  "},
	{"skia compact", "skiav1", NewSkia(Compact), new(SkiaFile), ""},
	{"skia varied", "skiav1", NewVariedSkia(Indented), new(SkiaFile), "  "},
	{"skia shuffled", "skiav1", NewShuffledSkia(Compact), new(SkiaFile), ""},
	{"skia linked", "skiav1", NewLinkedSkia(Compact), new(SkiaFile), ""},
	{"nanolegacy indented", "nanolegacy", NewNanolegacy(Indented, false), new(NanolegacyFile), "  "},
	{"nanolegacy sampled", "nanolegacy", NewNanolegacy(Compact, true), new(NanolegacyFile), ""},
	{"benchfmt once", "benchfmt", NewGoBench(1), nil, ""},
	{"benchfmt ten times", "benchfmt", NewGoBench(10), nil, ""},
	{"keyval", "keyval", NewKeyval(), nil, ""},
	{"perun types", "perun", NewPerunTypes(Compact), new(PerunFile), ""},
	{"perun types indented", "perun", NewPerunTypes(PythonIndented), new(PerunFile), "    "},
	{"perun snapshots", "perun", NewPerunSnapshots(Compact), new(PerunFile), ""},
	{"perun snapshots indented", "perun", NewPerunSnapshots(PythonIndented), new(PerunFile), "    "},
}

// Documents are valid, have the number of records that they say, and no trace twice.
func TestDocumentsAreValid(t *testing.T) {
	for _, test := range documents {
		t.Run(test.name, func(t *testing.T) {
			doc, want := test.document.WithSize(300_000).Bytes()
			info, ok := perfdata.FormatNamed(test.format)
			if !ok {
				t.Fatal("unknown format")
			}
			for e := range info.Validate(bytes.NewReader(doc), format.Options{Name: "workload"}) {
				if e.Severity != format.Warning {
					t.Error(e)
				}
			}
			n := 0
			for _, err := range info.Open(nil, bytes.NewReader(doc), format.Options{Name: "workload"}).Records() {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != want {
				t.Errorf("%d records, want %d", n, want)
			}
		})
	}
}

// The declared types have all members, and the style is what json.Indent makes.
func TestDocumentsAreJSON(t *testing.T) {
	for _, test := range documents {
		if test.file == nil {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			doc, _ := test.document.WithSize(300_000).Bytes()
			d := json.NewDecoder(bytes.NewReader(doc))
			d.DisallowUnknownFields()
			if err := d.Decode(test.file); err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			var err error
			if test.indent == "" {
				err = json.Compact(&want, doc)
			} else {
				err = json.Indent(&want, doc, "", test.indent)
			}
			if err != nil || want.String() != string(doc) {
				t.Errorf("%v, document:\n%.2000s\nwant:\n%.2000s", err, doc, want.String())
			}
		})
	}
}

func TestReader(t *testing.T) {
	for _, test := range documents {
		t.Run(test.name, func(t *testing.T) {
			d := test.document.WithSize(60_000)
			doc, _ := d.Bytes()
			if again, _ := d.Bytes(); !bytes.Equal(doc, again) {
				t.Error("Bytes differs from one time to the next")
			}
			if got, err := io.ReadAll(d.Reader()); err != nil || !bytes.Equal(got, doc) {
				t.Errorf("Reader: not what Bytes has; error %v", err)
			}
			if got, err := io.ReadAll(iotest.OneByteReader(d.Reader())); err != nil || !bytes.Equal(got, doc) {
				t.Errorf("Reader, byte by byte: not what Bytes has; error %v", err)
			}
		})
	}
}

func TestWithSize(t *testing.T) {
	const size = 4_000_000
	for _, test := range documents {
		tolerance := int64(size / 10)
		if strings.HasPrefix(test.name, "perun types") {
			tolerance = size / 2 // few results, of very different sizes
		}
		doc, _ := test.document.WithSize(size).Bytes()
		if n := int64(len(doc)); n < size-tolerance || n > size+tolerance {
			t.Errorf("%s: %d bytes, want about %d", test.name, n, size)
		}
	}
}

// A service gets files of 6 KB on average, each valid, and the same tests again and again.
func TestSkiaFiles(t *testing.T) {
	files, want := SkiaFiles(400)
	total, n := 0, 0
	traces := map[string]bool{}
	for _, file := range files {
		total += len(file)
		info, _ := perfdata.FormatNamed("skiav1")
		for e := range info.Validate(bytes.NewReader(file), format.Options{Name: "workload"}) {
			if e.Severity != format.Warning {
				t.Error(e)
			}
		}
		for rec, err := range info.Open(nil, bytes.NewReader(file), format.Options{Name: "workload"}).Records() {
			if err != nil {
				t.Fatal(err)
			}
			n++
			test, _ := rec.Params.Get("test")
			traces[test] = true
		}
	}
	if average := total / len(files); average < 5500 || average > 6500 {
		t.Errorf("%d bytes on average", average)
	}
	if n != want {
		t.Errorf("%d records, want %d", n, want)
	}
	if len(traces) > 5000 {
		t.Errorf("%d different tests", len(traces))
	}
}
