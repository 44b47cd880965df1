package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

const perundata = "../../testdata/perun/"

const perunRecords = `,args=status,cmd=perun,collector=time,type=time,uid=real,unit=s,workload=--short, = 0.616
,args=status,cmd=perun,collector=time,type=time,uid=user,unit=s,workload=--short, = 0.5
,args=status,cmd=perun,collector=time,type=time,uid=sys,unit=s,workload=--short, = 0.125
`

func TestPerun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	deep := `{"header":{"type":"memory","units":{"memory":"B"},"cmd":"a","workload":""},"collector_info":{"name":"memory"},"postprocessors":[],` +
		`"snapshots":[{"time":"0.1","resources":[{"type":"memory","subtype":"malloc","amount":8,"uid":"f",` +
		`"trace":[{"function":"f","source":"a.c","line":1},{"function":"main","source":"a.c","line":2}]},` +
		`{"type":"memory","subtype":"free","amount":0,"uid":"f"}],"models":[]}]}`
	models := write("models.perf", `{"resources":{"a":{"amount":[1]}},"resource_type_map":{"a":{"uid":"a","type":"time"}},"models":[`+
		`{"uid":"a","model":"linear","coeffs":[{"name":"b0","value":1.5}]}],"header":{"type":"time","units":{},"cmd":"a","workload":"w"},`+
		`"collector_info":{"name":"c"},"postprocessors":[]}`)
	faulty := write("faulty.perf", `{"header":{"type":"time","cmd":"a","workload":"w"},"collector_info":{"name":"c"},"postprocessors":[],`+
		`"global":{"resources":[{"uid":"a","type":"time","amount":"x"},5,{"uid":"b","type":"time","amount":2}]}}`)
	cut := write("cut.perf", deep[:len(deep)-5])
	timed := perundata + "time_today.perf"
	object := perundata + "time.object"
	foreign := testdata + "example.json"
	isForeign := "perfdata: " + foreign + ": not a Perun profile: its format is skiav1 (Skia Perf format, version 1)\n"
	hasAnInteger := faulty + ":1:164: global.resources.1: Invalid type. Expected: object, given: integer\n"
	hasNoAmount := faulty + ":1:125: the resource has no number as its amount\n"

	for _, test := range []struct {
		args           []string
		stdin          string
		stdout, stderr string
		status         int
	}{
		{
			args:   []string{"validate", timed},
			stdout: timed + ": ok, perun, 3 measurements\n",
		},
		{
			args:   []string{"validate", object},
			stdout: object + ": ok, perun, 3 measurements\n",
		},
		{
			args:   []string{"records", "--as", "text", object},
			stdout: perunRecords,
		},
		{
			args: []string{"records", "-"},
			stdin: `{"header":{"type":"time","units":{"time":"s"},"cmd":"a","workload":"w"},"global":{"time":"0.5","resources":[` +
				`{"amount":2,"uid":{"function":"f","line":3}}]}}`,
			stdout: jsonRowOf("null", `"s"`, ",cmd=a,type=time,uid=f_3,unit=s,workload=w,", "2",
				`{"cmd":"a","type":"time","uid":"f:3","unit":"s","workload":"w"}`,
				`{"time":"0.5","uid:function":"f","uid:line":"3"}`, "{}", "<stdin>", 108),
		},
		{
			args: []string{"header", models},
			stdout: `{
  "collector_info": {
    "name": "c",
    "params": {}
  },
  "postprocessors": [],
  "header": {
    "type": "time",
    "units": {},
    "cmd": "a",
    "workload": "w"
  }
}
`,
		},
		{
			args:   []string{"detect", timed, object, perundata + "memory_snapshots.perf", perundata + "complexity_global.perf"},
			stdout: timed + ": perun\n" + object + ": perun, zlib\n" + perundata + "memory_snapshots.perf: perun\n" + perundata + "complexity_global.perf: perun\n",
		},
		{
			args:   []string{"flame", "-", timed},
			stdin:  deep,
			stdout: "f;main()~a.c~2;f()~a.c~1 8\nreal 0.616\nuser 0.5\nsys 0.125\n",
		},
		{
			args:   []string{"flame", object, foreign, faulty},
			stdout: "real 0.616\nuser 0.5\nsys 0.125\nb 2\n",
			stderr: isForeign + hasNoAmount + hasAnInteger,
			status: 1,
		},
		{
			args:   []string{"flame", "--uid-at", "leaf", "-", timed},
			stdin:  deep,
			stdout: "main()~a.c~2;f()~a.c~1 8\nreal 0.616\nuser 0.5\nsys 0.125\n",
		},
		{
			args:   []string{"flame", "--uid-at", "top", timed},
			stderr: "perfdata: --uid-at \"top\": want root, leaf or none\n",
			status: 2,
		},
		{
			args:   []string{"flame", "-o", "x.svg", cut},
			stderr: cut + ":1:390: snapshots.0.models: unexpected end of input, expected a value\n",
			status: 1,
		},
		{
			args:   []string{"flame", "-o", "x.svg", "-"},
			stdin:  `{"header":{"type":"time","units":{"time":"s"}},"global":{"resources":[]}}`,
			stderr: "perfdata: -: there is nothing to draw: no value is above 0\n",
			status: 1,
		},
		{
			args:   []string{"flame", "--as", "pprof", "-o", filepath.Join(dir, "out.pb.gz"), timed, timed},
			stderr: "perfdata: --as pprof takes one FILE\n",
			status: 2,
		},
		{
			args:   []string{"flame", "--as", "pprof", "-o", filepath.Join(dir, "out.pb.gz"), "-"},
			stdin:  `{"header":{"type":"time","units":{"time":"s"}},"global":{"resources":[{"uid":"a","type":"time","amount":1e12}]}}`,
			stderr: "perfdata: <stdin>: the sum of amounts 1e+12 is too large for pprof\n",
			status: 1,
		},
		{
			args:   []string{"table", timed},
			stdout: "amount,snapshot,snapshots,time,type,uid\n0.616,0,0,0.0,time,real\n0.5,0,0,0.0,time,user\n0.125,0,0,0.0,time,sys\n",
		},
		{
			args:  []string{"table", "-", models},
			stdin: strings.Replace(deep, `"uid":"f","trace"`, `"uid":"f, g","trace"`, 1),
			stdout: "file,amount,snapshot,snapshots,subtype,time,trace,type,uid\n" +
				"<stdin>,8,0,0,malloc,0.1,\"f:a.c:1,main:a.c:2\",memory,\"f, g\"\n" +
				"<stdin>,0,0,0,free,0.1,,memory,f\n" +
				models + ",1,,0,,,,time,a\n",
		},
		{
			args:   []string{"table", "--models", models},
			stdout: "coeffs,coeffs:b0,model,uid\n1.5,1.5,linear,a\n",
		},
		{
			args:   []string{"table", "--models", timed},
			stderr: "perfdata: note: no models\n",
		},
		{
			args:   []string{"table", faulty, foreign},
			stdout: "file,amount,snapshots,type,uid\n" + faulty + ",x,0,time,a\n" + faulty + ",2,0,time,b\n",
			stderr: isForeign + hasAnInteger,
			status: 1,
		},
		{
			args:   []string{"plot", timed},
			stderr: "perfdata: required flag(s) \"output\" not set\n",
			status: 2,
		},
		{
			args:   []string{"plot", timed, "-o", "x.gif"},
			stderr: "perfdata: the name \"x.gif\" does not end in .html, the only form of plots, which saves SVG and PNG\n",
			status: 2,
		},
		{
			args:   []string{"plot", timed, "-o", "x.html", "--models", "worst"},
			stderr: "perfdata: unknown strategy \"worst\": want all-param, all-nonparam, best-param, best-nonparam or best-model\n",
			status: 2,
		},
		{
			args:   []string{"plot", timed, timed, "-o", "x.html"},
			stderr: "perfdata: too many arguments: 2; usage: perfdata plot FILE -o OUT [flags]; see perfdata plot --help\n",
			status: 2,
		},
		{
			args:   []string{"plot", foreign, "-o", "x.html"},
			stderr: isForeign,
			status: 1,
		},
		{
			args:   []string{"plot", timed, "-o", "x.html", "--uid", "reel"},
			stderr: "perfdata: " + timed + ": no resource or model has the uid \"reel\"\n",
			status: 1,
		},
		{
			args:   []string{"plot", cut, "-o", "x.html"},
			stderr: cut + ":1:390: snapshots.0.models: unexpected end of input, expected a value\n",
			status: 1,
		},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			checkTool(t, test.args, test.stdin, test.stdout, test.stderr, test.status)
		})
	}
	for _, name := range []string{"x.html", "x.svg"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("a failing command has written %s", name)
		}
	}
}

