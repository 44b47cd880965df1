package perun

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
)

// validate returns the errors that Validate yields, with SPEC before violations of the
// specification.
func validate(in io.Reader) []string {
	got := []string{}
	for e := range Format().Validate(in, format.Options{Name: "in"}) {
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
		{
			name: "valid",
			in:   head + `"global":[{"amount":1,"uid":"u","type":"time"}],` + rest,
			want: []string{},
		},
		{
			name: "empty",
			in:   `§`,
			want: []string{"in:§: (root): the input is empty"},
		},
		{
			name: "missing members",
			in:   `§§§{"global":null}`,
			want: []string{
				"SPEC in:§: (root): header is required",
				"SPEC in:§: (root): collector_info is required",
				"SPEC in:§: (root): postprocessors is required",
			},
		},
		{
			name: "empty header",
			in:   `§§{"header":§§§§{},"collector_info":{},"postprocessors":[]}`,
			want: []string{
				"SPEC in:§: (root): resources, snapshots or global is required",
				"SPEC in:§: collector_info: name is required",
				`SPEC in:§: header.type: the type is "", expected time, memory or mixed`,
				"SPEC in:§: header: cmd is required",
				"SPEC in:§: header: workload is required",
				"SPEC in:§: header: units is required",
			},
		},
		{
			name: "duplicate members",
			in:   `{"a":{"b":1,§"b":2},"header":{},§"a":[{"c":1,"d":2,§"c":3}]}`,
			want: []string{
				`in:§: a.b: duplicate member "b"`, `in:§: a: duplicate member "a"`,
				`in:§: a.0.c: duplicate member "c"`,
			},
		},
		{
			name: "duplicate member and syntax error",
			in:   `{"a":1,§"a":2,§}`,
			want: []string{`in:§: a: duplicate member "a"`, `in:§: (root): found '}', expected a member's name`},
		},
		{
			name: "resources",
			in: head + `"global":[§{"amount":"1","uid":"u","type":"time"},§§{"amount":2},` +
				`§§{"uid":"u","type":"x"},§3],"models":[§{"uid":"u"},§4],` + rest,
			want: []string{
				"SPEC in:§: global.0: Invalid type. Expected: number, given: string",
				"SPEC in:§: global.1: uid is required", "SPEC in:§: global.1: type is required",
				"SPEC in:§: global.2: missing number: amount is required",
				`in:§: global.2: warning: header.units has no unit of type "x" and subtype ""`,
				"SPEC in:§: global.3: Invalid type. Expected: object, given: integer",
				"SPEC in:§: models.0: model is required",
				"SPEC in:§: models.1: Invalid type. Expected: object, given: integer",
			},
		},
		{
			name: "resource types",
			in: head + `"resource_type_map":§{"a#0":{},"b#0":{"uid":"b","type":"time"}},` +
				`"resources":{"a#0":{"amount":[§§1,2]}},` + rest,
			want: []string{
				"in:§: resource_type_map: warning: 1 of 2 resource types have no resources",
				"SPEC in:§: resources.a#0: uid is required", "SPEC in:§: resources.a#0: type is required",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, validate)
		})
	}
}

// The files of testdata and of the corpus are valid, except those whose names say otherwise.
func TestValidFiles(t *testing.T) {
	for name, file := range inputs(t) {
		valid := true
		for e := range Format().Validate(strings.NewReader(file), format.Options{Name: name}) {
			if e.Severity != format.Warning {
				valid = false
				if base := filepath.Base(name); !strings.HasPrefix(base, "corrupted") &&
					!strings.HasPrefix(base, "err-") && base != "invalid.perf" {
					t.Errorf("%v", e)
				}
			}
		}
		if base := filepath.Base(name); valid && (strings.HasPrefix(base, "corrupted") ||
			strings.HasPrefix(base, "err-") || base == "invalid.perf") {
			t.Errorf("%s is valid", name)
		}
	}
}

func TestValidateMany(t *testing.T) {
	in := head + `"global":[` + strings.Repeat("1,", 20_000) + `1]}`
	got := validate(strings.NewReader(in))
	isLimit := func(line string) bool {
		return strings.HasSuffix(line, "more than 10000 errors: the rest are not listed")
	}
	if len(got) != jsondoc.MaxFound+1 || !slices.ContainsFunc(got, isLimit) {
		t.Errorf("%d errors, the last is %s", len(got), got[len(got)-1])
	}
}

