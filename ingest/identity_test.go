package ingest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
)

// goTestCount6 is what "go test -bench . -count 6" printed at two commits.
var goTestCount6 = func() string {
	var b strings.Builder
	for _, commit := range []string{"7cd9055", "a90137a"} {
		fmt.Fprintf(&b, "commit: %s\ncommit-time: 2024-01-02T03:04:05Z\n", commit)
		b.WriteString("goos: linux\ngoarch: amd64\npkg: example.com/sort\n")
		for i := range 6 {
			fmt.Fprintf(&b, "BenchmarkSort-8   \t    5000\t    29%d.1 ns/op\n", i)
		}
		b.WriteString("PASS\nok  \texample.com/sort\t10.000s\n")
	}
	return b.String()
}()

// The output of "go test -count 6" at two commits has one trace, two commits and twelve values.
func TestCount6(t *testing.T) {
	got := ingestFiles(t, texts(map[string]string{"in": goTestCount6}), RunOptions{}, nil)
	const trace = ",goarch=amd64,gomaxprocs=8,goos=linux,name=Sort,pkg=example.com_sort,unit=ns_op,"
	var want []string
	for _, commit := range []string{"7cd9055", "a90137a"} {
		for i := range 6 {
			want = append(want, fmt.Sprintf("%s %s#%d = 29%d.1", trace, commit, i+1, i))
		}
	}
	if diff := cmp.Diff(want, got.stored["in"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// v1 returns a file of version 1. A measurement is "key=value ... number".
func v1(measurements ...string) string {
	var results []string
	for _, m := range measurements {
		parts := strings.Fields(m)
		var key []string
		for _, p := range parts[:len(parts)-1] {
			k, v, _ := strings.Cut(p, "=")
			key = append(key, fmt.Sprintf("%q:%q", k, v))
		}
		results = append(results, fmt.Sprintf(`{"key":{%s},"measurement":%s}`, strings.Join(key, ","), parts[len(parts)-1]))
	}
	return `{"version":1,"git_hash":"abc","results":[` + strings.Join(results, ",") + "]}"
}

func TestIdentity(t *testing.T) {
	for _, test := range []struct {
		name    string
		options RunOptions
		text    string
		want    []string
	}{
		{
			name: "a param commit beside the record's commit", text: v1("a=b 1", "a=b commit=x 2"),
			want: []string{",a=b, abc#1 = 1", ",a=b, abc#2 = 2"},
		},
		{
			name: "a param commit alone", text: `{"version":1,"results":[{"key":{"a":"b","commit":"x"},"measurement":1}]}`,
			want: []string{",a=b, x#1 = 1"},
		},
		{
			name: "dates", text: v1("a=b commit-time=x date=y 1", "a=b date=z 2"),
			want: []string{",a=b, abc#1 = 1", ",a=b, abc#2 = 2"},
		},
		{
			name: "all params", options: RunOptions{NotIdentity: []string{}}, text: v1("a=b commit=x date=z 1"),
			want: []string{",a=b,commit=x,date=z, abc#1 = 1"},
		},
		{
			name: "other params", options: RunOptions{NotIdentity: []string{"z", "host"}},
			text: v1("a=b commit=x host=h z=z 1"),
			want: []string{",a=b,commit=x, abc#1 = 1"},
		},
		{
			name: "one canonical ID", text: v1("a=b/c 1", "a=b_c 2"),
			want: []string{",a=b_c, abc#1 = 1", ",a=b_c, abc#2 = 2"},
		},
		{
			name: "keyval iterations", text: "a{perf}=1\nb{perf}=2\n\nb{perf}=3\n\n\na{perf}=4\n",
			want: []string{",key=a, #1 = 1", ",key=b, #1 = 2", ",key=b, #2 = 3", ",key=a, #4 = 4"},
		},
		{
			name: "keyvals with one canonical ID", options: RunOptions{Opener: perfdata.Opener{Format: "keyval"}},
			text: "a/{perf}=1\na_{perf}=2\n\na/{perf}=3\n",
			want: []string{",key=a_, #1 = 1", ",key=a_, #2 = 2", ",key=a_, #3 = 3"},
		},
		{
			name: "iteration of another format", text: v1("a=b iteration=1 1", "a=c 4", "a=b iteration=2 2", "iteration=1 3"),
			want: []string{",a=b,iteration=1, abc#1 = 1", ",a=c, abc#1 = 4", ",a=b,iteration=2, abc#1 = 2", ",iteration=1, abc#1 = 3"},
		},
		{
			name: "repetitions", text: v1("a=b repetition=1 1", "a=c repetition=warm 4", "a=b repetition=2 2", "a=b commit=x repetition=1 3"),
			want: []string{",a=b, abc#1 = 1", ",a=c,repetition=warm, abc#1 = 4", ",a=b, abc#2 = 2", ",a=b, abc#3 = 3"},
		},
		{
			name: "repetition left out", options: RunOptions{NotIdentity: []string{"repetition"}}, text: v1("a=b repetition=7 1"),
			want: []string{",a=b, abc#1 = 1"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ingestFiles(t, texts(map[string]string{"in": test.text}), test.options, nil)
			if diff := cmp.Diff(test.want, got.stored["in"]); diff != "" {
				t.Errorf("%v (-want +got):\n%s", got.reports["in"].Err, diff)
			}
		})
	}
}

// A file whose measurements have no identity, or too many, is refused.
func TestIdentityErrors(t *testing.T) {
	for _, test := range []struct {
		name    string
		options RunOptions
		text    string
		want    string
		cause   error
		kept    []string // without Strict
	}{
		{
			name: "no identity", text: v1("a=b 1", "commit=x 2"),
			want: "in: offset 75: no param is part of the measurement's identity",
			kept: []string{",a=b, abc#1 = 1"},
		},
		{
			name: "no identity, with iterations", text: "key{perf}=1\n", options: RunOptions{NotIdentity: []string{"key"}},
			want: "in: offset 0: no param is part of the measurement's identity",
		},
		{
			name: "traces", text: v1("a=b 1", "a=b 1", "a=c 2", "a=d 3"),
			options: limited(format.Limits{MaxUniqueTraces: 2}),
			want:    "in: traces: more than 2 (Limits.MaxUniqueTraces)", cause: format.ErrLimit,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				test.options.Strict = strict
				got := ingestFiles(t, texts(map[string]string{"in": test.text}), test.options, nil)
				report := got.reports["in"]
				want, cause := []string(nil), test.cause
				if cause == nil {
					cause = format.ErrSchema
				}
				err := report.Err
				if !strict && test.kept != nil {
					want, err = test.kept, errors.Join(report.FirstFaults...)
				}
				if err == nil || err.Error() != test.want || !errors.Is(err, cause) {
					t.Errorf("error %v, want %s", err, test.want)
				}
				if diff := cmp.Diff(want, got.stored["in"]); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func limited(l format.Limits) RunOptions {
	return RunOptions{Opener: perfdata.Opener{Options: format.Options{Limits: l}}}
}
