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

// A textRow is a row of either kind. Missing values are "-".
type textRow [columns.Fixed]string

func fromRow(row Row) (r textRow) {
	for i, cell := range row {
		switch i {
		case columns.Params, columns.Attrs, columns.Links:
			for _, text := range columns.Pairs(string(cell)) {
				r[i] += text + ";"
			}
		default:
			if r[i] = columns.Unquote(string(cell)); string(cell) == columns.NoCell {
				r[i] = "-"
			}
		}
	}
	return r
}

func fromColumns(row columns.Row) textRow {
	text := func(s string) string { return cmp.Or(s, "-") }
	number := func(n int64, has bool) string {
		if !has {
			return "-"
		}
		return fmt.Sprint(n)
	}
	pairs := func(params traceid.Params) (all string) {
		for _, pair := range params {
			all += pair.Key + ";" + pair.Value + ";"
		}
		return all
	}
	time := "-"
	if at := row.Place.Time; !at.IsZero() {
		time = at.UTC().Format("2006-01-02T15:04:05Z")
	}
	return textRow{
		columns.ID: string(row.ID), columns.Trace: text(string(row.Trace)), columns.Commit: text(row.Commit),
		columns.N: number(int64(row.N), row.N > 0), columns.Value: fmt.Sprint(row.Value), columns.Unit: text(row.Unit),
		columns.Better: text(row.Better.String()), columns.Params: pairs(row.Params), columns.Attrs: pairs(row.Attrs),
		columns.Links:    pairs(row.Links),
		columns.Position: number(int64(row.Place.Listed)-1, row.Place.Listed > 0), columns.CommitTime: time,
		columns.File: text(row.File), columns.Offset: number(row.Offset, row.Offset >= 0),
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

// all returns the columns that every table has.
func all(t *testing.T) []columns.Column {
	t.Helper()
	all, err := columns.All(nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSorter(t *testing.T) {
	rows := someRows(500)
	var want []textRow
	for _, row := range rows {
		want = append(want, fromColumns(row))
	}
	less := func(a, b textRow, i int) int {
		missing := func(s string) int { return strings.Count("-", s) }
		return cmp.Or(-cmp.Compare(missing(a[i]), missing(b[i])), strings.Compare(a[i], b[i]))
	}
	slices.SortStableFunc(want, func(a, b textRow) int {
		return cmp.Or(less(a, b, columns.Trace), less(a, b, columns.Commit))
	})

	for _, test := range []struct {
		name   string
		memory int
		runs   int
	}{
		{"in memory", 1 << 20, 0}, {"three runs", 150_000, 3}, {"two levels of runs", 1, 500/maxRuns + 500%maxRuns},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := New(test.memory, buffer.NewFile(t.TempDir()), all(t))
			got, err := sorted(s, rows)
			if diff := gocmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if runs := len(s.spill.runs); runs != test.runs || (s.Spilled() > 0) != (runs > 0) {
				t.Errorf("%d bytes, %d runs, want %d", s.Spilled(), runs, test.runs)
			}
			if got := s.Longest(columns.Commit); got != len("c0")+200 {
				t.Errorf("the longest commit has %d bytes", got)
			}
		})
	}
}

// Bytes that are not UTF-8 are replaced before the rows are sorted.
func TestInvalidUTF8(t *testing.T) {
	for _, memory := range []int{1, 1 << 20} {
		s := New(memory, buffer.NewFile(t.TempDir()), all(t))
		got, err := sorted(s, []columns.Row{
			{Unit: "\xff", Commit: "\xff2", Params: traceid.Params{{Key: "\xff", Value: "\xff"}}, File: "1"},
			{Unit: "\xfe", Commit: "\xfe1", File: "2"},
			{Unit: "a", Commit: "é", File: "3"},
		})
		var texts []string
		for _, row := range got {
			texts = append(texts, row[columns.File]+row[columns.Unit]+row[columns.Commit]+row[columns.Params])
		}
		want := []string{"3aé", "2\ufffd\ufffd1", "1\ufffd\ufffd2\ufffd;\ufffd;"}
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
		got, err := sorted(New(1, faulty.OSFile{File: f, Script: s}, all(t)), rows)
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
			s := New(4000, f, all(t))
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
