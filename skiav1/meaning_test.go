package skiav1

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

// similarResult returns a result with two measurements, n and n+1.
func similarResult(test, unit, direction string, n int) string {
	return fmt.Sprintf(`{"key":{"t":%q,"unit":%q,"improvement_direction":%q},"measurements":{"s":[`+
		`{"value":"x","measurement":%d},{"value":"y","measurement":%d}]}}`, test, unit, direction, n, n+1)
}

func TestMeaning(t *testing.T) {
	const head = `{"version":1,"git_hash":"abc",`
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "none",
			in:   head + `"key":{"k":"v"},"results":[{"measurement":1}]}`,
			want: []string{"1   abc"},
		},
		{
			name: "of the file, and of a result",
			in: head + `"key":{"unit":"ms","improvement_direction":"down"},"results":[{"measurement":1},` +
				`{"key":{"unit":"fps","improvement_direction":"up"},"measurement":2},{"measurement":3}]}`,
			want: []string{"1 ms lower abc", "2 fps higher abc", "3 ms lower abc"},
		},
		{
			name: "units",
			in: head + `"key":{"units":"ms"},"results":[{"measurement":1},{"key":{"unit":"s"},"measurement":2},` +
				`{"key":{"units":"B"},"measurement":3}]}`,
			want: []string{"1 ms  abc", "2 s  abc", "3 B  abc"},
		},
		{
			name: "other directions",
			in: head + `"results":[{"key":{"improvement_direction":"UP"},"measurement":1},` +
				`{"key":{"improvement_direction":""},"measurement":2}]}`,
			want: []string{"1   abc", "2   abc"},
		},
		{
			name: "similar results",
			in: head + `"results":[` + strings.Join([]string{
				similarResult("a", "ms", "down", 1), similarResult("b", "ms", "down", 3),
				similarResult("c", "s", "up", 5), similarResult("d", "", "up?", 7),
			}, ",") + `]}`,
			want: []string{
				"1 ms lower abc", "2 ms lower abc", "3 ms lower abc", "4 ms lower abc",
				"5 s higher abc", "6 s higher abc", "7   abc", "8   abc",
			},
		},
		{
			name: "a group that names it",
			in: head + `"results":[` + strings.Join([]string{
				`{"key":{"t":"a"},"measurements":{"unit":[{"value":"ms","measurement":1},` +
					`{"value":"B","measurement":2,"links":{"l":"m"}}]}}`,
				`{"key":{"t":"b"},"measurements":{"unit":[{"value":"s","measurement":3},` +
					`{"value":"B","measurement":4,"links":{"l":"m"}}]}}`,
				`{"key":{"t":"c"},"measurements":{"improvement_direction":[{"value":"up","measurement":5},` +
					`{"value":"down","measurement":6}]}}`,
			}, ",") + `]}`,
			want: []string{"1 ms  abc", "2 B  abc", "3 s  abc", "4 B  abc", "5  higher abc", "6  lower abc"},
		},
		{
			name: "one of several groups names it",
			in: head + `"key":{"unit":"ns"},"results":[{"measurements":{"s":[{"value":"x","measurement":1}],` +
				`"unit":[{"value":"ms","measurement":2},{"value":"s","measurement":3}],` +
				`"t":[{"value":"y","measurement":4}]}}]}`,
			want: []string{"1 ns  abc", "2 ms  abc", "3 s  abc", "4 ns  abc"},
		},
		{
			name: "header after the results",
			in: `{"results":[{"key":{"t":"a"},"measurement":1},{"key":{"t":"b"},"measurement":2}],` +
				`"key":{"unit":"ms"},"git_hash":"CP:7","version":1}`,
			want: []string{"1 ms  CP:7", "2 ms  CP:7"},
		},
		{
			name: "git_hash after the results, before a large member",
			in: `{"version":1,"key":{"unit":"ms"},"links":{},"results":[{"measurement":1}],"git_hash":"a","x":[` +
				strings.Repeat(`{"git_hash":"b"},`, 10_000) + `1]}`,
			want: []string{"1 ms  a"},
		},
		{
			name: "no git_hash",
			in:   `{"version":1,"key":{"unit":"ms"},"results":[{"measurement":1}]}`,
			want: []string{"1 ms  "},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				return formattest.Meanings(newReader(in))
			})

			// A Reader that has read another file before.
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				r := newReader(strings.NewReader(strings.ReplaceAll(head, "abc", "xyz") +
					`"key":{"unit":"xs"},"results":[{"key":{"t":"a"},"measurement":1}]}`))
				for range r.Records() {
				}
				r.Reset(in)
				return formattest.Meanings(r)
			})
		})
	}
}

// In order, a record has the commit that comes before it.
func TestCommitInOrder(t *testing.T) {
	for in, want := range map[string]string{
		`{"version":1,"git_hash":"a","results":[{"key":{"k":"v"},"measurement":1}]}`: "a",
		`{"version":1,"results":[{"key":{"k":"v"},"measurement":1}],"git_hash":"a"}`: "",
	} {
		for rec, err := range inOrder(strings.NewReader(in)).Records() {
			if err == nil && rec.Commit != want {
				t.Errorf("%s: commit %q", in, rec.Commit)
			}
		}
	}
}
