package perun

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/corpus"
	"perfdata/internal/formattest"
)

// validate shows all that Validate yields, with a mark for what the specification requires.
func validate(in io.Reader) []string {
	got := []string{}
	for e := range Validate(in, "in", format.Limits{}) {
		line := e.Error()
		if errors.Is(e, format.ErrSchema) {
			line = "SPEC " + line
		}
		got = append(got, line)
	}
	return got
}

func TestValidate(t *testing.T) {
	const rest = `"collector_info":{"name":"n"},"postprocessors":[]}`
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"valid", head + `"global":[{"amount":1,"uid":"u","type":"time"}],` + rest, []string{}},
		{"empty", ``, []string{"in:1:1: (root): the input is empty"}},
		{"nothing of it", `{"global":null}`, []string{
			"SPEC in:1:1: (root): header is required", "SPEC in:1:1: (root): collector_info is required", "SPEC in:1:1: (root): postprocessors is required",
		}},
		{"a header of nothing", `{"header":{},"collector_info":{},"postprocessors":[]}`, []string{
			"SPEC in:1:1: (root): resources, snapshots or global is required", "SPEC in:1:1: collector_info: name is required",
			`SPEC in:1:11: header.type: the type is "", expected time, memory or mixed`,
			"SPEC in:1:11: header: cmd is required", "SPEC in:1:11: header: workload is required", "SPEC in:1:11: header: units is required",
		}},
		{"repeated members", `{"a":{"b":1,"b":2},"header":{},"a":[{"c":1,"d":2,"c":3}]}`, []string{
			`in:1:13: a.b: duplicate member "b"`, `in:1:32: a: duplicate member "a"`, `in:1:50: a.0.c: duplicate member "c"`,
		}},
		{"a repeated member and a syntax error", `{"a":1,"a":2,}`, []string{`in:1:8: a: duplicate member "a"`, `in:1:14: a: found '}', expected a member's name`}},
		{"resources", head + `"global":[{"amount":"1","uid":"u","type":"time"},{"amount":2},{"uid":"u","type":"x"},3],"models":[{"uid":"u"},4],` + rest, []string{
			"SPEC in:1:83: global.0: Invalid type. Expected: number, given: string",
			"SPEC in:1:122: global.1: uid is required", "SPEC in:1:122: global.1: type is required",
			"SPEC in:1:135: global.2: there is no number: amount is required",
			`in:1:135: global.2: warning: header.units has no unit of type "x" and subtype ""`,
			"SPEC in:1:158: global.3: Invalid type. Expected: object, given: integer",
			"SPEC in:1:171: models.0: model is required",
			"SPEC in:1:183: models.1: Invalid type. Expected: object, given: integer",
		}},
		{"resource types", head + `"resource_type_map":{"a#0":{},"b#0":{"uid":"b","type":"time"}},"resources":{"a#0":{"amount":[1,2]}},` + rest, []string{
			"in:1:93: resource_type_map: warning: 1 of 2 resource types have no resources",
			"SPEC in:1:166: resources.a#0: uid is required", "SPEC in:1:166: resources.a#0: type is required",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, validate)
		})
	}
}

// The files of testdata are valid, except files whose names say otherwise; so are the corpus's,
// except files that are corrupted.
func TestValidFiles(t *testing.T) {
	for name, file := range inputs(t) {
		valid := true
		for e := range Validate(strings.NewReader(file), name, format.Limits{}) {
			if !e.Warning {
				valid = false
				if base := filepath.Base(name); !strings.HasPrefix(base, "corrupted") && !strings.HasPrefix(base, "err-") && base != "invalid.perf" {
					t.Errorf("%v", e)
				}
			}
		}
		if base := filepath.Base(name); valid && (strings.HasPrefix(base, "corrupted") || strings.HasPrefix(base, "err-") || base == "invalid.perf") {
			t.Errorf("%s is valid", name)
		}
	}
}

func TestValidateMany(t *testing.T) {
	in := head + `"global":[` + strings.Repeat("1,", 20_000) + `1]}`
	got := validate(strings.NewReader(in))
	if len(got) != maxFound || !strings.HasSuffix(got[maxFound-3], "more than 9999 faults: the rest of them is not listed") && !strings.HasSuffix(got[maxFound-1], "more than 9999 faults: the rest of them is not listed") {
		t.Errorf("%d faults, the last of them %s", len(got), got[len(got)-1])
	}
}

// No other format's JSON is claimed, and every profile is.
func TestSniff(t *testing.T) {
	info := Info()
	for name, file := range inputs(t) {
		if strings.HasPrefix(filepath.Base(name), "err-") {
			continue
		}
		if !info.Sniff([]byte(file)) || !info.Sniff([]byte(file)[:len(file)*3/4]) {
			t.Errorf("%s isn't recognised", name)
		}
	}
	for _, pattern := range []string{"../testdata/skiav1/*.json", "../testdata/nanolegacy/*.json"} {
		for name, file := range formattest.Files(t, pattern, 7) {
			if info.Sniff([]byte(file)) {
				t.Errorf("%s is taken for a profile", name)
			}
		}
	}
	for _, in := range []string{
		``, `{}`, `[]`, `{"header":{}}`, `{"header":{"a":1},"results":[]}`, `{"resources":{}}`, `{"resources":[]}`, `{"resources":[{"id":1}]}`, `{"resources":{"cpu":{"limit":1}}}`, `{"resources":{"cpu":[1]}}`,
		`{"snapshots":[]}`, `{"snapshots":[{"id":"a"}]}`, `{"global":{}}`, `{"models":[]}`, `{"origin":"x"}`, `{"version":1,"git_hash":"a","results":[]}`,
	} {
		if info.Sniff([]byte(in)) {
			t.Errorf("%s is taken for a profile", in)
		}
	}
	for _, folder := range []string{"skiav1", "nanolegacy"} {
		root := corpus.Dir(t, folder)
		filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(name, ".json") && !strings.Contains(name, "expected") {
				if data, err := os.ReadFile(name); err == nil && info.Sniff(data) {
					t.Errorf("%s is taken for a profile", name)
				}
			}
			return nil
		})
	}
}
