package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

const testdata = "../../testdata/skiav1/"

// runTool runs the tool and returns its output, its diagnostics and its exit status.
func runTool(stdin io.Reader, args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	status = newTool(stdin, &out, &errs).run(args)
	return out.String(), errs.String(), status
}

// checkTool checks the output of the tool, with standard input from a file and from a pipe. If
// wantErr ends before the name of a temporary file, the rest is not compared.
func checkTool(t *testing.T, args []string, stdin, wantOut, wantErr string, wantStatus int) {
	t.Helper()
	for way, in := range map[string]io.Reader{"file": strings.NewReader(stdin), "pipe": formattest.Stream(stdin)} {
		stdout, stderr, status := runTool(in, args...)
		if diff := cmp.Diff(wantOut, stdout); diff != "" {
			t.Errorf("%q, %s: standard output (-want +got):\n%s", args, way, diff)
		}
		if temporary := strings.HasSuffix(wantErr, "/.out.") && strings.HasPrefix(stderr, wantErr); !temporary {
			if diff := cmp.Diff(wantErr, stderr); diff != "" {
				t.Errorf("%q, %s: standard error (-want +got):\n%s", args, way, diff)
			}
		}
		if status != wantStatus {
			t.Errorf("%q, %s: exit status %d, want %d", args, way, status, wantStatus)
		}
	}
}

// description is the specification's description of its example.
const description = `Hash:
  cd5...663
Measurements:
  ,arch=x86,config=8888,test=a_test_with_just_a_single_measurement,units=s, = 123.4
  ,arch=x86,config=8888,stat=min,test=draw_a_circle,units=ms, = 1.2
  ,arch=x86,config=8888,stat=max,test=draw_a_circle,units=ms, = 2.4
  ,arch=x86,config=8888,stat=median,test=draw_a_circle,units=ms, = 1.5
  ,arch=x86,config=8888,stat=min,test=draw_my_animation,units=Hz, = 20
  ,arch=x86,config=8888,stat=max,test=draw_my_animation,units=Hz, = 30
  ,arch=x86,config=8888,stat=median,test=draw_my_animation,units=Hz, = 22
Links:
  details: https://example.com/a-link-to-details-about-this-test-run
`

// jsonRow returns a row of "records --as jsonl", of a record of the commit abc without a unit.
func jsonRow(id, value, params, attrs, links, file string, offset int) string {
	return jsonRowOf(`"abc"`, "null", id, value, params, attrs, links, file, offset)
}

// jsonRowOf is jsonRow with another commit and unit, in JSON.
func jsonRowOf(commit, unit, id, value, params, attrs, links, file string, offset int) string {
	return fmt.Sprintf(`{"id":%q,"trace":%q,"commit":%s,"n":1,"value":%s,"unit":%s,"better":null,"params":%s,`+
		`"attrs":%s,"links":%s,"position":null,"commit_time":null,"file":%q,"offset":%d}`+"\n", id, id, commit, value, unit, params, attrs, links, file, offset)
}

const titlesCSV = "id,trace,commit,n,value,unit,better,params,attrs,links,position,commit_time,file,offset"