// Sniff recognizes every profile, and no other format's files.
func TestSniff(t *testing.T) {
	info := Format()
	for name, file := range inputs(t) {
		if strings.HasPrefix(filepath.Base(name), "err-") {
			continue
		}
		if !info.Detect([]byte(file)).Yes || !info.Detect([]byte(file)[:len(file)*3/4]).Yes {
			t.Errorf("%s isn't recognized", name)
		}
	}
	for _, pattern := range []string{"../testdata/skiav1/*.json", "../testdata/nanolegacy/*.json"} {
		for name, file := range formattest.Files(t, pattern, 7) {
			if info.Detect([]byte(file)).Yes {
				t.Errorf("%s is taken for a profile", name)
			}
		}
	}
	for _, in := range []string{
		`{"resources":{},"resource_type_map":{"a#0":{"type":"time"}},"header":{"type":"time","units":{}}}`,
		`{"resources":{"a#0":{"amount":[1]}}`, `{"resources":{"a#0":{"x":[1],"amount":[1]}}`, `{"resources":[{"uid":"a","amount":1`,
	} {
		if !info.Detect([]byte(in)).Yes {
			t.Errorf("%s isn't recognized", in)
		}
	}
	for _, in := range []string{
		``, `{}`, `[]`, `{"header":{}}`, `{"header":{"a":1},"results":[]}`, `{"resources":{}}`,
		`{"resources":[]}`, `{"resources":[{"id":1}]}`, `{"resources":{"cpu":{"limit":1}}}`,
		`{"resources":{"cpu":[1]}}`,
		`{"snapshots":[]}`,
		`{"snapshots":[{"id":"a"}]}`,
		`{"global":{}}`,
		`{"models":[]}`,
		`{"origin":"x"}`,
		`{"version":1,"git_hash":"a","results":[]}`,
	} {
		if info.Detect([]byte(in)).Yes {
			t.Errorf("%s is taken for a profile", in)
		}
	}
	for _, folder := range []string{"skiav1", "nanolegacy"} {
		root := corpus.Dir(t, folder)
		filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(name, ".json") && !strings.Contains(name, "expected") {
				if data, err := os.ReadFile(name); err == nil && info.Detect(data).Yes {
					t.Errorf("%s is taken for a profile", name)
				}
			}
			return nil
		})
	}
}

// Validate reports a limit that only the flattened fields of records exceed.
func TestValidateFlattened(t *testing.T) {
	const in = `{"header":{"type":"time","units":{"time":"s"},"cmd":"","workload":""},"collector_info":{"name":"c"},` +
		`"postprocessors":[],"global":[{"amount":1,"type":"time","uid":{"a":"0123456789","b":"0123456789"}}]}`
	for _, test := range []struct {
		name   string
		limits format.Limits
		want   string
	}{
		{"text", format.Limits{MaxStringBytes: 20}, "the flattened form is too large: more than 20 (Limits.MaxStringBytes)"},
		{"fields", format.Limits{MaxParams: 3}, "flattened fields of one resource: more than 3 (Limits.MaxParams)"},
		{"as many fields", format.Limits{MaxParams: 5}, ""},
		{"neither", format.Limits{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			for e := range Format().Validate(strings.NewReader(in), format.Options{Limits: test.limits}) {
				got += e.Message
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	*strings.Reader
	n int
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	return n, err
}

// Validate reads a profile at most twice, and so do Records after Header.
func TestReadTwice(t *testing.T) {
	const resource = `{"amount":1,"type":"time","uid":"f"},`
	const members = head + `"collector_info":{"name":"c"},"postprocessors":[],`
	resources := strings.TrimSuffix(strings.Repeat(resource, 16_000), ",")
	numbers := strings.Repeat("1,", 300_000) + "1"
	for name, in := range map[string]string{
		"list":      members + `"global":[` + resources + `]}`,
		"snapshots": members + `"snapshots":[{"time":"1","resources":[` + resources + `]}]}`,
		"types": members + `"resources":{"f#0":{"amount":[` + numbers + `]}},` +
			`"resource_type_map":{"f#0":{"type":"time","uid":"f"}}}`,
		"duplicate member": members + `"global":[` + resources + `],"header":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			const window = 512 << 10 // is read again after each change of place
			count := &countingReader{Reader: strings.NewReader(in)}
			for range Format().Validate(count, format.Options{}) {
			}
			if count.n > 2*len(in)+window {
				t.Errorf("Validate reads %d bytes of %d", count.n, len(in))
			}

			count = &countingReader{Reader: strings.NewReader(in)}
			r := NewReader(count)
			r.Header()
			for range r.Records() {
			}
			if count.n > 2*len(in)+window {
				t.Errorf("Header and Records read %d bytes of %d", count.n, len(in))
			}
		})
	}
}

// The path of a violation has a name whole, up to 500 bytes.
func TestLongNames(t *testing.T) {
	for _, length := range []int{129, 500, 501} {
		name := strings.Repeat("n", length)
		want := "resources." + name
		if length > 500 {
			want = "resources." + name[:500] + "..."
		}
		in := `{"resources":{"` + name + `":{"amount":[1]}},"resource_type_map":{"` + name + `":{"type":"time"}}}`
		found := false
		for e := range Format().Validate(strings.NewReader(in), format.Options{}) {
			found = found || e.Path == want && e.Message == "uid is required"
		}
		if !found {
			t.Errorf("no violation at a name of %d bytes", length)
		}
	}
}
