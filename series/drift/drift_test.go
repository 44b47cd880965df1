package drift_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/drift"
	"perfdata/traceid"
)

// add adds files, each of lines such as "test=Sort unit=ms 5", separated by "; ".
func add(t testing.TB, c *drift.Collector, side int, files ...string) {
	t.Helper()
	for i, file := range files {
		c.File(side, fmt.Sprintf("%d.json", i))
		for line := range strings.SplitSeq(file, "; ") {
			var params []traceid.Param
			value := 1.0
			for field := range strings.FieldsSeq(line) {
				key, text, ok := strings.Cut(field, "=")
				if ok {
					params = append(params, traceid.Param{Key: key, Value: text})
					continue
				}
				var err error
				if value, err = strconv.ParseFloat(field, 64); err != nil {
					t.Fatal(err)
				}
			}
			if params == nil {
				continue
			}
			if err := c.Add(traceid.FromPairs(params...), value); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestReport(t *testing.T) {
	many := func(line string, n int) string {
		var lines []string
		for i := range n {
			lines = append(lines, strings.ReplaceAll(line, "%", fmt.Sprint(i)))
		}
		return strings.Join(lines, "; ")
	}
	for _, test := range []struct {
		name     string
		old, new []string
		want     string // members of the report
	}{
		{"nothing", nil, nil, `{"same":0}`},
		{"the same", []string{"test=a 1", "test=b 2"}, []string{"test=b 2; test=a 1"}, `{"same":2,"vanished":0,"appeared":0}`},
		{"appeared", []string{"test=a 1"}, []string{"test=a 1; test=b 2"},
			`{"same":1,"appeared":1,"unexplained":{"vanished":0,"appeared":1,
				"groups":[{"key":"test","value":"b","traces":1,"appears":true}]}}`},
		{"another value in each file", []string{"test=a run=1 1", "test=a run=2 1"}, []string{"test=a run=3 1", "test=a run=4 1"},
			`{"splitting_keys":["run"],"unexplained":{"vanished":0,"appeared":0}}`},
		{"a benchmark in each file", []string{"test=a 1", "test=b 2"}, []string{"test=a 1", "test=b 2"}, `{"same":2}`},
		{"added", []string{"test=a 1; test=b 2"}, []string{"test=a os=x 1; test=b os=x 2"},
			`{"explained_by_adding_keys":["os"],"unexplained":{"vanished":0,"appeared":0}}`},
		{"removed", []string{"test=a os=x 1; test=b os=x 2"}, []string{"test=a 1; test=b 2"},
			`{"explained_by_removing_keys":["os"],"unexplained":{"vanished":0,"appeared":0}}`},
		{"changed, and a new benchmark", []string{"test=a os=x 1; test=b os=x 2"}, []string{"test=a os=y 1; test=b os=y 2; test=c os=y 3"},
			`{"changed":{"key":"os","from":"x","to":"y","traces":2},"unexplained":{"vanished":0,"appeared":1,
				"groups":[{"key":"test","value":"c","traces":1,"appears":true}]}}`},
		{"two changed", []string{"test=a os=x arch=p 1; test=b os=x arch=p 2"}, []string{"test=a os=y arch=q 1; test=b os=y arch=q 2"},
			`{"changed":{"key":"arch","from":"p","to":"q","traces":2},"also_changed":[{"key":"os","from":"x","to":"y","traces":2}]}`},
		{"unit", []string{"test=a units=us 1500; test=b units=us 20"}, []string{"test=a units=ms 1.4; test=b units=ms 0.02"},
			`{"changed":{"key":"units","from":"us","to":"ms","traces":2},"value_factor":0.001,"exact_after_conversion":true}`},
		{"only the name of the unit", []string{"test=a units=us 1500; test=b units=us 20"}, []string{"test=a units=ms 1500; test=b units=ms 20"},
			`{"value_factor":0.001,"exact_after_conversion":false}`},
		{"case", []string{"test=sort_all stat=min 1; test=sort_all stat=max 2"}, []string{"test=SortAll stat=min 1; test=SortAll stat=max 2"},
			`{"renamed":[{"key":"test","from":"sort_all","to":"SortAll"}]}`},
		{"ends", []string{many("test=Sort%-8 1", 9)}, []string{many("test=Sort%-16 1", 9)},
			`{"renamed_pattern":{"key":"test","from_suffix":"-8","to_suffix":"-16","traces":9}}`},
		{"added ends", []string{many("test=Sort% 1", 9)}, []string{many("test=Sort%_v2 1", 9)},
			`{"renamed_pattern":{"key":"test","from_suffix":"","to_suffix":"_v2","traces":9}}`},
		{"beginnings", []string{many("test=Sort% 1", 9)}, []string{many("test=BenchmarkSort% 1", 9)},
			`{"renamed_pattern":{"key":"test","from_suffix":"","to_suffix":"","to_prefix":"Benchmark","traces":9}}`},
		{"ends of more names than are looked at for patterns", []string{many("test=Sort% 1", 9_000) + "; test=Hash 2"},
			[]string{many("test=Sort%_v2 1", 9_000) + "; test=Hash 2"},
			`{"renamed_pattern":{"key":"test","from_suffix":"","to_suffix":"_v2","traces":9000},"renamed":null,
				"unexplained":{"vanished":0,"appeared":0}}`},
		{"ends of whole runes", []string{many("test=caf%\u00e9 1", 9)}, []string{many("test=caf%\u00e8s 1", 9)},
			`{"renamed_pattern":{"key":"test","from_suffix":"\u00e9","to_suffix":"\u00e8s","traces":9}}`},
		{"alike", []string{"test=decode_jpeg 10; test=b 1"}, []string{"test=decode_jpeg_rows 11; test=b 1"},
			`{"renamed":[{"key":"test","from":"decode_jpeg","to":"decode_jpeg_rows"}]}`},
		{"alike, but of another scale", []string{"test=decode_jpeg 10; test=b 1"}, []string{"test=decode_jpeg_rows 1000; test=b 1"},
			`{"renamed":null,"unexplained":{"vanished":1,"appeared":1,"groups":[
				{"key":"test","value":"decode_jpeg","traces":1,"appears":false},
				{"key":"test","value":"decode_jpeg_rows","traces":1,"appears":true}]}}`},
		{"another name, the same values", []string{"test=frobnicate 10.1; test=b 1"}, []string{"test=quux 10.2; test=b 1"},
			`{"renamed":[{"key":"test","from":"frobnicate","to":"quux"}]}`},
		{"multiplied", []string{"test=a n=0 1; test=b n=0 1"}, []string{many("test=a n=% 1", 10) + "; " + many("test=b n=% 1", 10)},
			`{"cardinality":{"n":[1,10]},"appeared":18,"unexplained":{"vanished":0,"appeared":0}}`},
		{"empty files", []string{"test=a 1"}, []string{"", "test=a 1", ""}, `{"empty_files":2,"same":1}`},
		{"nothing new", []string{"test=a 1"}, []string{""}, `{"empty_files":1,"vanished":1,"unexplained":{"vanished":1,"appeared":0}}`},
		{"collisions", []string{"test=a/b 1; test=a_b 2; test=a:b 3; test=c/d 4"}, []string{"test=a/b 1; test=c/d 4"},
			`{"same":2,"collisions":[{"key":"test","values":["a/b","a:b","a_b"]}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c drift.Collector
			add(t, &c, series.Old, test.old...)
			add(t, &c, series.New, test.new...)
			text, err := json.Marshal(c.Report())
			if err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			for member, value := range want {
				if diff := cmp.Diff(value, got[member]); diff != "" {
					t.Errorf("%s (-want +got):\n%s%s", member, diff, text)
				}
			}
		})
	}
}

// The order of the measurements, and measurements that are there twice, do not matter.
func TestOrder(t *testing.T) {
	report := func(old, new string) string {
		var c drift.Collector
		add(t, &c, series.Old, old)
		add(t, &c, series.New, new)
		text, err := json.Marshal(c.Report())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := report("test=a os=x 1; test=b os=x 2; test=c os=z 3", "test=a os=y 1; test=b os=y 2; test=d os=z 3")
	got := report("test=b os=x 2; test=a os=x 1; test=c os=z 3; test=a os=x 1", "test=a os=y 1; test=d os=z 3; test=b os=y 2; test=b os=y 2")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The hashes of a Collector, which are seeded, decide neither about a cause nor about its example.
func TestExamples(t *testing.T) {
	for _, test := range []struct{ name, old, new string }{
		{"renamed part", "9 test=Sort/n=% $", "9 test=Sort/size=% $"},
		{"several series become several", "9 test=T% host=h1 $; 9 test=T% host=h2 $", "9 test=t% host=g1 $; 9 test=t% host=g2 $"},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen := make(map[string]bool)
			for range 20 {
				var c drift.Collector
				add(t, &c, series.Old, expand(test.old)...)
				add(t, &c, series.New, expand(test.new)...)
				text, err := json.Marshal(c.Report())
				if err != nil {
					t.Fatal(err)
				}
				seen[string(text)] = true
			}
			if len(seen) != 1 {
				t.Errorf("%d reports: %v", len(seen), seen)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	c := drift.Collector{MaxIDs: 1}
	c.File(series.Old, "a")
	if err := c.Add(traceid.Of("a", "1"), 1); err != nil {
		t.Fatal(err)
	}
	if err := c.Add(traceid.Of("a", "2"), 1); !errors.Is(err, format.ErrLimit) {
		t.Errorf("error %v, want %v", err, format.ErrLimit)
	}
}

// A Collector without a file takes measurements, too, as those of an old one.
func TestNoFile(t *testing.T) {
	var c drift.Collector
	if err := c.Add(traceid.FromPairs(traceid.Param{}), 1); err != nil {
		t.Fatal(err)
	}
	if r := c.Report(); r.Vanished != 1 {
		t.Errorf("%d vanished, want 1", r.Vanished)
	}
}

func TestAliases(t *testing.T) {
	aliases, err := drift.ReadAliases(strings.NewReader("# names\n\ntest=a -> test=b&os=\ntest=~^x -> kind=other\n"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ params, want traceid.Params }{
		{traceid.Of("test", "a", "os", "x"), traceid.Of("test", "b")},
		{traceid.Of("test", "xy"), traceid.Of("test", "xy", "kind", "other")},
		{traceid.Of("test", "c"), traceid.Of("test", "c")},
	} {
		got, err := aliases.Apply(test.params)
		if err != nil || !got.Equal(test.want) {
			t.Errorf("%s: %s, %v, want %s", test.params.ID(), got.ID(), err, test.want.ID())
		}
	}
	for _, test := range []struct{ list, want string }{
		{"test=a\n", `x:1:1: missing "->": want QUERY -> key=value&key=value`},
		{"\ntest=a -> b\n", `x:2:1: param "b": want key=value`},
		{"test=~( -> test=b\n", "error parsing regexp"},
		{strings.Repeat("a", 70_000), "token too long"},
	} {
		if _, err := drift.ReadAliases(strings.NewReader(test.list), "x", nil); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%.20q: error %v, want %s", test.list, err, test.want)
		}
	}
}

func FuzzReport(f *testing.F) {
	f.Add("test=a os=x 1; test=b 2", "test=A os=y 1; test=b 2")
	f.Add("test=Sort-8 1; test=Hash-8 2", "test=Sort-16 1; test=Hash-16 2")
	f.Fuzz(func(t *testing.T, old, new string) {
		var c drift.Collector
		for side, text := range []string{old, new} {
			c.File(side, "x")
			for line := range strings.SplitSeq(text, "; ") {
				var pairs []traceid.Param
				for field := range strings.FieldsSeq(line) {
					key, value, _ := strings.Cut(field, "=")
					pairs = append(pairs, traceid.Param{Key: key, Value: value})
				}
				values := []float64{1, 0, -1, math.NaN(), math.Inf(1), 5e-324}
				if err := c.Add(traceid.FromPairs(pairs...), values[len(line)%len(values)]); err != nil {
					t.Fatal(err)
				}
			}
		}
		r := c.Report()
		if r.Unexplained.Vanished > r.Vanished || r.Unexplained.Appeared > r.Appeared {
			t.Errorf("%+v", r)
		}
		causes := len(r.SplittingKeys) + len(r.VaryingKeys) + len(r.Cardinality) + len(r.Jumps)
		if r.HasDrifted() != (r.Vanished+causes > 0) {
			t.Errorf("drifted: %+v", r)
		}
		if isSilent := texts(r) == nil; isSilent && r.Vanished+r.Appeared+causes > 0 {
			t.Errorf("no reason: %+v", r)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	})
}