func TestCommands(t *testing.T) {
	small := `{"version":1,"git_hash":"abc","key":{"a b":"1"},"results":[{"key":{"t":"x"},"measurement":2.5}]}`
	dir := t.TempDir()
	write := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	one, two := write("one.json", small), write("two.json", strings.Replace(small, `"x"`, `"y"`, 1))
	noResults := write("no_results.json", `{"version":1,"git_hash":"abc"}`)
	faulty := write("faulty.json", `{"version":1,"git_hash":"abc","results":[{"key":{"t":"x"}},{"key":{"t":"y"},"measurement":1}]}`)
	ids := ",arch=x86,test=a,\n\n,arch=arm,test=b,\nnonsense\n"

	for _, test := range []struct {
		args           []string
		stdin          string
		stdout, stderr string
		status         int
	}{
		{
			args:   []string{"validate", testdata + "example.json"},
			stdout: description,
		},
		{
			args:   []string{"validate", "-"},
			stdin:  small,
			stdout: "Hash:\n  abc\nMeasurements:\n  ,a_b=1,t=x, = 2.5\nLinks:\n",
			stderr: "<stdin>:1:38: key.a b: warning: \"a b\" becomes \"a_b\" in trace ids\n",
		},
		{
			args:   []string{"validate", noResults},
			stderr: noResults + ":1:1: (root): results is required\nError: Validation Failed: schema violation\n",
			status: 1,
		},
		{
			args:   []string{"validate", "--quiet", one, noResults, one},
			stderr: noResults + ":1:1: (root): results is required\n",
			status: 1,
		},
		{
			args:   []string{"validate", "nosuch.json", noResults},
			stdout: noResults + ": invalid, skiav1, 1 error\n1 file checked, 1 invalid (1 error), 1 could not be read\n",
			stderr: "perfdata: nosuch.json: no such file or directory\n" + noResults + ":1:1: (root): results is required\n",
			status: 2,
		},
		{
			args:   []string{"validate", one, two, "-q"},
			stdout: "",
		},
		{
			args:   []string{"validate", "--from", "skiav1", "-"},
			stdin:  "this is not valid json",
			stderr: "<stdin>:1:2: found 'h', expected true\nError: Validation Failed: schema violation\n",
			status: 1,
		},
		{
			args:   []string{"records", one},
			stdout: jsonRow(",a_b=1,t=x,", "2.5", `{"a b":"1","t":"x"}`, "{}", "{}", one, 59),
		},
		{
			args: []string{"records", "-", two},
			stdin: `{"version":1,"git_hash":"abc","links":{"l":"u"},"results":[{"key":{"t":"x"},"measurements":{"s":[` +
				`{"value":"a","measurement":1},{"value":"b","measurement":2,"links":{"m":"v"}}]}}]}`,
			stdout: jsonRow(",s=a,t=x,", "1", `{"s":"a","t":"x"}`, "{}", `{"l":"u"}`, "<stdin>", 97) +
				jsonRow(",s=b,t=x,", "2", `{"s":"b","t":"x"}`, "{}", `{"l":"u","m":"v"}`, "<stdin>", 127) +
				jsonRow(",a_b=1,t=y,", "2.5", `{"a b":"1","t":"y"}`, "{}", "{}", two, 59),
		},
		{
			args:   []string{"records", "--as", "text", one, two},
			stdout: ",a_b=1,t=x, = 2.5\n,a_b=1,t=y, = 2.5\n",
		},
		{
			args: []string{"records", "--as", "csv", "--columns", "t,a b", "-", two},
			stdin: `{"version":1,"git_hash":"abc","results":[{"key":{"t":"x"},"measurements":{"s":[` +
				`{"value":"a","measurement":1},{"value":"b","measurement":2,"links":{"m":"v, w"}}]}}]}`,
			stdout: titlesCSV + ",t,a b\n" +
				`",s=a,t=x,",",s=a,t=x,",abc,1,1,,,"{""s"":""a"",""t"":""x""}",{},{},,,<stdin>,79,x,` + "\n" +
				`",s=b,t=x,",",s=b,t=x,",abc,1,2,,,"{""s"":""b"",""t"":""x""}",{},"{""m"":""v, w""}",,,<stdin>,109,x,` + "\n" +
				`",a_b=1,t=y,",",a_b=1,t=y,",abc,1,2.5,,,"{""a b"":""1"",""t"":""y""}",{},{},,,` + two + ",59,y,1\n",
		},
		{
			args:   []string{"records", "--as", "text", faulty},
			stdout: ",t=y, = 1\n",
			stderr: faulty + ":1:42: results.0: missing number: measurement or measurements is required\n",
			status: 1,
		},
		{
			args:   []string{"records", "--as", "csv", faulty},
			stdout: titlesCSV + "\n" + `",t=y,",",t=y,",abc,1,1,,,"{""t"":""y""}",{},{},,,` + faulty + ",59\n",
			stderr: faulty + ":1:42: results.0: missing number: measurement or measurements is required\n",
			status: 1,
		},
		{
			args:   []string{"header", one},
			stdout: "{\n  \"version\": 1,\n  \"git_hash\": \"abc\",\n  \"key\": {\n    \"a b\": \"1\"\n  }\n}\n",
		},
		{
			args:  []string{"header", "-", noResults},
			stdin: `{"version":1,"results":[],"issue":"5","patchset":"6"}`,
			stdout: "{\n  \"file\": \"<stdin>\",\n  \"version\": 1,\n  \"git_hash\": \"\",\n  \"issue\": \"5\",\n  \"patchset\": \"6\"\n}\n" +
				"{\n  \"file\": \"" + noResults + "\",\n  \"version\": 1,\n  \"git_hash\": \"abc\"\n}\n",
		},
		{
			args:   []string{"detect", one, "../../LICENSE", testdata + "results_first.json"},
			stdout: one + ": skiav1\n../../LICENSE: unknown\n" + testdata + "results_first.json: skiav1\n",
			status: 1,
		},
		{
			args:   []string{"id", "make", "test=a b", "arch=x86", "expr=1=2"},
			stdout: ",arch=x86,expr=1_2,test=a_b,\n",
		},
		{
			args:   []string{"id", "make", "--verbatim", "test=a b", "expr=1=2"},
			stderr: "perfdata: key \"expr\": value \"1=2\" holds '='\n",
			status: 1,
		},
		{
			args:   []string{"id", "make", "--verbatim", "test=a b"},
			stdout: ",test=a b,\n",
		},
		{
			args:   []string{"id", "make", "test"},
			stderr: "perfdata: \"test\": want key=value\n",
			status: 2,
		},
		{
			args:   []string{"id", "make", "a=1", "a=2"},
			stderr: "perfdata: duplicate key \"a\"\n",
			status: 2,
		},
		{
			args:   []string{"id", "parse", ",arch=x86,test=a b,"},
			stdout: "arch=x86\ntest=a b\n",
		},
		{
			args:   []string{"id", "parse", ",b=1,a=2,"},
			stderr: "perfdata: trace id \",b=1,a=2,\": key \"a\" comes after \"b\", out of order\n",
			status: 1,
		},
		{
			args:   []string{"id", "check", ",a=1,", "a=1", ",a=,"},
			stderr: "perfdata: trace id \"a=1\": it must begin with a comma and end with one, as in ,key=value,\nperfdata: trace id \",a=,\": a key or value is empty\n",
			status: 1,
		},
		{
			args:   []string{"id", "match", "arch=~^x"},
			stdin:  ids,
			stdout: ",arch=x86,test=a,\n",
			stderr: "<stdin>:4: trace id \"nonsense\": it must begin with a comma and end with one, as in ,key=value,\n",
			status: 1,
		},
		{
			args:   []string{"id", "match", "arch="},
			stdin:  ids,
			stderr: "perfdata: query \"arch=\": key \"arch\": empty value\n",
			status: 2,
		},
		{
			args:   []string{"validate", "nosuch.json"},
			stderr: "perfdata: nosuch.json: no such file or directory\n",
			status: 2,
		},
		{
			args:   []string{"records", "--as", "text", "nosuch.json", one},
			stdout: ",a_b=1,t=x, = 2.5\n",
			stderr: "perfdata: nosuch.json: no such file or directory\n",
			status: 2,
		},
		{
			args:   []string{"validate"},
			stderr: "perfdata: no FILE given (- is standard input); usage: perfdata validate FILE... [flags]; see perfdata validate --help\n",
			status: 2,
		},
		{
			args:   []string{"records", "--as", "xml", one},
			stderr: "perfdata: --as \"xml\": want jsonl, csv, tsv, text or parquet\n",
			status: 2,
		},
		{
			args:   []string{"records", "--from", "xml", one},
			stderr: "perfdata: --from \"xml\": want " + oneOf(namesOf(readFormats())) + "\n",
			status: 2,
		},
		{
			args:   []string{"frobnicate"},
			stderr: "perfdata: unknown command \"frobnicate\" for \"perfdata\"; see perfdata --help\n",
			status: 2,
		},
	} {
		t.Run(strings.ReplaceAll(strings.Join(test.args, " "), "/", "_"), func(t *testing.T) {
			checkTool(t, test.args, test.stdin, test.stdout, test.stderr, test.status)
		})
	}
}

// Values that JSON cannot represent are strings.
func TestAppendValue(t *testing.T) {
	for want, f := range map[string]float64{
		"NaN": math.NaN(), "+Inf": math.Inf(1), "-Inf": math.Inf(-1), "-0": math.Copysign(0, -1), "0.1": 0.1, "1e+21": 1e21, "123": 123,
	} {
		if got := string(appendValue(nil, f)); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
}

// Every command has help.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"validate", "-h"}, {"records", "-h"}, {"header", "-h"}, {"detect", "-h"}, {"id", "-h"}, {"id", "match", "-h"}} {
		stdout, stderr, status := runTool(strings.NewReader(""), args...)
		if !strings.Contains(stdout, "Usage:\n  perfdata") || stderr != "" || status != 0 {
			t.Errorf("%q: %d, %s%s", args, status, stdout, stderr)
		}
	}
}

// A directory is an error.
func TestDirectory(t *testing.T) {
	for command, want := range map[string]string{
		"validate": "is a directory; -r reads folders", "flame": "is a directory: want a file",
	} {
		_, stderr, status := runTool(strings.NewReader(""), command, "../../testdata")
		if status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: %d, %s", command, status, stderr)
		}
	}
}
