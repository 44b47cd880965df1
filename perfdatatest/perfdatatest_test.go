package perfdatatest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
	"perfdata/perfdatatest"
)

// seeds returns the number of documents of a format that a test makes.
func seeds() uint64 {
	if quick.Test() {
		return 20
	}
	if formattest.Race || testing.Short() {
		return 300
	}
	return 1000
}

// eachFormat runs a test for each format that has documents.
func eachFormat(t *testing.T, test func(t *testing.T, info format.Format)) {
	for _, name := range perfdatatest.Formats() {
		info, _ := perfdata.FormatNamed(name)
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			test(t, info)
		})
	}
}

// sizeOf returns the size in bytes of the document of a seed.
func sizeOf(seed uint64) int { return []int{0, 200, 500, 1000, 3000}[seed%5] }

func isJSON(info format.Format) bool {
	return info.Name != "benchfmt" && info.Name != "keyval" && info.Name != "csv" && info.Name != "tsv"
}

// firstError returns the first error of Validate that is not a warning.
func firstError(info format.Format, document []byte) *format.Error {
	for e := range info.Validate(bytes.NewReader(document), format.Options{}) {
		if e.Severity != format.Warning {
			return e
		}
	}
	return nil
}

// Valid documents are accepted by Validate, by the Readers, by detection, and by encoding/json.
func TestValid(t *testing.T) {
	eachFormat(t, func(t *testing.T, info format.Format) {
		for seed := range seeds() {
			document := perfdatatest.Valid(info.Name, seed, sizeOf(seed))
			if e := firstError(info, document); e != nil {
				t.Fatalf("seed %d: %v\n%.3000s", seed, e, document)
			}

			r, err := perfdata.NewReader(bytes.NewReader(document), "")
			if errors.Is(err, format.ErrUnknown) && !bytes.Contains(document, []byte("{perf}=")) {
				continue // untyped keyvals could be anything
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%.3000s", seed, err, document)
			}
			if r.Format.Name != info.Name {
				t.Errorf("seed %d: detected as %s", seed, r.Format.Name)
			}
			for _, err := range r.Records() {
				if err != nil {
					t.Fatalf("seed %d: %v\n%.3000s", seed, err, document)
				}
			}

			if isJSON(info) && !isValidJSON(document) {
				t.Errorf("seed %d: encoding/json does not accept the document", seed)
			}
		}
	})
}

// isValidJSON reports whether encoding/json accepts a document, a script that assigns it, or lines of them.
func isValidJSON(document []byte) bool {
	text, isScript := bytes.CutPrefix(document, []byte("window.BENCHMARK_DATA = "))
	if isScript {
		text = bytes.TrimSuffix(text, []byte(";"))
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err == io.EOF
		}
	}
}

// Documents have about the size that is asked for.
func TestSize(t *testing.T) {
	eachFormat(t, func(t *testing.T, info format.Format) {
		size := quick.Of(100_000, 20_000)
		total := 0
		for seed := range uint64(quick.Of(50, 4)) {
			n := len(perfdatatest.Valid(info.Name, seed, size))
			if n < size/3 || n > 5*size {
				t.Errorf("seed %d: %d bytes, want about %d", seed, n, size)
			}
			total += n
		}
		if average := total / quick.Of(50, 4); average < size/quick.Of(2, 4) || average > quick.Of(2, 4)*size {
			t.Errorf("%d bytes on average, want about %d", average, size)
		}
		if n := len(perfdatatest.Valid(info.Name, 1, -1)); n > 12_000 {
			t.Errorf("the smallest document has %d bytes", n)
		}
	})
}

