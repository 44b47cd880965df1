package report_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/perun/report"
)

const stacksText = head + `"global":[
	{"amount":1,"type":"memory","uid":{"function":"f","source":"a.c","line":2},"trace":[` +
	`{"function":"malloc","source":"libc","line":0},{"function":"f","source":"a.c","line":3},{"function":"main","source":"a.c","line":9}]},
	{"amount":2,"uid":"pool","trace":[{"func":"f;g"},"main"]},
	{"amount":3,"uid":"alone"},
	{"amount":4,"trace":["main"]},
	{"amount":5,"uid":"x","subtype":"free"},
	{"amount":"x","uid":"x"}]}`

func TestStacks(t *testing.T) {
	for _, test := range []struct {
		name string
		at   report.UIDPlace
		want []string
	}{
		{"root", report.UIDAtRoot, []string{
			"f()~a.c~2[f a.c 2] main()~a.c~9[main a.c 9] f()~a.c~3[f a.c 3] malloc()~libc~0[malloc libc 0] = 1",
			"pool main f:g[f;g] = 2", "alone = 3", "main = 4",
		}},
		{"leaf", report.UIDAtLeaf, []string{
			"main()~a.c~9[main a.c 9] f()~a.c~3[f a.c 3] malloc()~libc~0[malloc libc 0] = 1",
			"main f:g[f;g] pool = 2", "alone = 3", "main = 4",
		}},
		{"none", report.UIDNone, []string{
			"main()~a.c~9[main a.c 9] f()~a.c~3[f a.c 3] malloc()~libc~0[malloc libc 0] = 1",
			"main f:g[f;g] = 2", "alone = 3", "main = 4",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(strings.NewReader(stacksText))
			h, err := r.Header()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for s, err := range report.Stacks(h, r.Resources(), test.at) {
				if err != nil {
					got = append(got, err.Error())
					continue
				}
				text := ""
				for _, f := range s.Frames {
					text += f.Text
					if f.Function != f.Text {
						text += strings.TrimSuffix(fmt.Sprintf("[%s %s %d", f.Function, f.Source, f.Line), "  0") + "]"
					}
					text += " "
				}
				got = append(got, text+"= "+s.Amount.String())
			}
			want := append(test.want, "7:2: the resource has no number as its amount")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The lines of FlameLines are the stacks with the uid at the root.
func TestStacksOfCorpus(t *testing.T) {
	text := testFile(t, "memory_deep.perf")
	var lines, got []string
	for line, err := range report.FlameLines(newReader(strings.NewReader(text))) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	r := newReader(strings.NewReader(text))
	h, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range report.Stacks(h, r.ResourcesBySnapshot(), report.UIDAtRoot) {
		if err != nil {
			t.Fatal(err)
		}
		var frames []string
		for _, f := range s.Frames {
			frames = append(frames, f.Text)
		}
		got = append(got, strings.Join(frames, ";")+" "+s.Amount.String())
		if s.Unit != "B" {
			t.Fatalf("unit %q", s.Unit)
		}
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// With its uid placed, a profile for go tool pprof begins with main.
func TestUIDPlaceOfPprof(t *testing.T) {
	r := newReader(strings.NewReader(stacksText))
	h, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	p, err := report.Pprof(h, report.Stacks(h, r.Resources(), report.UIDAtLeaf))
	if e, ok := errors.AsType[*format.Error](err); !ok || e.Severity != format.Recoverable {
		t.Fatal(p, err)
	}
	r = newReader(strings.NewReader(strings.Replace(stacksText, `"amount":"x"`, `"amount":6`, 1)))
	p, err = report.Pprof(h, report.Stacks(h, r.Resources(), report.UIDAtLeaf))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Sample {
		var names []string
		for _, l := range s.Location {
			names = append(names, l.Line[0].Function.Name)
		}
		got = append(got, strings.Join(names, " "))
	}
	want := []string{"malloc f main", "pool f;g main", "alone", "main", "x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
