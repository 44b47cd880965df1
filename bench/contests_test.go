package main

import (
	"errors"
	"runtime"
	"slices"
	"testing"
)

// each runs do for each contestant of each contest, with an input of about the given size.
func each[T interface {
	Run(string, func(T)) bool
	Skip(...any)
	Fatal(...any)
}](t T, size int64, do func(t T, c *contest, one contestant, in *input)) {
	for _, c := range contests() {
		t.Run(c.format+"/"+c.workload, func(t T) {
			in, err := c.input(size)
			if errors.Is(err, errAbsent) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			contestants, err := c.contestants(in)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(contestants, func(one contestant) bool { return one.name == c.yardstick }) {
				t.Fatal("no contestant is called ", c.yardstick)
			}
			for _, one := range contestants {
				t.Run(one.name, func(t T) {
					if one.missing != "" {
						t.Skip(one.missing)
					}
					do(t, &c, one, in)
				})
			}
		})
	}
}

func TestContestants(t *testing.T) {
	each(t, 100_000, func(t *testing.T, c *contest, one contestant, in *input) {
		// Two runs, because some reuse their memory.
		for range 2 {
			if err := runOnce(one, in); err != nil {
				t.Error(err)
			}
		}
		// go-json's Token does not check the structure.
		if c.reading && one.name != "go-json Decoder.Token" {
			file := in.files[0]
			if _, err := one.run(file[:len(file)-len("}")]); err == nil {
				t.Error("no error in a document without its end")
			}
		}
	})
}

// Every target names a contest and two of its contestants.
func TestTargets(t *testing.T) {
	names := map[[2]string][]string{} // of contestants, by format and contest
	absent := map[string]bool{}       // formats whose files are not here
	for _, c := range contests() {
		if !slices.ContainsFunc(targets, func(want target) bool { return want.contest == c.workload }) {
			continue
		}
		in, err := c.input(10_000)
		if errors.Is(err, errAbsent) {
			absent[c.format] = true
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		contestants, err := c.contestants(in)
		if err != nil {
			t.Fatal(err)
		}
		of := []string{simdjsonName}
		for _, one := range contestants {
			of = append(of, one.name)
		}
		names[[2]string{c.format, c.workload}] = of
	}

	check := func(format, contest, name string) {
		if !absent[format] && !slices.Contains(names[[2]string{format, contest}], name) {
			t.Errorf("%s, %s has no contestant %q", format, contest, name)
		}
	}
	for _, want := range targets {
		check(want.format, want.contest, want.contestant)
		check(want.format, want.contest, want.reference)
	}
	for _, a := range allocating {
		check(a.format, a.contest, a.contestant)
		named := func(want target) bool {
			return want.format == a.format && want.contest == a.contest && want.contestant == a.contestant
		}
		if !slices.ContainsFunc(targets, named) {
			t.Errorf("%s, %s, %s is not measured for any target", a.format, a.contest, a.contestant)
		}
	}
}

func BenchmarkContests(b *testing.B) {
	each(b, 2_000_000, func(b *testing.B, _ *contest, one contestant, in *input) {
		b.SetBytes(in.size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := 0
		for b.Loop() {
			if err := runOnce(one, in); err != nil {
				b.Fatal(err)
			}
			n++
		}
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(n*in.records), "allocs/record")
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(n*len(in.files)), "allocs/file")
	})
}
