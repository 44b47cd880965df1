package job

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzStatus checks that a job with any status log has the tests of a plain reading, or an error,
// and a bounded number of errors per line.
func FuzzStatus(f *testing.F) {
	f.Add("START\t----\t----\ttimestamp=1\t\n\tSTART\ta\ta\t\n\t\tFAIL\ta\ta\twhy\n\tEND FAIL\ta\ta\t\n" +
		"END GOOD\t----\t----\t\n")
	f.Add("\tEND GOOD\ta\ta\t\nSTART\ta\ta\tx=y\tz\n\tINFO\t----\t----\tjob_abort_reason=x\nSTART\t../a\ta\t\n" +
		"\tBAD\t\xff\ta\ttimestamp=x\n")
	f.Fuzz(func(t *testing.T, log string) {
		if utf8.ValidString(log) && len(log) <= maxReasonBytes && !strings.HasPrefix(log, "\ufeff") {
			checkPlainStatus(t, log)
		}
		j := NewReader(files(map[string]string{"status": log, "keyval": "hostname=h\n"}), ".")
		tests := 0
		for test, err := range j.Tests() {
			if err != nil {
				continue
			}
			tests++
			if test.Name == "" || !slices.Contains(statuses[:], test.Status) {
				t.Errorf("%+v", test)
			}
		}
		if h, err := j.Header(); err != nil || h.Host != "h" {
			if strings.HasPrefix(log, "\xff\xfe") || strings.HasPrefix(log, "\xfe\xff") {
				return
			}
			t.Errorf("%v, %v", h, err)
		}
		if tests == 0 || tests > 2*strings.Count(log, "\n")+4 {
			t.Errorf("%d tests", tests)
		}
		for rec, err := range j.Records() {
			if err == nil || rec != nil {
				t.Errorf("a record: %v", rec)
			}
		}
	})
}
