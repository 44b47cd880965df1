package convert_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/faulty"
)

// If any Write of the output or any Read of the input fails, a conversion returns the error, then
// and later.
func TestFaults(t *testing.T) {
	total := 0
	for _, name := range []string{
		"skiav1/example.json", "nanolegacy/samples.json", "benchfmt/gotest.txt", "keyval/iterations.keyval",
		"perun/models.perf", "perun/time_snapshots.perf",
	} {
		data, err := os.ReadFile("../testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range []string{"skiav1", "nanolegacy", "benchfmt", "keyval", "perun", "tap"} {
			t.Run(name+" to "+to, func(t *testing.T) {
				total += faulty.Check(t, faulty.Subject{Try: func(s *faulty.Script) (string, error) {
					return convertFaulty(t, s, string(data), to)
				}})
			})
		}
	}
	t.Logf("%d calls failed", total)
}

// convertFaulty reads a file from a pipe and converts it.
func convertFaulty(t *testing.T, s *faulty.Script, data, to string) (string, error) {
	f, err := perfdata.NewReader(faulty.NewReader(s, data), "in")
	if err != nil {
		return "", err
	}
	defer f.Close()
	header, err := f.FileHeader()
	if err != nil {
		return "", err
	}
	survey := surveyOf(to, "")
	if header.Commit == "" {
		header.Commit = "abc"
	}
	survey.AddHeader(header)
	var recs []*format.Record
	for rec, err := range f.Records() {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			continue
		}
		if err != nil {
			return "", err
		}
		recs = append(recs, rec.Clone())
		survey.Add(rec)
	}

	var out bytes.Buffer
	w, err := survey.NewWriter(&faulty.Writer{Script: s, Out: &out})
	if err != nil {
		return "", err
	}
	for _, rec := range recs {
		if err = w.Write(rec); err != nil {
			break
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		for _, again := range []error{w.Write(recs[0]), w.Close(), w.Close()} {
			if again == nil {
				t.Error("no error after an error")
			}
		}
	}
	return out.String(), err
}