// flame and plot write everything that could be read, and report the rest.
func TestPerunFiles(t *testing.T) {
	dir := t.TempDir()
	pprof, page, flame := filepath.Join(dir, "out.pb.gz"), filepath.Join(dir, "out.html"), filepath.Join(dir, "flame.SVG")
	faulty := filepath.Join(dir, "faulty.perf")
	document := `{"header":{"type":"time","units":{"time":"ms"},"cmd":"a","workload":"w"},"global":{"resources":[` +
		`{"uid":"a","type":"time","amount":"x"},{"uid":"b","type":"time","amount":2.5},{"type":"time","subtype":"free"}]}}`
	if err := os.WriteFile(faulty, []byte(document), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"flame", "--as", "pprof", "-o", pprof}, {"plot", "-o", page}, {"flame", "-o", flame}} {
		if stdout, stderr, status := runTool(strings.NewReader(document), append(args, "-")...); stdout != "" || status != 1 ||
			!strings.HasPrefix(stderr, "<stdin>:1:97: the resource has no number as its amount") {
			t.Errorf("%q: %d, %s%s", args, status, stdout, stderr)
		}
	}
	f, err := os.Open(pprof)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, err := profile.Parse(f); err != nil || len(p.Sample) != 1 || p.Sample[0].Value[1] != 2.5e6 {
		t.Errorf("%v %v", err, p)
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("</html>")) ||
		!bytes.Contains(text, []byte(`"name":"amount","unit":"ms"`)) {
		t.Errorf("%v %s", err, text)
	}
	if text, err := os.ReadFile(flame); err != nil || !bytes.Contains(text, []byte("</svg>")) ||
		!bytes.Contains(text, []byte("b\n2.5 ms, 100%")) {
		t.Errorf("%v %s", err, text)
	}

	// After a fatal error, the old file stays, and no temporary file is left.
	for name, args := range map[string][]string{pprof: {"flame", "--as", "pprof", "-o", pprof}, page: {"plot", "-o", page}, flame: {"flame", "-o", flame}} {
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, stderr, status := runTool(strings.NewReader(document[:len(document)-3]), append(args, "-")...); status != 1 ||
			!strings.Contains(stderr, "end of input") {
			t.Errorf("%q: %d, %s", args, status, stderr)
		}
		if after, err := os.ReadFile(name); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%q has changed the file, %v", args, err)
		}
	}
	nowhere := filepath.Join(dir, "nosuch", "out.html")
	if _, stderr, status := runTool(nil, "plot", perundata+"sort.perf", "-o", nowhere); status != 2 ||
		!strings.Contains(stderr, "no such file or directory") {
		t.Errorf("%d, %s", status, stderr)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 4 {
		t.Errorf("%v %v", files, err)
	}
}

func TestGoToolPprof(t *testing.T) {
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is missing")
	}
	out := filepath.Join(t.TempDir(), "out.pb.gz")
	if _, stderr, status := runTool(nil, "flame", "--as", "pprof", "-o", out, perundata+"memory_deep.perf"); stderr != "" || status != 0 {
		t.Fatal(status, stderr)
	}
	top, err := exec.Command(gotool, "tool", "pprof", "-top", out).CombinedOutput()
	if err != nil || !strings.Contains(string(top), "Type: memory\n") || !strings.Contains(string(top), " alloc_node\n") {
		t.Errorf("%v\n%s", err, top)
	}
}

func TestPerunHelp(t *testing.T) {
	for _, name := range []string{"flame", "table", "plot"} {
		stdout, stderr, status := runTool(nil, name, "--help")
		if !strings.Contains(stdout, "Usage:\n  perfdata "+name) ||
			!strings.Contains(stdout, "Examples:\n  perfdata "+name) || stderr != "" || status != 0 {
			t.Errorf("%s: %d, %s%s", name, status, stdout, stderr)
		}
	}
}
