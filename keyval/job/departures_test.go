package job

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDepartures shows each departure of doc.go by its number.
func TestDepartures(t *testing.T) {
	job := func(files_ map[string]string) []string { return showJob(NewReader(files(files_), ".")) }
	show := func(r *Reader, how func(*Test) string) (got []string) {
		for test, err := range r.Tests() {
			if err != nil {
				got = append(got, err.Error())
			} else {
				got = append(got, how(test))
			}
		}
		return got
	}
	withAttrs := func(t *Test) string { return t.Name + ": " + t.Status + " " + t.Attrs.ID() }
	withReason := func(t *Test) string { return fmt.Sprintf("%s in %q: %s %q", t.Name, t.Subdir, t.Status, t.Reason) }
	const status = "GOOD\ta\ta\t\n"
	for _, test := range []struct {
		number string
		got    []string
		want   []string
	}{
		{
			number: "K8",
			got:    job(map[string]string{"status": "WELL\ta\ta\t\nGOOD\t../b\tb\ttimestamp=x\t\n"}),
			want: []string{
				`status:1:1: unknown status "WELL"`, `status:2:13: timestamp: "x" is not a time in ` +
					`seconds`, "a in a: NOSTATUS () ?-?",
				`status:2:1: test "b": "../b" is not a path within the job folder: its files are not ` +
					`read`, "b in ../b: GOOD () ?-?"},
		},
		{
			number: "K8 timestamp",
			got: job(map[string]string{"status": "GOOD\ta\ta\ttimestamp= 1700000000\t\n" +
				"GOOD\tb\tb\ttimestamp=1700000000\v\t\nGOOD\tc\tc\ttimestamp=1700000000\t\n"}),
			want: []string{
				`status:1:10: timestamp: " 1700000000" is not a time in seconds`,
				`status:2:10: timestamp: "1700000000\v" is not a time in seconds`,
				"a in a: GOOD () ?-?", "b in b: GOOD () ?-?",
				"c in c: GOOD () ?-300000000",
			},
		},
		{
			number: "K9",
			got:    job(map[string]string{"status": status, "keyval": "status_version=0\n"}),
			want:   []string{"a in a: GOOD () ?-?"},
		},
		{
			number: "K11",
			got: job(map[string]string{"status": "START\ta\ta\t\n\tFAIL\ta\ta\t" + strings.Repeat("x", 16<<10+1) +
				"\nEND FAIL\ta\ta\t\n"}),
			want: []string{
				"status:2:1: the reasons of the test exceed 16384 bytes: this and later ones are left " +
					"out", "a in a: FAIL () ?-?"},
		},
		{
			number: "K12",
			got: show(NewReader(files(map[string]string{
				"status":         "START\t----\t----\t\n\tSTART\t----\t----\t\n",
				"keyval":         "hostname=h\n",
				"host_keyvals/h": "platform=p\n",
			}), "."), withAttrs),
			want: []string{
				"SERVER_JOB: ABORT ,host-platform=p,",
				"CLIENT_JOB.0: RUNNING ,host-platform=p,",
				"CLIENT_JOB.1: ABORT ,host-platform=p,",
			},
		},
		{
			number: "K12 without subdir",
			got: show(NewReader(files(map[string]string{
				"status":         "START\t----\tb\t\nEND GOOD\t----\t----\t\n",
				"keyval":         "hostname=h\n",
				"host_keyvals/h": "platform=p\n",
			}), "."), withAttrs),
			want: []string{
				"SERVER_JOB: ABORT ,host-platform=p,",
				"b: RUNNING ,host-platform=p,",
				"CLIENT_JOB.0: GOOD ,host-platform=p,",
			},
		},
		{
			number: "K14",
			got: show(NewReader(files(map[string]string{"status": "GO\rOD\ta\x00\ta\r\x00\t\rwhy\x00 not\r\r\n" +
				"\x00GOOD\tc\tc\t\n"}), "."), withReason),
			want: []string{
				`SERVER_JOB in "": ABORT ""`,
				`a in "a": GOOD "why not"`,
				`c in "c": GOOD ""`,
			},
		},
		{
			number: "K13",
			got: show(NewReader(files(map[string]string{"status": "GOOD\ta\ta\twhy\r\r\nSTART\tb\tb\t\n" +
				"GOOD\tc\tc\t\n"}), "."), withReason),
			want: []string{
				`SERVER_JOB in "": ABORT ""`,
				`a in "a": GOOD "why"`,
				`b in "b": ABORT ""`,
				`c in "c": GOOD ""`,
			},
		},
	} {
		t.Run(test.number, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	r := NewReader(files(map[string]string{
		"status":         status,
		"keyval":         "hostname=h\n",
		"host_keyvals/h": "platform=p\n",
	}), ".")
	if h, err := r.Header(); err != nil || len(h.HostAttrs) != 1 {
		t.Errorf("K7: %v, %v", h, err)
	}
}
