package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"perfdata/series"
)

// judgeWith runs a command that judges and does nothing but call do with its sets.
func judgeWith(t *testing.T, stdin string, args []string, do func(j *judge, old, new []string) error) (string, int) {
	t.Helper()
	var errs strings.Builder
	tool := newTool(strings.NewReader(stdin), &errs, &errs)
	root := tool.rootCommand()
	var j *judge
	cmd := &cobra.Command{Use: "judge", RunE: func(cmd *cobra.Command, args []string) error {
		old, new, err := j.sets(cmd, args)
		if err != nil {
			return err
		}
		return do(j, old, new)
	}}
	j = tool.addJudgeFlags(cmd, "worse")
	root.AddCommand(cmd)
	root.SetArgs(append([]string{"judge"}, args...))
	if err := root.Execute(); err != nil {
		return err.Error(), statusFailed
	}
	return errs.String(), tool.status
}

func TestJudgeFlags(t *testing.T) {
	for _, test := range []struct {
		args string
		want string
	}{
		{"", "0.05 0.05 [] map[worse:true]"},
		{"--threshold 2.5% --alpha 0.01 --by host,os --by host", "0.025 0.01 [host os] map[worse:true]"},
		{"--threshold 0.1 --fail-on unknown", "0.1 0.05 [] map[unknown:true worse:true worse?:true]"},
		{"--fail-on never", "0.05 0.05 [] map[]"},
		{"--fail-on drift", "0.05 0.05 [] map[drift:true worse:true]"},
		{"--threshold 5", `--threshold "5": want a share such as 5% or 0.05`},
		{"--threshold -1%", `--threshold "-1%": want a share such as 5% or 0.05`},
		{"--alpha 1", `--alpha "1": want a number between 0 and 1`},
		{"--by a,,b", `--by "a,,b": a key is empty`},
		{"--fail-on better", `--fail-on "better": unknown condition "better": ` +
			`want never, worse, suspect, unknown, known or drift`},
		{"--better a=b", `--better "a=b": "b": want QUERY=lower or QUERY=higher`},
		{"--as html", `--as "html": want text, csv, json, markdown or github`},
		{"x -- y --as text", "--as is after the --, where only files are: want flags before it"},
	} {
		t.Run(test.args, func(t *testing.T) {
			got, status := judgeWith(t, "", strings.Fields(test.args), func(j *judge, _, _ []string) error {
				return fmt.Errorf("%v %v %v %v", j.options.Threshold, j.options.Alpha, j.by, j.failOn)
			})
			if diff := cmp.Diff(test.want, got); diff != "" || status != statusFailed {
				t.Errorf("status %d (-want +got):\n%s", status, diff)
			}
		})
	}
}

