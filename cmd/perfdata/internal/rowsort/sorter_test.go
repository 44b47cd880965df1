package rowsort

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/columns"
	"perfdata/internal/testing/faulty"
	"perfdata/traceid"
)

// someRows returns rows, many of which have equal keys.
func someRows(n int) []columns.Row {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(prefix string, n int) string {
		return prefix + strings.Repeat("x", r.IntN(3)*100) + fmt.Sprint(r.IntN(n))
	}
	rows := make([]columns.Row, n)
	for i := range rows {
		row := columns.Row{
			ID: []byte(text(",id=", 9)), Commit: text("c", 4), N: r.IntN(3), Value: float64(i),
			Unit: text("u", 2), Better: format.Direction(r.IntN(3)),
			File: text("f", 3), Offset: int64(r.IntN(1000) - 1),
			Place:  columns.Place{Listed: r.IntN(3)},
			Params: traceid.Params{{Key: text("k", 2), Value: text("", 9)}, {Key: "l", Value: ""}}, Attrs: nil,
		}
		switch r.IntN(10) {
		case 0:
			row.Commit = ""
		case 2:
			row.Place.Time = time.Unix(int64(r.IntN(3)-1), 0)
		case 1:
			row.Links = traceid.Params{{Key: "a", Value: text("http://", 99)}}
		default:
			row.Trace = row.ID
		}
		rows[i] = row
	}
	return rows
}

// A textRow is a row of either kind.
type textRow struct {
	ID, Trace, Commit, Unit, Better, File string
	Params, Attrs, Links                  string

	Numbers [numNumbers]int64
}

func fromRow(row *Row) textRow {
	pairs := func(text string) (all string) {
		for key, value := range Pairs(text) {
			all += key + "=" + value + ";"
		}
		return all
	}
	x := &row.Texts
	return textRow{
		x[ID], x[Trace], x[Commit], x[Unit], x[Better], x[File], pairs(x[Params]), pairs(x[Attrs]), pairs(x[Links]),
		row.Numbers,
	}
}

func fromColumns(row columns.Row) textRow {
	pairs := func(params traceid.Params) (all string) {
		for _, pair := range params {
			all += pair.Key + "=" + pair.Value + ";"
		}
		return all
	}
	return textRow{
		string(row.ID), string(row.Trace), row.Commit, row.Unit, row.Better.String(), row.File, pairs(row.Params),
		pairs(row.Attrs), pairs(row.Links), numbersOf(&row),
	}
}

// sorted adds the rows to a Sorter, and returns them.
func sorted(s *Sorter, rows []columns.Row) (got []textRow, err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	for i := range rows {
		if err := s.Add(&rows[i]); err != nil {
			return nil, err
		}
	}
	for row, err := range s.Rows() {
		if err != nil {
			return nil, err
		}
		got = append(got, fromRow(row))
	}
	return got, nil
}

func TestSorter(t *testing.T) {
	rows := someRows(500)
	var want []textRow
	for _, row := range rows {
		want = append(want, fromColumns(row))
	}
	slices.SortStableFunc(want, func(a, b textRow) int {
		return cmp.Or(strings.Compare(a.Trace, b.Trace), strings.Compare(a.Commit, b.Commit))
	})

	for _, test := range []struct {
		name   string
		memory int64
		runs   int
	}{
		{"in memory", 1 << 20, 0}, {"three runs", 60_000, 3}, {"two levels of runs", 1, 500/maxRuns + 500%maxRuns},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := New(test.memory, buffer.NewFile(t.TempDir()))
			got, err := sorted(s, rows)
			if diff := gocmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if runs := len(s.spill.runs); runs != test.runs || (s.Spilled() > 0) != (runs > 0) {
				t.Errorf("%d bytes, %d runs, want %d", s.Spilled(), runs, test.runs)
			}
			if got := s.Longest(Commit); got != len("c0")+200 {
				t.Errorf("the longest commit has %d bytes", got)
			}
		})
	}
}

// Bytes that are not UTF-8 are replaced before the rows are sorted.
func TestInvalidUTF8(t *testing.T) {
	for _, memory := range []int64{1, 1 << 20} {
		s := New(memory, buffer.NewFile(t.TempDir()))
		got, err := sorted(s, []columns.Row{
			{ID: []byte("\xff"), Commit: "\xff2", Params: traceid.Params{{Key: "\xff", Value: "\xff"}}, File: "1"},
			{ID: []byte("\xfe"), Commit: "\xfe1", File: "2"},
			{ID: []byte("a"), Commit: "é", File: "3"},
		})
		var texts []string
		for _, row := range got {
			texts = append(texts, row.File+row.ID+row.Commit+row.Params)
		}
		want := []string{"3aé", "2\ufffd\ufffd1", "1\ufffd\ufffd2\ufffd=\ufffd;"}
		if diff := gocmp.Diff(want, texts); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// Whichever call of the temporary file fails, the rows end with its error.
func TestSpillFaults(t *testing.T) {
	rows, dir := someRows(12), t.TempDir()
	faulty.Check(t, faulty.Subject{Try: func(s *faulty.Script) (string, error) {
		f, err := os.Create(filepath.Join(dir, "spill"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got, err := sorted(New(1, faulty.OSFile{File: f, Script: s}), rows)
		return fmt.Sprint(got), err
	}})
}

// A temporary file that another program changes or cuts is an error, and not other rows.
func TestDamagedSpill(t *testing.T) {
	for name, damage := range map[string]func(f *os.File, size int64) error{
		"cut":     func(f *os.File, size int64) error { return f.Truncate(size / 2) },
		"changed": func(f *os.File, size int64) error { _, err := f.WriteAt([]byte("xxxx"), size/2); return err },
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Create(filepath.Join(t.TempDir(), "spill"))
			if err != nil {
				t.Fatal(err)
			}
			s := New(4000, f)
			rows := someRows(100)
			for i := range rows {
				if err := s.Add(&rows[i]); err != nil {
					t.Fatal(err)
				}
			}
			if err := damage(f, s.Spilled()); err != nil {
				t.Fatal(err)
			}
			for _, failure := range s.Rows() {
				err = failure
			}
			if err == nil {
				t.Error("no error")
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
