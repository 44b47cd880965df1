package perfdata_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
)

// Numbers with more than 800 digits before the point are read to the nearest float64 in every
// format, where they come first and where they repeat the text of an earlier result.
func TestLongNumbers(t *testing.T) {
	zeros := strings.Repeat("0", 900)
	numbers := []string{"1.5", "1" + zeros + "e-900", "-25" + zeros + ".5e-901", "9007199254740993" + zeros + "1e-901", "2.5"}
	var want []string
	for _, number := range numbers {
		exact, ok := new(big.Rat).SetString(number)
		if !ok {
			t.Fatal(number)
		}
		f, _ := exact.Float64()
		want = append(want, fmt.Sprint(f))
	}
	// fill repeats a text for each number.
	fill := func(before, each, between, after string) string {
		var all []string
		for _, number := range numbers {
			all = append(all, strings.ReplaceAll(each, "$", number))
		}
		return before + strings.Join(all, between) + after
	}

	for _, test := range []struct{ name, format, in string }{
		{
			"single measurements", "skiav1",
			fill(`{"version":1,"git_hash":"x","results":[`, `{"key":{"a":"b"},"measurement":$}`, ",\n", "]}"),
		},
		{
			"measurements", "skiav1",
			fill(`{"version":1,"git_hash":"x","results":[{"measurements":{"s":[`, `{"value":"v","measurement":$}`, ",", "]}}]}"),
		},
		{
			"sub-results", "nanolegacy",
			fill(`{"gitHash":"x","results":{`, `"$":{"c":{"ms":$}}`, ",\n", "}}"),
		},
		{"values", "benchfmt", fill("", "BenchmarkX 1 $ s\n", "", "")},
		{"iterations", "keyval", fill("", "a{perf}=$\n", "\n", "")},
		{
			"resources", "perun",
			fill(`{"header":{"type":"time"},"global":[`, `{"amount":$,"uid":"u","type":"time"}`, ",\n", "]}"),
		},
		{
			"arrays", "perun",
			fill(`{"header":{"type":"time"},"resources":{"u":{"amount":[`, "$", ",",
				`]}},"resource_type_map":{"u":{"uid":"u","type":"time"}}}`),
		},
	} {
		t.Run(test.format+" "+test.name, func(t *testing.T) {
			f, err := perfdata.Opener{Format: test.format}.NewReader(strings.NewReader(test.in), "x")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for rec, err := range f.Records() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprint(rec.Value))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	// No measurement is out of the range of float32.
	in := fill(`{"version":1,"git_hash":"x","results":[`, `{"key":{"a":"$"},"measurement":$}`, ",\n", "]}")
	f, err := perfdata.NewReader(strings.NewReader(in), "x")
	if err != nil {
		t.Fatal(err)
	}
	for e := range f.Validate() {
		if e.Severity != format.Warning {
			t.Error(e)
		}
	}
}
