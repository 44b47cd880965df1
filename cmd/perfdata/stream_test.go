package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"perfdata/internal/testing/formattest"
)

// Commands that read a pipe once print each result as soon as its line arrives: the next line is
// written only after the result of the previous one was read.
func TestStream(t *testing.T) {
	type step struct{ line, want string } // want is empty if nothing is printed yet
	for _, test := range []struct {
		name  string
		args  []string
		steps []step
	}{
		{"benchmarks", []string{"records", "--as", "text", "-"}, []step{
			{
				"goos: linux\n",
				""}, {"pkg: p\n",
				""}, {"BenchmarkX-8 1 2 ns/op\n",
				",gomaxprocs=8,goos=linux,name=X,pkg=p,unit=ns_op, = 2",
			},
			{"PASS\n", ""}, {"BenchmarkY-8 1 3 ns/op\n", ",gomaxprocs=8,goos=linux,name=Y,pkg=p,unit=ns_op, = 3"},
		}},
		{"events", []string{"records", "--as", "text", "-"}, []step{
			{`{"Action":"start","Package":"p"}` + "\n", ""},
			{`{"Action":"output","Package":"p","Output":"BenchmarkX 1 2 ns/op\n"}` + "\n", ",name=X,unit=ns_op, = 2"},
			{`{"Action":"output","Package":"p","Output":"BenchmarkY 1 3 ns/op\n"}` + "\n", ",name=Y,unit=ns_op, = 3"},
		}},
		{"keyvals", []string{"records", "-"}, []step{
			{"a{perf}=1\n\n", `{"id":",iteration=1,key=a,","trace":",key=a,","commit":null,"n":1,"value":1,"unit":null,"better":null,` +
				`"params":{"iteration":"1","key":"a"},"attrs":{},"links":{},"position":null,"commit_time":null,"file":"<stdin>","offset":0}`},
			{"b{perf}=2\n\n", `{"id":",iteration=2,key=b,","trace":",key=b,","commit":null,"n":2,"value":2,"unit":null,"better":null,` +
				`"params":{"iteration":"2","key":"b"},"attrs":{},"links":{},"position":null,"commit_time":null,"file":"<stdin>","offset":11}`},
		}},
		{"a table", []string{"records", "--as", "tsv", "--columns", "name", "-"}, []step{
			{"", strings.ReplaceAll(titlesCSV, ",", "\t") + "\tname"},
			{"BenchmarkX 1 2 ns/op\n", ",name=X,unit=ns_op,\t,name=X,unit=ns_op,\t\t1\t2\tns/op\t\t" + `{"name":"X","unit":"ns/op"}` + "\t" + `{"iterations":"1"}` +
				"\t{}\t\t\t<stdin>\t13\tX"},
			{"BenchmarkY 1 3 ns/op\n", ",name=Y,unit=ns_op,\t,name=Y,unit=ns_op,\t\t1\t3\tns/op\t\t" +
				`{"name":"Y","unit":"ns/op"}` + "\t" + `{"iterations":"1"}` + "\t{}\t\t\t<stdin>\t34\tY"},
		}},
		{"the format is given", []string{"records", "--from", "benchfmt", "--as", "text", "-"}, []step{
			{
				"BenchmarkX 1 2 ns/op\n",
				",name=X,unit=ns_op, = 2"}, {"BenchmarkY 1 3 ns/op\n",
				",name=Y,unit=ns_op, = 3",
			},
		}},
		{"UTF-16", []string{"records", "--as", "text", "-"}, []step{
			{inUTF16("\ufeffgoos: linux\n"), ""},
			{inUTF16("BenchmarkX 1 2 ns/op\n"), ",goos=linux,name=X,unit=ns_op, = 2"},
		}},
		{"trace IDs that match", []string{"id", "match", "a=1"}, []step{
			{",a=1,\n", ",a=1,"}, {",a=2,\n", ""}, {",a=1,b=2,\n", ",a=1,b=2,"},
		}},
		{"params of trace IDs", []string{"id", "parse", "-"}, []step{
			{",a=1,b=2,\n", "a=1"}, {"", "b=2"},
		}},
		{
			"detect",
			[]string{"detect", "-"},
			[]step{{"goos: linux\n", ""}, {"BenchmarkX 1 2 ns/op\n", "<stdin>: benchfmt"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			stdin, toTool := io.Pipe()
			fromTool, stdout := io.Pipe()
			status := make(chan int)
			var stderr strings.Builder
			go func() {
				n := newTool(stdin, stdout, &stderr).run(test.args)
				stdin.Close()
				stdout.Close()
				status <- n
			}()

			out := bufio.NewScanner(fromTool)
			for _, s := range test.steps {
				if s.line != "" {
					io.WriteString(toTool, s.line)
				}
				if s.want == "" {
					continue
				}
				if out.Scan(); out.Text() != s.want {
					t.Errorf("%q: got %q, want %q", s.line, out.Text(), s.want)
				}
			}
			toTool.Close()
			if out.Scan() {
				t.Errorf("unexpected %q", out.Text())
			}
			if n := <-status; n != statusOK || stderr.String() != "" {
				t.Errorf("%d, %s", n, stderr.String())
			}
		})
	}
}

// inUTF16 returns text in UTF-16.
func inUTF16(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return string(b)
}

// A stream is not copied, however long it is: the limit of copies does not apply.
func TestStreamIsNotCopied(t *testing.T) {
	text := strings.Repeat("BenchmarkX 1 2 ns/op\n", 10_000)
	args := []string{"records", "--as", "text", "--limit", "max-spool-bytes=1KiB", "-"}
	stdout, stderr, status := runTool(formattest.Stream(text), args...)
	if strings.Count(stdout, "\n") != 10_000 || stderr != "" || status != statusOK {
		t.Errorf("%d, %s: %d bytes", status, stderr, len(stdout))
	}
}

// A pipe that is named twice is copied, to be read twice.
func TestPipeTwice(t *testing.T) {
	stdout, stderr, status := runTool(formattest.Stream("BenchmarkX 1 2 ns/op\n"), "records", "--as", "text", "-", "-")
	if stdout != strings.Repeat(",name=X,unit=ns_op, = 2\n", 2) || stderr != "" || status != statusOK {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
}
