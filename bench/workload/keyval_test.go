package workload

import (
	"testing"

	"perfdata/format"
	"perfdata/keyval"
)

func TestKeyvalIsValid(t *testing.T) {
	for e := range keyval.Validate(NewKeyval(1000).Reader(), "workload", format.Limits{}) {
		t.Error(e)
	}
}

func TestKeyvalReadFromAnywhere(t *testing.T) {
	checkReadFromAnywhere(t, NewKeyval(3), 1)
}

func TestKeyvalSize(t *testing.T) {
	checkSize(t, NewKeyval(300_000).Size(), 66e6, 0.05)
}

func TestKeyvalRecords(t *testing.T) {
	d := NewKeyval(1000)
	attrs := func(core string) map[string]string {
		return map[string]string{"build": "lumpy-release-R99-14469.8.0", "core": core}
	}
	checkRecords(t, d, keyval.NewReader(d.Reader()), 5000,
		record{ID: ",iteration=1,key=bytes_page_reads,", Value: 18607535, Attrs: attrs("cpu7")},
		record{ID: ",iteration=1000,key=watts_energy_rate,", Value: 5.211041, Attrs: attrs("cpu3")})
}
