package nanolegacy

import (
	"os"
	"testing"

	"perfdata/traceid"
)

func TestLegacyKey(t *testing.T) {
	for _, test := range []struct {
		name            string
		params          traceid.Params
		strict, lenient string
		err             string
	}{
		{
			name:    "valid characters",
			params:  params("arch", "x86", "sub_result", "ms", "test", "T", "z", "1"),
			strict:  "x86:T:1:ms",
			lenient: "x86:T:1:ms",
		},
		{
			name:    "sub_result only",
			params:  params("sub_result", "ms"),
			strict:  "ms",
			lenient: "ms",
		},
		{
			name:    "invalid characters",
			params:  params("gpu", "GTX 660:PCIe", "sub_result", "min.ms", "test", "größe"),
			lenient: "GTX_660_PCIe:gr__e:min_ms",
			err:     `legacy key: param "gpu" is "GTX 660:PCIe", which holds ' '`,
		},
		{
			name:    "the ends of the ranges of valid characters",
			params:  params("a", "azAZ09_", "b", "`{@[/:", "sub_result", "ms"),
			lenient: "azAZ09_:______:ms",
			err:     `legacy key: param "b" is "` + "`" + `{@[/:", which holds '` + "`" + `'`,
		},
		{
			name:    "empty value",
			params:  params("sub_result", "", "test", "T"),
			lenient: "T:_",
			err:     `legacy key: param "sub_result" is empty`,
		},
		{
			name:    "not UTF-8",
			params:  params("a", "\xff\xfe", "sub_result", "ms"),
			lenient: "__:ms",
			err:     `legacy key: param "a" is "\xff\xfe", which holds '` + "\ufffd" + `'`,
		},
		{
			name:    "missing sub_result",
			params:  params("a", "1", "test", "T"),
			lenient: "1:T",
			err:     "legacy key: missing param \"sub_result\"",
		},
		{
			name: "no params",
			err:  "legacy key: missing param \"sub_result\"",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := LegacyKey(test.params)
			if message := ""; got != test.strict || err == nil && test.err != "" {
				t.Errorf("%v: %q, %v, want %q", test.params, got, err, test.strict)
			} else if err != nil {
				if message = err.Error(); message != test.err {
					t.Errorf("%v: %s, want %s", test.params, message, test.err)
				}
			}
			if got := LenientLegacyKey(test.params); got != test.lenient {
				t.Errorf("%v: lenient %q, want %q", test.params, got, test.lenient)
			}
		})
	}
}

// The specification's example has these keys.
func TestLegacyKeyExample(t *testing.T) {
	f, err := os.Open("../testdata/nanolegacy/example.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := map[string]float64{}
	for rec, err := range NewReader(f).Records() {
		if err != nil {
			t.Fatal(err)
		}
		key, err := LegacyKey(rec.Params)
		if err != nil || key != LenientLegacyKey(rec.Params) {
			t.Error(key, err)
		}
		got[key] = rec.Value
	}
	const want = "x86:8888:GTX660:ShuttleA:Ubuntu12:DeferredSurfaceCopy_discardable_640_480:ms"
	if len(got) != 5 || got[want] != 2.223606 {
		t.Errorf("%v, want %s", got, want)
	}
}
