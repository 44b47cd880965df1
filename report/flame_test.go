package report_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
	"perfdata/report"
)

// stack returns a stack with functions of a.c.
func stack(value float64, names ...string) report.Stack {
	s := report.Stack{Value: value}
	for i, name := range names {
		s.Frames = append(s.Frames, report.Frame{Name: name, File: "a.c", Line: int64(10*i + int(value))})
	}
	return s
}

func TestWriteFlame(t *testing.T) {
	f := &report.Flame{Title: "./render", Note: "commit 7cd9055e", Unit: "ms", Stacks: []report.Stack{
		stack(1, "main", "open", "read"), stack(2000, "main", "draw"), stack(500, "main", "open"),
		stack(3, "main", "open", "read"), stack(0, "never"), stack(0.001, "main", "tiny"), stack(1, "main", "open", "stat"),
	}}
	got := flame(t, f)
	if *update {
		if err := os.WriteFile("testdata/flame.svg", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(formattest.ReadFile(t, "testdata/flame.svg"), got); diff != "" {
		t.Errorf("\"go test -run TestWriteFlame -update\" accepts it (-want +got):\n%s", diff)
	}
}

func flame(t *testing.T, f *report.Flame) string {
	t.Helper()
	var out, again bytes.Buffer
	if err := report.WriteFlame(&out, f); err != nil {
		t.Fatal(err)
	}
	if report.WriteFlame(&again, f); !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("the second picture differs from the first")
	}
	return out.String()
}

// titles returns the first lines of the tooltips. It checks that the picture is well-formed.
func titles(t *testing.T, picture string) (all []string) {
	t.Helper()
	inTitle := false
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		switch token := token.(type) {
		case xml.StartElement:
			inTitle = token.Name.Local == "title" && len(token.Attr) == 0
		case xml.CharData:
			if first, _, _ := strings.Cut(string(token), "\n"); inTitle {
				all = append(all, first)
			}
		case xml.EndElement:
			inTitle = false
		}
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteFlameRoots(t *testing.T) {
	deep := report.Stack{Value: 1}
	for i := range 1000 {
		deep.Frames = append(deep.Frames, report.Frame{Name: fmt.Sprint("f", i%7)})
	}
	for _, test := range []struct {
		name   string
		stacks []report.Stack
		want   string // the first tooltips
		text   string // in the picture
	}{
		{"one function is the root", []report.Stack{stack(1, "main", "a"), stack(2, "main")}, "main a", "itself 2, 66.7%"},
		{"several functions", []report.Stack{stack(1, "main"), stack(2, "other")}, "all other main", ">3</text>"},
		{"a value without functions", []report.Stack{stack(1, "main"), stack(2)}, "all main", "itself 2, 66.7%"},
		{"only that", []report.Stack{stack(2)}, "all", "2, 100%"},
		{"too deep", []report.Stack{deep}, "f0 f1 f2", "500 boxes are too small or too deep to be drawn"},
		{"hostile", []report.Stack{stack(1, "</svg><script>alert(1)</script>\x00\u202e", "]]>")},
			`</svg><script>alert(1)</script>\x00\u202e ]]>`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := flame(t, &report.Flame{Stacks: test.stacks})
			if all := strings.Join(titles(t, got), " "); !strings.HasPrefix(all, test.want) {
				t.Errorf("titles %.100q, want %q", all, test.want)
			}
			if !strings.Contains(got, test.text) || strings.Count(got, "<script") != 1 {
				t.Errorf("%s\nwant %s", got, test.text)
			}
		})
	}
}

// Values are in the units that people read.
func TestWriteFlameUnits(t *testing.T) {
	for _, test := range []struct {
		value      float64
		unit, want string
	}{
		{1536, "B", "1.5 KiB"},
		{3 << 20, "KiB", "3 GiB"},
		{0.25, "B", "0.25 B"},
		{1.5e6, "us", "1.5 s"},
		{2e-12, "s", "0.002 ns"},
		{12345, "calls", "12.35k calls"},
		{12345, "", "12.35k"},
		{5, "ns/op", "5 ns/op"},
		{5, "<b>\x1b", `5 &lt;b&gt;\x1b`},
	} {
		got := flame(t, &report.Flame{Unit: test.unit, Stacks: []report.Stack{stack(test.value, "main")}})
		if !strings.Contains(got, ">"+test.want+"</text>") {
			t.Errorf("%v %s: want %s in\n%s", test.value, test.unit, test.want, got)
		}
	}
}

func TestWriteFlameErrors(t *testing.T) {
	for _, test := range []struct {
		want   string
		stacks []report.Stack
	}{
		{"there is nothing to draw: no value is above 0", nil},
		{"there is nothing to draw: no value is above 0", []report.Stack{stack(0, "main")}},
		{"stack 2 has the value -1: a flame graph shows finite values from 0 up", []report.Stack{stack(1, "a"), stack(-1, "b")}},
		{"stack 1 has the value NaN: a flame graph shows finite values from 0 up", []report.Stack{{Value: math.NaN()}}},
		{"the sum of the values is too large", []report.Stack{stack(1e308, "a"), stack(1e308, "b")}},
	} {
		var out bytes.Buffer
		if err := report.WriteFlame(&out, &report.Flame{Stacks: test.stacks}); fmt.Sprint(err) != test.want || out.Len() > 0 {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