// A nearly valid document is not the valid one. Most are rejected, some of each fault.
func TestNearlyValid(t *testing.T) {
	eachFormat(t, func(t *testing.T, info format.Format) {
		all, rejected, rejectedFaults := seeds(), uint64(0), map[string]int{}
		if all >= 1000 {
			all *= 2 // a few reject a fault in one of a thousand documents only
		}
		for seed := range all {
			document, fault := perfdatatest.NearlyValid(info.Name, seed, sizeOf(seed))
			if bytes.Equal(document, perfdatatest.Valid(info.Name, seed, sizeOf(seed))) && !strings.Contains(fault, "UTF-8") {
				t.Errorf("seed %d: the document has no fault, want %s", seed, fault)
			}

			rejectedFaults[fault] += 0
			if firstError(info, document) != nil {
				rejected++
				rejectedFaults[fault]++
			}
		}

		if rejected < all/2 {
			t.Errorf("%d of %d documents are rejected", rejected, all)
		}
		for fault, n := range rejectedFaults {
			switch fault {
			case "missing member", "name in another case", "lone surrogate": // U+FFFD in a name or a text
				continue // a runner's format may need so few members that hardly a document lacks one
			}
			if n == 0 && all >= 1000 {
				t.Errorf("no document is rejected because of this fault: %s", fault)
			}
		}
	})
}

// A fault is one change: the text before it and after it is the same as in the valid document.
func TestOneFault(t *testing.T) {
	for _, test := range []struct{ format, fault string }{
		{"skiav1", "missing comma"},
		{"nanolegacy", "two commas"},
		{"perun", "missing quote"},
		{"keyval", "unknown tag"},
		{"benchfmt", "missing unit"},
	} {
		t.Run(test.fault, func(t *testing.T) {
			for seed := uint64(0); ; seed++ {
				document, fault := perfdatatest.NearlyValid(test.format, seed, 500)
				if fault != test.fault {
					continue
				}
				valid := perfdatatest.Valid(test.format, seed, 500)
				begin := commonPrefix(valid, document)
				slices.Reverse(valid)
				slices.Reverse(document)
				end := commonPrefix(valid, document)
				if n := len(valid) - begin - end; n > 8 {
					t.Errorf("seed %d: %d bytes differ", seed, n)
				}
				return
			}
		})
	}
}

// commonPrefix returns how many bytes at the beginning of both texts are equal.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Hostile documents are read within the limits: with a bounded number of errors, and a fatal one
// only if a limit is exceeded or the document is invalid as a whole.
func TestHostile(t *testing.T) {
	eachFormat(t, func(t *testing.T, info format.Format) {
		kinds := make(map[string]bool)
		for seed := uint64(0); ; seed++ {
			document, kind := perfdatatest.Hostile(info.Name, seed, quick.Of(10_000, 6_000))
			if kinds[kind] {
				break
			}
			kinds[kind] = true
			if quick.Test() && len(document) > 500_000 {
				continue // with items of a megabyte, for which the tests of the formats have limits
			}
			limits := format.Limits{MaxDepth: 20, MaxStringBytes: 1000, MaxResultBytes: 5000}
			for _, err := range info.Open(nil, bytes.NewReader(document), format.Options{Limits: limits}).Records() {
				if e, ok := errors.AsType[*format.Error](err); err != nil && !ok {
					t.Errorf("%s: %v", kind, err)
				} else if err != nil && e.Severity != format.Recoverable && !errors.Is(err, format.ErrLimit) &&
					!errors.Is(err, format.ErrSchema) && !errors.Is(err, format.ErrDuplicate) {
					t.Errorf("%s: %v, want an exceeded limit", kind, err)
				}
			}
		}
		if len(kinds) < 5 || len(kinds) > 60 {
			t.Errorf("%d kinds", len(kinds))
		}
	})
}

// The same seed gives the same bytes on every platform. A change of the generators changes the
// sums: it is a change that users see. One generator makes the documents of all runners' formats.
func TestSameBytes(t *testing.T) {
	for name, want := range map[string]string{
		"skiav1": "1f63e298", "nanolegacy": "337ea804", "benchfmt": "930a66f7", "keyval": "c20d7bc6", "perun": "05a74bda",
		"googlebench": "08e113bd", "ghbench": "44f4be32", "criterion": "849f1be0",
	} {
		sum := crc32.NewIEEE()
		for seed := range uint64(200) {
			size := sizeOf(seed)
			document, fault := perfdatatest.NearlyValid(name, seed, size)
			sum.Write(append(perfdatatest.Valid(name, seed, size), document...))
			fmt.Fprint(sum, fault)
		}
		if got := fmt.Sprintf("%08x", sum.Sum32()); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	perfdatatest.Valid("nope", 1, 100)
}
