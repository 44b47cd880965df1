package series_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/series"
)

func TestReadCommits(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
	for _, test := range []struct {
		name, list string
		want       []series.Commit
	}{
		{
			name: "git log",
			list: "ccc bbb\t300\tAnn\tthird\nbbb aaa\t200\tBob B.\tsecond: a\tb\naaa \t100\tAnn\t\n",
			want: []series.Commit{
				{Hash: "aaa", Time: at(100), Author: "Ann"},
				{Hash: "bbb", Parents: []string{"aaa"}, Time: at(200), Author: "Bob B.", Subject: "second: a\tb"},
				{Hash: "ccc", Parents: []string{"bbb"}, Time: at(300), Author: "Ann", Subject: "third"},
			},
		},
		{
			name: "git log --reverse, although the clock went back",
			list: "aaa \t300\tAnn\tfirst\nbbb aaa\t200\tBob\tsecond\n",
			want: []series.Commit{
				{Hash: "aaa", Time: at(300), Author: "Ann", Subject: "first"},
				{Hash: "bbb", Parents: []string{"aaa"}, Time: at(200), Author: "Bob", Subject: "second"},
			},
		},
		{
			name: "git rev-list --reverse",
			list: "aaa\nbbb\nccc",
			want: []series.Commit{{Hash: "aaa"}, {Hash: "bbb"}, {Hash: "ccc"}},
		},
		{
			name: "git rev-list --parents, with a merge",
			list: "ddd ccc bbb\nccc aaa\nbbb aaa\naaa\n",
			want: []series.Commit{
				{Hash: "aaa"},
				{Hash: "bbb", Parents: []string{"aaa"}},
				{Hash: "ccc", Parents: []string{"aaa"}},
				{Hash: "ddd", Parents: []string{"ccc", "bbb"}},
			},
		},
		{
			name: "git log of a path: the parents are not listed",
			list: "ccc b\t300\tAnn\tthird\naaa 0\t100\tAnn\tfirst\n",
			want: []series.Commit{
				{Hash: "aaa", Parents: []string{"0"}, Time: at(100), Author: "Ann", Subject: "first"},
				{Hash: "ccc", Parents: []string{"b"}, Time: at(300), Author: "Ann", Subject: "third"},
			},
		},
		{
			name: "oldest first by time",
			list: "aaa\t100\nbbb\t200\n",
			want: []series.Commit{{Hash: "aaa", Time: at(100)}, {Hash: "bbb", Time: at(200)}},
		},
		{
			name: "newest first at the same time",
			list: "bbb\t100\naaa\t100\n",
			want: []series.Commit{{Hash: "aaa", Time: at(100)}, {Hash: "bbb", Time: at(100)}},
		},
		{
			name: "numbers, a mark, Windows line ends, empty lines",
			list: "\ufeffCP:727900\r\n\r\nCP:727901\r\n\r\n",
			want: []series.Commit{{Hash: "CP:727900"}, {Hash: "CP:727901"}},
		},
		{
			name: "texts that a database refuses",
			list: "aaa\t1\tA\xff\x00\t\xfe",
			want: []series.Commit{{Hash: "aaa", Time: at(1), Author: "A\ufffd\ufffd", Subject: "\ufffd"}},
		},
		{
			name: "the longest hash, and the last second of the year 9999",
			list: strings.Repeat("a", 256) + "\t253402300799",
			want: []series.Commit{{Hash: strings.Repeat("a", 256), Time: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := series.ReadCommits(strings.NewReader(test.list), "")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadCommitsErrors(t *testing.T) {
	// The mark ∆ is before the fault.
	for _, test := range []struct {
		name, list string
		cause      error
		message    string
	}{
		{"nothing", "∆", format.ErrSyntax, "empty list"},
		{"empty lines", "∆\n\n", format.ErrSyntax, "empty list"},
		{"page", "aaa\n∆<html>\n", format.ErrSyntax, "'<' in the hash of a commit"},
		{"other characters", "aaa\nbb∆µ\n", format.ErrSyntax, "'µ' in the hash of a commit"},
		{"invalid UTF-8", "aaa\nbb∆\xff\n", format.ErrSyntax, "'�' in the hash of a commit"},
		{"missing hash", "∆\t100\n", format.ErrSyntax, "missing hash"},
		{"blank before the hash", "∆ aaa\n", format.ErrSyntax, "missing hash"},
		{"two blanks", "aaa ∆ bbb\n", format.ErrSyntax, "missing hash"},
		{"parent", "aaa bbb ∆\"c\"\n", format.ErrSyntax, "'\"' in the hash"},
		{"long hash", "aaa\n∆" + strings.Repeat("a", 257), format.ErrLimit, "hash of 257 bytes"},
		{"other text", "aaa\n∆BenchmarkX 1 5 ns/op\n", format.ErrSyntax, `"BenchmarkX" is not a hash: want hex digits`},
		{"a name among hashes", "aaa bbb ∆main\n", format.ErrSyntax, `"main" is not a hash`},
		{"time", "aaa bbb\t∆yesterday\tAnn\tx\n", format.ErrSyntax, `time "yesterday": want seconds since 1970`},
		{"time out of range", "aaa\t∆253402300800\n", format.ErrSyntax, "time"},
		{"negative time", "aaa\t∆-1\n", format.ErrSyntax, "time"},
		{"line that is cut off", "bbb aaa\t2\tAnn\tx\n∆aa", format.ErrSyntax, "line has 0 tabs: want 3"},
		{"duplicate", "aaa\n\nbbb\n∆aaa\n", format.ErrDuplicate, `duplicate commit "aaa": it is in line 1 too`},
		{"no order", "bbb aaa\naaa\n∆ddd ccc aaa\nccc\n", format.ErrSyntax,
			`commit "ddd" and its parent "aaa", in line 2, are not in the order`},
		{"its own parent", "bbb aaa\n∆aaa aaa\n", format.ErrSyntax, "not in the order"},
		{"long line", "aaa\n∆" + strings.Repeat("a ", 33_000), format.ErrLimit, "line is too long"},
		{"UTF-16", "∆\xff\xfea\x00", format.ErrSyntax, "UTF-16"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after, _ := strings.Cut(test.list, "∆")
			_, err := series.ReadCommits(strings.NewReader(before+after), "list.txt")
			e, ok := errors.AsType[*format.Error](err)
			if !ok || !errors.Is(err, test.cause) || e.Name != "list.txt" || !strings.Contains(e.Message, test.message) {
				t.Fatalf("error %v, want %v with %q", err, test.cause, test.message)
			}
			want := format.Position{Offset: int64(len(before)), Line: 1 + strings.Count(before, "\n")}
			want.Column = len(before) - strings.LastIndexByte(before, '\n')
			if diff := cmp.Diff(want, e.Position); diff != "" {
				t.Errorf("position (-want +got):\n%s", diff)
			}
		})
	}

	failed := errors.New("connection reset")
	in := io.MultiReader(strings.NewReader("aaa\nbb"), iotest.ErrReader(failed))
	if _, err := series.ReadCommits(in, ""); !errors.Is(err, failed) || !strings.HasPrefix(err.Error(), "2:1: ") {
		t.Errorf("error %v, want %v at 2:1", err, failed)
	}
}

func FuzzReadCommits(f *testing.F) {
	f.Add("ccc bbb\t300\tAnn\tthird\nbbb aaa\t200\tBob\tsecond\naaa \t100\tAnn\t\n")
	f.Add("aaa\nbbb\r\nCP:1")
	f.Fuzz(func(t *testing.T, list string) {
		commits, err := series.ReadCommits(strings.NewReader(list), "")
		if err != nil {
			return
		}

		// Written in the order of git log, a list is read the same.
		var b strings.Builder
		for i := len(commits) - 1; i >= 0; i-- {
			c := commits[i]
			fmt.Fprintf(&b, "%s %s\t%d\t%s\t%s\n", c.Hash, strings.Join(c.Parents, " "), max(c.Time.Unix(), 0), c.Author, c.Subject)
		}
		got, err := series.ReadCommits(strings.NewReader(b.String()), "")
		if err != nil || len(got) != len(commits) {
			t.Errorf("%v: %q was written as %q", err, list, b.String())
		}
	})
}

func ExampleReadCommits() {
	// git log --topo-order --format='%H %P%x09%ct%x09%an%x09%s'
	list := "3a1f09c6 7cd9055e\t1785492000\tAnn\tpng: decode rows in place\n" +
		"7cd9055e \t1785405600\tAnn\tpng: add benchmarks\n"
	commits, err := series.ReadCommits(strings.NewReader(list), "git log")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range commits {
		fmt.Println(c.Hash, c.Time.Format(time.RFC3339), c.Subject)
	}
	// Output:
	// 7cd9055e 2026-07-30T10:00:00Z png: add benchmarks
	// 3a1f09c6 2026-07-31T10:00:00Z png: decode rows in place
}
