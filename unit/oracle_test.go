package unit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchunit"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/unit"
)

// tables are the units of other systems.
type tables struct {
	CatapultLegacy   map[string][2]any `json:"catapult_legacy"` // the unit with its direction, and the factor to it
	CatapultNames    []string          `json:"catapult_unit_names"`
	CatapultSuffixes []string          `json:"catapult_suffixes"`
	FuchsiaUnit      map[string]string `json:"fuchsia_unit"`
	FuchsiaDirection map[string]string `json:"fuchsia_default_direction"`
	Conbench         map[string][2]any // the name, and whether less is better
}

func readTables(t *testing.T) (all tables) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(t, "oracles", "units"), "tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// A meaning is what a system says of a unit, as far as this package has a word for it.
type meaning struct {
	Base   string // "s", "B" or empty
	Factor float64
	Better format.Direction
}

// of returns what this package says of a unit.
func of(text string) (m meaning, ok bool) {
	u, ok := unit.Parse(text)
	m.Better = u.Better
	if q := u.Quantity; (q.Of == "s" || q.Of == "B") && q.Per != "s" {
		m.Base, m.Factor = q.Of, u.Factor()
	}
	return m, ok
}

// catapult returns the meaning of a unit of Catapult, such as ms_smallerIsBetter, with a factor to
// it.
func catapult(name string, factor float64) (m meaning) {
	name, direction, _ := strings.Cut(name, "_")
	switch name {
	case "ms", "msBestFitFormat":
		m.Base, m.Factor = "s", factor/1000
	case "sizeInBytes":
		m.Base, m.Factor = "B", factor
	}
	switch direction {
	case "smallerIsBetter":
		m.Better = format.Lower
	case "biggerIsBetter":
		m.Better = format.Higher
	}
	return m
}

// compare compares what systems say of their units with what this package says. The units that it
// does not know, or reads in another way, are listed with the reason.
func compare(t *testing.T, want map[string]meaning, except map[string]string) {
	for text, want := range want {
		t.Run(text, func(t *testing.T) {
			got, ok := of(text)
			diff := cmp.Diff(want, got)
			reason, excepted := except[text]
			switch {
			case !ok && !excepted:
				t.Error("unknown")
			case ok && !excepted && diff != "":
				t.Error("(-want +got)\n" + diff)
			case ok && excepted && diff == "":
				t.Errorf("no difference; expected one: %s", reason)
			}
		})
	}
	for text := range except {
		if _, ok := want[text]; !ok {
			t.Errorf("the system has no unit %q", text)
		}
	}
}

const (
	noUnit      = "is not a unit in general"
	noDirection = "has no direction in general"
	ofCatapult  = "is a name of Catapult only"
	aSecond     = "anything a second is better higher"
)

func TestCatapult(t *testing.T) {
	all := readTables(t)
	want := map[string]meaning{}
	for text, entry := range all.CatapultLegacy {
		want[text] = catapult(entry[0].(string), entry[1].(float64))
	}
	compare(t, want, map[string]string{
		"":                           noUnit,
		"count":                      noUnit,
		"tasks":                      noUnit,
		"ports":                      noUnit,
		"relocs":                     noUnit,
		"score":                      noUnit,
		"mips":                       noUnit,
		"dB":                         noUnit,
		"Celsius":                    noUnit,
		"mWh":                        noUnit,
		"idle%":                      noUnit,
		"objects (bigger is better)": ofCatapult,
		"score_(bigger_is_better)":   ofCatapult,
		"ObjectsAt30FPS":             ofCatapult,
		"frame_time":                 ofCatapult,
		"mvtx_sec":                   ofCatapult,
		"kb":                         "1024 bytes; kilobits elsewhere",
		"KB":                         "1024 bytes; 1000 in this package",
		"bit/s":                      aSecond,
		"percent":                    noDirection,
	})
}

// Catapult's own units are read by the package of its format, with their suffixes, except units
// that mean the same everywhere.
func TestCatapultNames(t *testing.T) {
	all := readTables(t)
	general := map[string]bool{"ms": true, "Hz": true}
	for _, name := range all.CatapultNames {
		for _, suffix := range all.CatapultSuffixes {
			text := name + suffix
			if _, ok := unit.Parse(text); ok != general[text] {
				t.Errorf("%q: %v", text, ok)
			}
		}
	}
}

func TestFuchsia(t *testing.T) {
	all := readTables(t)
	want := map[string]meaning{}
	for text, name := range all.FuchsiaUnit {
		m := catapult(name+"_"+all.FuchsiaDirection[name], 1)
		if text == "ns" || text == "nanoseconds" {
			m.Factor = 1e-9 // Fuchsia converts the values
		}
		want[text] = m
	}
	compare(t, want, map[string]string{
		"msBestFitFormat": ofCatapult,
		"tsMs":            ofCatapult,
		"sizeInBytes":     ofCatapult,
		"n%":              ofCatapult,
		"unitless":        ofCatapult,
		"sigma":           ofCatapult,
		"count":           noUnit,
		"J":               noUnit,
		"W":               noUnit,
		"A":               noUnit,
		"Ah":              noUnit,
		"V":               noUnit,
		"percent":         noDirection,
	})
}

func TestConbench(t *testing.T) {
	all := readTables(t)
	for text, entry := range all.Conbench {
		t.Run(text, func(t *testing.T) {
			u, ok := unit.Parse(text)
			if lower := u.Better == format.Lower; !ok || lower != entry[1] || u.Better == format.Unknown {
				t.Errorf("better %q, %v", u.Better, ok)
			}
			// Its long name is the same unit.
			if long, _ := unit.Parse(entry[0].(string)); long != u {
				t.Errorf("%q: %+v", entry[0], long)
			}
		})
	}
}

// The units that Go's tools convert have the same factor.
func TestTidy(t *testing.T) {
	for _, text := range []string{"ns/op", "ns", "MB/s", "L1-miss-ns/op", "B/op", "allocs/op", "peak-RSS-MB"} {
		t.Run(text, func(t *testing.T) {
			factor, base := benchunit.Tidy(1, text)
			u, _ := unit.Parse(text)
			same, ok := unit.Parse(base)
			if !ok || u.Quantity != same.Quantity || u.Factor() != factor {
				t.Errorf("%v %s; x/perf says %v %s", u.Factor(), u.Quantity, factor, base)
			}
		})
	}
}
