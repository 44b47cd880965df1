package job

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

var _ format.Reader = (*Reader)(nil)

var params = traceid.Of

func TestJobFolder(t *testing.T) {
	j := NewReader(os.DirFS("../../testdata/keyval"), "job")
	h, err := j.Header()
	if err != nil {
		t.Fatal(err)
	}
	want := Header{
		Host: "lumpy-7",
		Attrs: params("label", "release/perf", "user", "chromeos-test", "job_queued", "1400000000",
			"job_started", "1400000100", "hostname", "lumpy-7",
			"suite", "perf_v2", "experimental", "False", "job_finished", "1400001000", "status_version", "1"),
		HostAttrs: params("platform", "lumpy", "labels", "gpu_family%3Agen6,board%3Alumpy,pool%3Aperf"),
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	var got []string
	for test, err := range j.Tests() {
		if err != nil {
			t.Error(err)
			continue
		}
		got = append(got, showTest(test))
		if v, _ := test.Attrs.Get("host-platform"); v != "lumpy" {
			t.Errorf("%s: host-platform %q", test.Name, v)
		}
	}
	wantTests := []string{
		"SERVER_JOB in : GOOD () 100-1000",
		"provision in : GOOD (completed successfully) 110-130",
		"CLIENT_JOB.0 in : GOOD () 140-720",
		"graphics_WebGLAquarium in graphics_WebGLAquarium: GOOD (completed successfully) 200-400",
		"platform_BootPerf in platform_BootPerf.warm: WARN (temperature above 60 C) 420-600",
		"network_Throughput in network_Throughput: FAIL (no carrier on eth0) 620-700",
	}
	if diff := cmp.Diff(wantTests, got); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	for range 2 {
		var lines []string
		attrs := 0
		for rec, err := range j.Records() {
			if err != nil {
				lines = append(lines, formattest.ShowError(err))
				continue
			}
			lines = append(lines, fmt.Sprintf("%s = %v", rec.TraceID(), rec.Value))
			attrs = len(rec.Attrs)
		}
		wantLines := []string{
			",host=lumpy-7,iteration=1,key=fps_WebGLAquarium,subdir=graphics_WebGLAquarium," +
				"test=graphics_WebGLAquarium, = 60",
			",host=lumpy-7,iteration=1,key=ms_frame_p95,subdir=graphics_WebGLAquarium," +
				"test=graphics_WebGLAquarium, = 17.1",
			",host=lumpy-7,iteration=2,key=fps_WebGLAquarium,subdir=graphics_WebGLAquarium," +
				"test=graphics_WebGLAquarium, = 59.8",
			",host=lumpy-7,iteration=2,key=ms_frame_p95,subdir=graphics_WebGLAquarium," +
				"test=graphics_WebGLAquarium, = 17.9",
			",host=lumpy-7,iteration=3,key=fps_WebGLAquarium,subdir=graphics_WebGLAquarium," +
				"test=graphics_WebGLAquarium, = 41.25",
			",host=lumpy-7,iteration=3,key=ms_frame_p95,subdir=graphics_WebGLAquarium," +
				"test=graphics_WebGLAquarium, = 30.5",
			",host=lumpy-7,iteration=1,key=seconds_kernel_to_login,subdir=platform_BootPerf.warm," +
				"test=platform_BootPerf, = 6.125",
			",host=lumpy-7,iteration=1,key=seconds_kernel_to_login_dev,subdir=platform_BootPerf.warm," +
				"test=platform_BootPerf, = 0.25",
			",host=lumpy-7,iteration=1,key=seconds_power_on_to_login,subdir=platform_BootPerf.warm," +
				"test=platform_BootPerf, = 7.75",
			`job/network_Throughput/results/keyval:2:16: "none" is not a number`,
			",host=lumpy-7,iteration=1,key=Mbps_tcp,subdir=network_Throughput,test=network_Throughput, = 941.5",
		}
		if diff := cmp.Diff(wantLines, lines); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
		if attrs != 9+1+2+1 { // job, status, host, test
			t.Errorf("%d attrs", attrs)
		}
	}
}

// showTest shows a test, with its times in seconds after the testdata's job was queued.
func showTest(t *Test) string {
	seconds := func(at time.Time) string {
		if at.IsZero() {
			return "?"
		}
		return fmt.Sprint(at.Unix() - 1400000000)
	}
	return fmt.Sprintf("%s in %s: %s (%s) %s-%s", t.Name, t.Subdir, t.Status, t.Reason, seconds(t.Started),
		seconds(t.Finished))
}

// files makes a file system.
func files(texts map[string]string) fs.FS {
	fsys := fstest.MapFS{}
	for name, text := range texts {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// showJob shows the tests of a job but the first one, and all errors.
func showJob(j *Reader) []string {
	got := []string{}
	for test, err := range j.Tests() {
		if err != nil {
			got = append(got, formattest.ShowError(err))
			continue
		}
		if test.Name != "SERVER_JOB" {
			got = append(got, showTest(test))
		}
		for it, err := range test.Iterations() {
			if err != nil {
				got = append(got, formattest.ShowError(err))
			} else {
				got = append(got, fmt.Sprintf("%d %v", it.Index, len(it.Perf)))
			}
		}
	}
	return got
}

func TestStatusLog(t *testing.T) {
	for _, test := range []struct {
		name string
		log  string
		want []string
	}{
		{
			name: "empty",
			want: []string{},
		},
		{
			name: "lines that are not status lines",
			log:  "GOOD\t----\ttoo few fields\n  GOOD\ta\tb\tindented by spaces\n\t\nGOOD\t \tx\ty\n",
			want: []string{},
		},
		{
			name: "tests on the server",
			log: "START\ta\ta\ttimestamp=1400000001\tlocaltime=x\t\n" +
				"\tFAIL\ta\ta\ttimestamp=1400000002\tit broke\n\tERROR\ta\ta\tbadly\n\tGOOD\ta\ta\tbut then\n" +
				"END GOOD\ta\ta\ttimestamp=1400000003\t\n" +
				"GOOD\tb\tb.name\ttimestamp=1400000004\tfine\n",
			want: []string{"a in a: ERROR (badly, it broke) 1-3", "b.name in b: GOOD (fine) ?-4"},
		},
		{
			name: "reasons that are part of others",
			log: "START\ta\ta\t\n\tFAIL\ta\ta\tbroken pipe\n\tFAIL\ta\ta\tpipe\n" +
				"\tFAIL\ta\ta\ta broken pipe in b\n\tFAIL\ta\ta\tzero\nEND FAIL\ta\ta\t\n",
			want: []string{"a in a: FAIL (a broken pipe in b, zero) ?-?"},
		},
		{
			name: "the name is missing, or the subdir",
			log:  "START\ta\t----\t\nEND GOOD\ta\t----\t\nSTART\t----\tb\t\nEND GOOD\t----\tb\t\n",
			want: []string{"a in a: GOOD () ?-?", "b in : GOOD () ?-?"},
		},
		{
			name: "groups in a test",
			log: "START\ta\ta\t\n\tSTART\t----\tinner\t\n\t\tFAIL\t----\tinner\tinner reason\n" +
				"\tEND FAIL\t----\tinner\t\nEND GOOD\ta\ta\t\n",
			want: []string{"a in a: FAIL (inner reason) ?-?"},
		},
		{
			name: "a job of the client, with a reboot",
			log: "START\t----\t----\ttimestamp=1400000001\t\n\tSTART\t----\treboot\ttimestamp=1400000002\t\n" +
				"\t\tGOOD\t----\treboot.start\t\n\t\tGOOD\t----\treboot.verify\t\n" +
				"\tEND GOOD\t----\treboot\tkernel=3.8\ttimestamp=1400000003\t\n\tSTART\tt\tt\t\n" +
				"\t\tABORT\tt\tt\twhy\n\tEND ABORT\tt\tt\t\nEND ABORT\t----\t----\t\n" +
				"START\t----\t----\t\nEND GOOD\t----\t----\t\n",
			want: []string{
				"CLIENT_JOB.0 in : ABORT () 1-?",
				"boot.0 in : GOOD () 2-3",
				"t in t: ABORT (why) ?-?",
				"CLIENT_JOB.1 in : GOOD () ?-?",
			},
		},
		{
			name: "missing ends",
			log: "START\t----\t----\t\n\tSTART\ta\ta\ttimestamp=1400000001\t\n" +
				"\tSTART\tb\tb\ttimestamp=1400000002\tsecond\n",
			want: []string{
				"CLIENT_JOB.0 in : RUNNING () ?-?",
				"a in a: ABORT (second) 1-2",
				"b in b: ABORT (Job aborted unexpectedly) 2-2",
				"a in a: ABORT (Job aborted unexpectedly) ?-2",
			},
		},
		{
			name: "faults",
			log: "WORKED\ta\ta\t\nSTART\tb\tb\ttimestamp=soon\t\n\t\t\tGOOD\tb\tb\tdeep\n" +
				"\tGOOD\tb\tb\twas \xff here\nEND WELL\tb\tb\t\n",
			want: []string{
				`status.log:1:1: unknown status "WORKED"`,
				`status.log:2:11: timestamp: "soon" is not a time in seconds`,
				"status.log:3:1: the line is indented deeper than the open groups: it is left out",
				"status.log:4:15: the line is not valid UTF-8: invalid bytes are replaced by U+FFFD",
				`status.log:5:1: unknown status "END WELL"`,
				"a in a: NOSTATUS () ?-?",
				"b in b: GOOD (was \ufffd here) ?-?",
			},
		},
		{
			name: "the end of what is not a status",
			log:  "START\ta\ta\t\nEND START\ta\ta\t\nEND INFO\tb\tb\tjob_abort_reason=x\t\nGOOD\tc\tc\t\n",
			want: []string{
				`status.log:2:1: unknown status "END START"`,
				`status.log:3:1: unknown status "END INFO"`,
				"status.log:3:1: the line is indented deeper than the open groups: it is left out",
				"a in a: NOSTATUS () ?-?",
				"c in c: GOOD () ?-?",
			},
		},
		{
			name: "paths that lead out of the folder",
			log:  "GOOD\t../other\tx\t\nGOOD\t/etc\ty\t\nGOOD\ta//b\tz\t\n",
			want: []string{
				`status.log:1:1: test "x": "../other" is not a path within the job folder: its files are not ` +
					`read`, "x in ../other: GOOD () ?-?",
				`status.log:2:1: test "y": "/etc" is not a path within the job folder: its files are not ` +
					`read`, "y in /etc: GOOD () ?-?",
				`status.log:3:1: test "z": "a//b" is not a path within the job folder: its files are not ` +
					`read`, "z in a//b: GOOD () ?-?",
			},
		},
		{
			name: "a status outside of all groups lasts, as for the reference",
			log:  "FAIL\ta\ta\tbad\nGOOD\tb\tb\tgood\n",
			want: []string{"a in a: FAIL (bad) ?-?", "b in b: FAIL (good) ?-?"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := showJob(NewReader(files(map[string]string{"status.log": test.log}), "."))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
		})
	}
}

func TestJob(t *testing.T) {
	const log = "GOOD\tt\tt\t\n"
	host := func(j *Reader) string {
		h, err := j.Header()
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(h.Host, " ", h.HostAttrs)
	}
	for _, test := range []struct {
		name  string
		files map[string]string
		dir   string
		want  string
	}{
		{
			name:  "missing folder",
			files: map[string]string{},
			dir:   "job",
			want:  "1:1: missing status.log and status: not a job folder",
		},
		{
			name:  "invalid path",
			files: map[string]string{},
			dir:   "../job",
			want:  "../job:1:1: invalid directory name: want a path as described by io/fs.ValidPath",
		},
		{
			name:  "only a status file",
			files: map[string]string{"j/status": log},
			dir:   "j",
			want:  " []",
		},
		{
			name: "an upper folder overrides a lower one, except for hostname",
			files: map[string]string{
				"r/.autoserv_execute":  "1\n256\n",
				"r/keyval":             "hostname=h1,h2\nlabel=up\n",
				"r/h1/keyval":          "hostname=h1\nlabel=low\n",
				"r/h1/status":          log,
				"r/host_keyvals/h1":    "platform=p\n",
				"r/h1/host_keyvals/h1": "platform=wrong\n",
				"keyval":               "label=beyond\n",
			},
			dir:  "r/h1",
			want: "h1 [{platform p}]",
		},
		{
			name: "a group of hosts",
			files: map[string]string{
				"status":         log,
				"keyval":         "hostname=a,b\nhost_group_name=g\n",
				"host_keyvals/g": "x=1\n",
			},
			dir:  ".",
			want: "g [{x 1}]",
		},
		{
			name:  "a group that doesn't count",
			files: map[string]string{"status": log, "keyval": "hostname=a\nhost_group_name=g\n"},
			dir:   ".",
			want:  "a []",
		},
		{
			name:  "sysinfo",
			files: map[string]string{"status": log, "keyval": "hostname=a,b\n", "sysinfo/hostname": "b\n"},
			dir:   ".",
			want:  "b []",
		},
		{
			name:  "sysinfo's uname",
			files: map[string]string{"status": log, "keyval": "hostname=a,b\n", "sysinfo/uname_-a": "Linux a 3.8\n"},
			dir:   ".",
			want:  "a []",
		},
		{
			name:  "no unique name",
			files: map[string]string{"status": log, "keyval": "hostname=a,b\n"},
			dir:   ".",
			want:  "a,b []",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := NewReader(files(test.files), test.dir)
			if got := host(j); got != test.want && !strings.HasSuffix(got, test.want) {
				t.Errorf("%s: %s, want %s", test.name, got, test.want)
			}
		})
	}
}

func TestServerJob(t *testing.T) {
	for execute, want := range map[string]string{
		"":            "ABORT",
		"1":           "ABORT",
		"1\n0\n":      "GOOD",
		"1\n256\n2\n": "FAIL",
		"1\n9\n":      "ABORT",
		"1\nx\n":      "ABORT",
	} {
		j := NewReader(files(map[string]string{
			".autoserv_execute": execute,
			"status":            "INFO\t----\t----\tjob_abort_reason=too hot\t\n",
			"keyval":            "job_started=1400000005\njob_finished=x\n",
		}), ".")
		var got []string
		for test, err := range j.Tests() {
			if err != nil {
				got = append(got, formattest.ShowError(err))
			} else {
				got = append(got, showTest(test))
			}
		}
		if diff := cmp.Diff([]string{
			`keyval:1:1: job_finished: "x" is not a time in seconds`,
			"SERVER_JOB in : " + want + " (too hot) 5-?",
		}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", execute, diff)
		}
	}
}

// A fault in one file is an error with that file's name, and the rest is read.
func TestJobFaults(t *testing.T) {
	j := NewReader(files(map[string]string{
		"j/status.log":            "GOOD\ta\ta\t\nGOOD\tb\tb\t\nGOOD\tc\tc\t\nSTART\td\td\t\n",
		"j/keyval":                "hostname=../../secret\nno keyval\naborted_by=me\naborted_on=1400000000\n",
		"j/a/keyval":              "bad key=1\n",
		"j/a/results/keyval":      "x=1\n\nk0=0\nk1=1\nk2=2\n\nx=2\n",
		"j/b/results/keyval/file": "a folder\n",
		"j/c/results/keyval":      "x=y\nz=1\n",
	}), "j")
	j.Limits.MaxMembers = 2
	want := []string{
		`j/keyval:2:1: missing "=": want key=value`,
		`j/keyval:1:1: hostname: "../../secret" is not a file name`,
		`j/a/keyval:1:4: key "bad key": only letters, digits and . - _ are allowed`,
		"a in a: GOOD () ?-?", "1 1",
		"j/a/results/keyval:5:1: keys in one iteration: more than 2 (Limits.MaxMembers)",
		"b in b: GOOD () ?-?",
		"j/b/results/keyval:1:1: reading failed: read j/b/results/keyval: invalid argument",
		"c in c: GOOD () ?-?",
		`j/c/results/keyval:1:3: "y" is not a number`, "1 1",
		"d in d: ABORT (Job aborted by me at May 13 16:53:20) ?-?",
	}
	if diff := cmp.Diff(want, showJob(j)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A break leaves it usable.
	for range j.Records() {
		break
	}
	j.Params = traceid.Params{{Key: "test", Value: "mine"}, {Key: "board", Value: "x"}}
	for rec, err := range j.Records() {
		if err == nil {
			want := "board=x host=../../secret iteration=1 key=x subdir=a test=a = 1"
			if !strings.HasPrefix(formattest.Show(rec), want) {
				t.Errorf("%s, want %s", formattest.Show(rec), want)
			}
			break
		}
	}
}

func TestJobLimits(t *testing.T) {
	j := NewReader(files(map[string]string{"status": strings.Repeat("GOOD\ta\ta\t\n", 100)}), ".")
	j.Limits.MaxHeaderBytes = 500
	want := []string{"FATAL status:51:1: bytes in the status log: more than 500 (Limits.MaxHeaderBytes)"}
	if diff := cmp.Diff(want, showJob(j)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	j = NewReader(files(map[string]string{"status": "GOOD\ta\ta\t0123456789\nGOOD\tb\tb\t\n"}), ".")
	j.Limits.MaxLineBytes = 12
	want = []string{"status:1:1: bytes in one line: more than 12 (Limits.MaxLineBytes)", "b in b: GOOD () ?-?"}
	if diff := cmp.Diff(want, showJob(j)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Hostile: reasons without end, and faults without end.
	var log strings.Builder
	log.WriteString("START\ta\ta\t\n")
	for i := range 20_000 {
		fmt.Fprintf(&log, "\tFAIL\ta\ta\treason %d\n", i)
	}
	for range 2000 {
		log.WriteString("\tX\ta\ta\t\n")
	}
	var got []string
	// Adding a reason takes no more memory than the text of the reasons so far.
	if n := formattest.Allocated(func() {
		got = showJob(NewReader(files(map[string]string{"status": log.String()}), "."))
	}); n > 25<<20 && !formattest.Race {
		t.Errorf("%d MiB are allocated", n>>20)
	}
	if len(got) != maxStatusFaults+1 || len(got[len(got)-1]) > maxReasonBytes+20_000 {
		t.Errorf("%d lines, the last of %d bytes", len(got), len(got[len(got)-1]))
	}
	if want := "status:1592:1: the reasons of the test exceed 16384 bytes: this and later ones are left " +
		"out"; got[0] != want {
		t.Errorf("got %s, want %s", got[0], want)
	}
	last := "status:21000:2: more than 1000 errors in the status log: the rest are not listed"
	if got[maxStatusFaults-1] != last {
		t.Errorf("got %s, want %s", got[maxStatusFaults-1], last)
	}
}

// Noise of serial consoles in a status log has no effect, wherever it is.
func TestStatusNoise(t *testing.T) {
	const log = "START\t----\t----\ttimestamp=1400000001\t\n" +
		"\tSTART\tt\tt\ttimestamp=1400000001\t\n\t\tFAIL\tt\tt\ttimestamp=1400000002\tbad thing\n" +
		"\tEND GOOD\tt\tt\ttimestamp=1400000003\t\n" +
		"END GOOD\t----\t----\ttimestamp=1400000003\t\n"
	want := []string{"CLIENT_JOB.0 in : GOOD () 1-3", "t in t: FAIL (bad thing) 1-3"}
	for i := range len(log) + 1 {
		for _, noise := range []string{"\r", "\x00", "\r\x00", "\r\r\x00\x00"} {
			in := log[:i] + noise + log[i:]
			if diff := cmp.Diff(want, showJob(NewReader(files(map[string]string{"status": in}), "."))); diff != "" {
				t.Errorf("%q (-want +got):\n%s", in, diff)
			}
		}
	}
	for _, test := range []struct{ name, log, want string }{
		{
			name: "a status",
			log:  "\r\x00STA\x00RD\ta\ta\t\n",
			want: `status:1:3: unknown status "STARD"`,
		},
		{
			name: "a time",
			log:  "GO\rOD\ta\ta\t\x00timestamp=\x00x\t\n",
			want: "status:1:12: timestamp: \"x\" is not a time in seconds",
		},
		{
			name: "a time after another field",
			log:  "GOOD\ta\ta\tjob_abort_reason=x\ttimestamp=y\t\n",
			want: "status:1:29: timestamp: \"y\" is not a time in seconds",
		},
		{
			name: "an indent",
			log:  "GOOD\ta\ta\t\n\r\x00\t\tGOOD\ta\ta\t\n",
			want: "status:2:3: the line is indented deeper than the open groups: it is left out",
		},
		{
			name: "bytes that are not UTF-8",
			log:  "GOOD\ta\ta\t\r\xff\n",
			want: "status:1:11: the line is not valid UTF-8: invalid bytes are replaced by U+FFFD",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := showJob(NewReader(files(map[string]string{"status": test.log}), ".")); got[0] != test.want {
				t.Errorf("%q, want %s", got, test.want)
			}
		})
	}
}