func TestJudgeSets(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"a b", "[a] [b]"},
		{"a b -- c", "[a b] [c]"},
		{"a -- b c", "[a] [b c]"},
		{"a", "[a] []"},
		{"a b c", "[a b c] []"},
		{"a -- -", "[a] [-]"},
	} {
		t.Run(test.args, func(t *testing.T) {
			got, _ := judgeWith(t, "", strings.Fields(test.args), func(j *judge, old, new []string) error {
				return fmt.Errorf("%v %v", old, new)
			})
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// Faults are kept with the skips, and the rest is read.
func TestJudgeRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := write("good.txt", "BenchmarkA 1 5 ns/op\nBenchmarkB 1 x ns/op\nBenchmarkC 1 6 ns/op\n")
	broken := write("broken.json", `{"version":1,"git_hash":"a","results":[{"key"`)
	empty := write("empty.json", `{"version":1,"git_hash":"a","results":[]}`)
	for _, test := range []struct {
		name   string
		args   []string
		want   []string
		status int
	}{
		{"a fault", []string{good}, []string{
			",name=A,unit=ns_op, [5] 0", ",name=C,unit=ns_op, [6] 0", `good.txt:2:14: value "x" is not a number`}, 0},
		{"a fault, strictly", []string{"--strict", good}, []string{
			",name=A,unit=ns_op, [5] 0", ",name=C,unit=ns_op, [6] 0", `good.txt:2:14: value "x" is not a number`}, 1},
		{"nothing read", []string{"--match", "name=A", broken, good, "--"}, []string{
			",name=A,unit=ns_op, [5] 0", "broken.json:1:46: results.0.key: unexpected end of input, expected a colon",
			`good.txt:2:14: value "x" is not a number`}, 1},
		{"empty", []string{empty}, nil, 0},
		{"no file", []string{filepath.Join(dir, "none")}, []string{"none: no such file or directory"}, 2},
		{"folder", []string{"-r", filepath.Join(dir)}, nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			_, status := judgeWith(t, "", test.args, func(j *judge, old, _ []string) error {
				err := j.ask(series.Old, &series.Question{}, old)
				j.answer.Sort()
				for _, one := range j.answer.Series() {
					for _, sample := range one.Samples(series.Old) {
						got = append(got, fmt.Sprintf("%s %v %d", one.Trace, sample.Values, sample.Run))
					}
				}
				for _, u := range j.skips.All {
					got = append(got, strings.ReplaceAll(u.String(), dir+string(filepath.Separator), ""))
				}
				j.finish("", nil)
				return err
			})
			if status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			if diff := cmp.Diff(test.want, got); diff != "" && test.want != nil {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestJudgeDirection(t *testing.T) {
	const file = "Unit B/op assume=exact\nBenchmarkA 1 5 ns/op 3 B/op 4 frames\n"
	args := []string{"--better", "unit=frames&name=A=higher", "--exact", "unit=ns/op", "--commits", "-", "x"}
	_, status := judgeWith(t, "aaaa\nbbbb\n", args, func(j *judge, _, _ []string) error {
		if len(j.answer.List) != 2 {
			t.Errorf("commits %v, want two", j.answer.List)
		}
		name := filepath.Join(t.TempDir(), "x.txt")
		if err := os.WriteFile(name, []byte(file), 0o666); err != nil {
			return err
		}
		if err := j.ask(series.Old, &series.Question{}, []string{name}); err != nil {
			return err
		}
		var got []string
		for _, s := range j.answer.Series() {
			err := j.settle(s)
			got = append(got, fmt.Sprint(s.Unit, " ", s.Better, " ", s.ByUnit, " ", s.Exact, " ", err))
		}
		want := []string{
			"ns/op lower true true <nil>",
			"B/op lower true true <nil>",
			"frames higher false false <nil>",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		return nil
	})
	if status != statusOK {
		t.Errorf("status %d", status)
	}
}

// Standard input is either the list of commits or a file: the list would leave nothing for the file.
func TestListAndFileAreStdin(t *testing.T) {
	const want = "perfdata: --commits - and the file -: standard input can be read once\n"
	for _, args := range []string{
		"changes --commits - -", "check --commits - x.txt -- -", "compare --commits - - x.txt",
		"drift -r --commits - - -- x.txt", "report --commits - x.txt -", "changes --commits /dev/stdin /dev/stdin",
	} {
		t.Run(args, func(t *testing.T) {
			_, stderr, status := runTool(strings.NewReader("BenchmarkA 1 10 ns/op\n"), strings.Fields(args)...)
			if stderr != want || status != statusFailed {
				t.Errorf("status %d: %s", status, cmp.Diff(want, stderr))
			}
		})
	}
}

// A gate says why it judged nothing, or what a flag did not do.
func TestJudgeSaysWhy(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.txt": "BenchmarkA 1 10 ns/op\n", "b.txt": "BenchmarkA 1 11 ns/op\n", "list": "a\nb\n",
		"c.txt": "BenchmarkB 1 10 ns/op\n", "d.txt": "commit: b\nBenchmarkA 1 10 ns/op\n", "known": "nmae=A b reason\n",
		"trial.json": `{"version":1,"git_hash":"a","issue":"7","patchset":"1",` +
			`"results":[{"key":{"test":"A"},"measurement":1}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{
		"store ingest p.db trial.json", "store ingest --commit a q.db a.txt",
		"store ingest --commit b --commits list q.db b.txt",
	} {
		if _, stderr, status := runTool(nil, strings.Fields(args)...); status != statusOK {
			t.Fatal(stderr)
		}
	}

	const nothing = "perfdata: nothing was judged: no series is in the history and in the new results\n"
	for _, test := range []struct {
		args, want string
		status     int
	}{
		{"check --trial 7/2 p.db", "perfdata: --trial 7/2: the database has no measurement of it\n", statusInvalid},
		{"report -o x.html --trial 7/2 p.db", "perfdata: --trial 7/2: it has no values\n", statusInvalid},
		{
			"check --trial 7/1 --match tst=A p.db",
			"perfdata: no measurement matches the query: no measurement has a param tst; did you mean test?\n", statusInvalid,
		},
		{
			"check --commits list a.txt b.txt -- b.txt", "perfdata: note: b.txt: it is on both sides\n" +
				"perfdata: note: --commits list: no measurement names its commit, so the list orders none; " +
				"store ingest --commit names it\n", statusOK,
		},
		{
			"check --known known q.db -- d.txt",
			"perfdata: note: known:1: no series that is judged matches the query\n", statusOK,
		},
		{
			"compare --across test a..b q.db", "perfdata: want two commits, as in A..B FILE, or a param, " +
				"as in --across level FILE, and not both\n", statusFailed,
		},
		{
			"compare --across test a.txt -- b.txt", "perfdata: want two sets of files, as in old.txt -- new.txt, or a param, " +
				"as in --across level FILE, and not both\n", statusFailed,
		},
		{
			"check q.db ./q.db q.db ./q.db -- d.txt",
			"perfdata: note: ./q.db: it is given twice, and is read once\n" +
				"perfdata: note: q.db: it is given twice, and is read once\n", statusOK,
		},
		{
			"check --trial 7/1 p.db p.db p.db",
			"perfdata: note: p.db: it is given twice, and is read once\n" + nothing, statusInvalid,
		},
		{"check -o said --allow-new --base a q.db -- c.txt", nothing, statusInvalid},
	} {
		t.Run(test.args, func(t *testing.T) {
			_, stderr, status := runTool(nil, strings.Fields(test.args)...)
			if stderr != test.want || status != test.status {
				t.Errorf("status %d, want %d: %s", status, test.status, cmp.Diff(test.want, stderr))
			}
		})
	}
	const said = "no history of these series\n\n" +
		"renamed or vanished series, since the last commit: 1 vanished, 1 appeared\n"
	if text := readFile(t, "said"); !strings.Contains(text, said) {
		t.Errorf("want %q: %s", said, text)
	}
}

// A key that no measurement has is likely misspelled, so all commands that judge say so, and fail.
func TestJudgeNamesKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.txt": "commit: a\ncpu: x\nBenchmarkA 1 10 ns/op\n", "b.txt": "commit: b\ncpu: x\nBenchmarkA 1 11 ns/op\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, stderr, status := runTool(nil, "store", "ingest", "a.db", "a.txt"); status != statusOK {
		t.Fatal(stderr)
	}

	for _, command := range []string{"compare", "check", "changes", "drift", "report -o page.html"} {
		for _, flag := range []string{"--by", "--ignore", "--promote"} {
			for _, old := range []string{"a.txt", "a.db"} {
				args := command + " " + flag + " %s -q " + old + " -- b.txt"
				t.Run(args, func(t *testing.T) {
					_, stderr, status := runTool(nil, strings.Fields(fmt.Sprintf(args, "cqu"))...)
					want := "perfdata: " + flag + ": no measurement has a param cqu; did you mean cpu?\n"
					if stderr != want || status != statusInvalid {
						t.Errorf("status %d: %s", status, cmp.Diff(want, stderr))
					}
					_, stderr, status = runTool(nil, strings.Fields(fmt.Sprintf(args, "cpu"))...)
					if stderr != "" || status != statusOK {
						t.Errorf("of a key that exists: status %d: %s", status, stderr)
					}
				})
			}
		}
	}
}
