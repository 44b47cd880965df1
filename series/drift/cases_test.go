package drift_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/series/drift"
	"perfdata/traceid"
)

// measurements returns lines for add: for each of a number of benchmarks, a line in which % is its
// number and $ the value, which is another one for each, with some noise.
func measurements(line string, n int, factor, noise float64) string {
	var lines []string
	for i := range n {
		value := float64(i*i+3) * 1.7 * factor * (1 + noise*float64((i*7)%5-2)/2)
		lines = append(lines, strings.NewReplacer("%", fmt.Sprint(i), "$", fmt.Sprint(value)).Replace(line))
	}
	return strings.Join(lines, "; ")
}

var _ = traceid.Of
var _ = cmp.Diff

func TestCases(t *testing.T) {
	m := func(line string, n int) string { return measurements(line, n, 1, 0) }
	x := func(line string, n int, factor float64) string { return measurements(line, n, factor, 0.06) }
	for _, test := range []struct {
		name     string
		old, new []string
		want     []string
	}{
		{"times 1000", []string{m("test=T% units=ms $", 12)}, []string{x("test=T% units=ms $", 12, 1000)}, nil},
		{"times 1024", []string{m("test=T% units=ms $", 12)}, []string{x("test=T% units=ms $", 12, 1024)}, nil},
		{"div 8", []string{m("test=T% units=ms $", 12)}, []string{x("test=T% units=ms $", 12, 0.125)}, nil},
		{"times 10", []string{m("test=T% units=ms $", 12)}, []string{x("test=T% units=ms $", 12, 10)}, nil},
		{"times 60", []string{m("test=T% units=ms $", 12)}, []string{x("test=T% units=ms $", 12, 60)}, nil},
		{"times 2", []string{m("test=T% units=ms $", 12)}, []string{x("test=T% units=ms $", 12, 2)}, nil},
		{"times 30", []string{m("test=T% units=ms $", 12)}, []string{x("test=T% units=ms $", 12, 30)}, nil},
		{"one 1e6", []string{m("test=T% units=ms $", 12) + "; test=X units=ms 5"}, []string{m("test=T% units=ms $", 12) + "; test=X units=ms 5100000"}, nil},
		{"one 10 slower", []string{m("test=T% units=ms $", 12) + "; test=X units=ms 5"}, []string{m("test=T% units=ms $", 12) + "; test=X units=ms 50"}, nil},
		{"one unit", []string{m("test=T% units=ms $", 12) + "; " + m("test=T% units=B $", 12)}, []string{m("test=T% units=ms $", 12) + "; " + x("test=T% units=B $", 12, 1024)}, nil},
		{"three 1000", []string{m("test=T% units=ms $", 12) + "; " + m("test=U% units=ms $", 5)}, []string{m("test=T% units=ms $", 12) + "; " + x("test=U% units=ms $", 5, 1000)}, nil},
		{"zeros", []string{m("test=T% units=ms $", 12)}, []string{m("test=T% units=ms 0", 12)}, nil},
		{"one zero", []string{m("test=T% units=ms $", 12)}, []string{m("test=T% units=ms $", 11) + "; test=T11 units=ms 0"}, nil},
		{"allocs zero", []string{m("test=T% units=ms $", 3) + "; " + m("test=T% units=allocs $", 3)}, []string{m("test=T% units=ms $", 3) + "; " + m("test=T% units=allocs 0", 3)}, nil},
		{"all zero but also before", []string{m("test=T% units=ms 0", 3)}, []string{m("test=T% units=ms 0", 3)}, nil},
		{"uid in every record", []string{m("test=T% uid=a% $", 21)}, []string{m("test=T% uid=b% $", 21)}, nil},
		{"uid two files", []string{m("test=T% uid=a% $", 9), m("test=T% uid=c% $", 9)}, []string{m("test=T% uid=b% $", 9), m("test=T% uid=d% $", 9)}, nil},
		{"uid no test", []string{m("bench=T% uid=a% $", 21)}, []string{m("bench=T% uid=b% $", 21)}, nil},
		{"uid and time", []string{m("test=T% uid=a% at=10% $", 21)}, []string{m("test=T% uid=b% at=11% $", 21)}, nil},
		{"size n", []string{m("test=Sort size=% $", 5)}, []string{m("test=Sort n=% $", 5)}, nil},
		{"size n, unchanged", []string{m("test=Sort size=% $", 5) + "; test=X size=1 1"}, []string{m("test=Sort n=% $", 5) + "; test=X size=1 1"}, nil},
		{"go n size", []string{m("test=Sort/n=%-8 $", 5)}, []string{m("test=Sort/size=%-8 $", 5)}, nil},
		{"go n one", []string{"test=Sort/n=64-8 5; test=X 1"}, []string{"test=Sort/size=64-8 5; test=X 1"}, nil},
		{"go name n size", []string{m("name=Sort/n=% unit=ns $", 5) + "; " + m("name=Hash/n=% unit=ns $", 5)}, []string{m("name=Sort/size=% unit=ns $", 5) + "; " + m("name=Hash/size=% unit=ns $", 5)}, nil},
		{"split", []string{m("test=Sort/% $", 5)}, []string{m("test=Sort size=% $", 5)}, nil},
		{"split one", []string{"test=Sort/64 5"}, []string{"test=Sort size=64 5"}, nil},
		{"merged", []string{m("test=Sort size=% $", 5)}, []string{m("test=Sort/% $", 5)}, nil},
		{"merged =", []string{m("test=Sort size=% $", 5) + "; test=X 1"}, []string{m("test=Sort/size=% $", 5) + "; test=X 1"}, nil},
		{"merged two", []string{m("test=Sort size=% type=int $", 5)}, []string{m("test=Sort<int>/% $", 5)}, nil},
		{"001", []string{m("test=Sort size=% $", 5)}, []string{m("test=Sort size=00% $", 5)}, nil},
		{"1.0", []string{"test=Sort size=1 5"}, []string{"test=Sort size=1.0 5"}, nil},
		{"Linux", []string{m("test=T% os=linux $", 5)}, []string{m("test=T% os=Linux $", 5)}, nil},
		{"hosts", []string{"test=a host=h1 1; test=b host=h2 2; test=c host=h3 3"}, []string{"test=a host=g1 1; test=b host=g2 2; test=c host=g3 3"}, nil},
		{"hosts mixed", []string{"test=a host=h1 1; test=b host=h2 2; test=c host=h3 3", "test=a host=h2 1; test=b host=h1 2; test=c host=h3 3"}, []string{"test=a host=g3 1; test=b host=g1 2; test=c host=g2 3"}, nil},
		{"hosts all", []string{m("test=T% host=h1 $", 14) + "; " + m("test=T% host=h2 $", 14) + "; " + m("test=T% host=h3 $", 14)}, []string{m("test=T% host=g1 $", 14) + "; " + m("test=T% host=g2 $", 14) + "; " + m("test=T% host=g3 $", 14)}, nil},
		{"os and gone", []string{m("test=T% os=x $", 20)}, []string{m("test=T% os=y $", 10)}, nil},
		{"os and one gone", []string{m("test=T% os=x $", 20)}, []string{m("test=T% os=y $", 19)}, nil},
		{"size removed", []string{"test=Sort size=1 1; test=Sort size=2 2; test=H size=3 1"}, []string{"test=Sort 1; test=H 1"}, nil},
		{"size removed and there", []string{"test=Sort size=1 1; test=Sort 2; test=H 1"}, []string{"test=Sort 1; test=H 1"}, nil},
		{"split in two", []string{"test=Sort 1; test=H 1"}, []string{"test=Sort mode=a 1; test=Sort mode=b 2; test=H 1"}, nil},
		{"prefix", []string{m("test=T% $", 5)}, []string{m("test=BenchmarkT% $", 5)}, nil},
		{"ns us", []string{m("test=T% units=ns $", 5)}, []string{x("test=T% units=us $", 5, 0.001)}, nil},
		{"Host host", []string{m("test=T% Host=a $", 5)}, []string{m("test=T% host=a $", 5)}, nil},
		{"stat", []string{m("test=T% stat=mean $", 5)}, []string{m("test=T% stat=avg $", 5)}, nil},
		{"stat added", []string{m("test=T% $", 5)}, []string{m("test=T% stat=min $", 5) + "; " + m("test=T% stat=max $", 5)}, nil},
		{"gomaxprocs", []string{m("test=T%-8 $", 5)}, []string{m("test=T%-16 $", 5)}, nil},
		{"gomaxprocs gone", []string{m("test=T%-8 $", 5)}, []string{m("test=T% $", 5)}, nil},
		{"gomaxprocs to param", []string{m("test=T%-8 $", 5)}, []string{m("test=T% cpus=8 $", 5)}, nil},
		{"cpu", []string{m("test=T% cpu=Intel_X $", 5)}, []string{m("test=T% cpu=AMD_Y $", 5)}, nil},
		{"module", []string{m("test=T% pkg=old.org/a/p% $", 5)}, []string{m("test=T% pkg=new.org/a/p% $", 5)}, nil},
		{"module one", []string{m("test=T% pkg=old.org/a $", 5)}, []string{m("test=T% pkg=new.org/a $", 5)}, nil},
		{"module gone", []string{m("test=T% pkg=old.org/a $", 5) + "; " + m("test=T% pkg=old.org/b $", 5)}, []string{m("test=T% pkg=new.org/a $", 5) + "; " + m("test=T% pkg=new.org/b $", 5)}, nil},
		{"os and added", []string{m("test=T% os=x $", 5)}, []string{m("test=T% os=y arch=z $", 5)}, nil},
		{"size n and os", []string{m("test=Sort size=% os=x $", 5)}, []string{m("test=Sort n=% os=y $", 5)}, nil},
		{"size n and added", []string{m("test=Sort size=% $", 5)}, []string{m("test=Sort n=% arch=z $", 5)}, nil},
		{"split and os", []string{m("test=Sort/% os=x $", 5)}, []string{m("test=Sort size=% os=y $", 5)}, nil},
		{"001 and os", []string{m("test=Sort size=% os=x $", 5)}, []string{m("test=Sort size=00% os=y $", 5)}, nil},
		{"-8 -16 and os", []string{m("test=T%-8 os=x $", 5)}, []string{m("test=T%-16 os=y $", 5)}, nil},
		{"-8 -16 and added", []string{m("test=T%-8 $", 5)}, []string{m("test=T%-16 os=y $", 5)}, nil},
		{"-8 -16 and 1000", []string{m("test=T%-8 $", 5)}, []string{x("test=T%-16 $", 5, 1000)}, nil},
		{"os and 1000", []string{m("test=T% os=x $", 5)}, []string{x("test=T% os=y $", 5, 1000)}, nil},
		{"gone and 1000", []string{m("test=T% os=x $", 12)}, []string{x("test=T% os=x $", 8, 1000)}, nil},
		{"hosts and gone", []string{m("test=T% host=h1 $", 9) + "; " + m("test=T% host=h2 $", 9)}, []string{m("test=T% host=g1 $", 6) + "; " + m("test=T% host=g2 $", 6)}, nil},
		{"case and os", []string{m("test=sort_% os=x $", 5)}, []string{m("test=Sort_% os=y $", 5)}, nil},
		{"case of many", []string{m("test=sort_% os=x $", 5)}, []string{m("test=Sort% os=x $", 5)}, nil},
		{"uid and os", []string{m("test=T% uid=a% os=x $", 21)}, []string{m("test=T% uid=b% os=y $", 21)}, nil},
		{"test to name", []string{m("test=T% os=x $", 5)}, []string{m("name=T% os=x $", 5)}, nil},
		{"test to name and os", []string{m("test=T% os=x $", 5)}, []string{m("name=T% os=y $", 5)}, nil},
		{"two keys", []string{m("test=T os=x cpu=q n=% $", 5)}, []string{m("test=T goos=x cpu=q size=% $", 5)}, nil},
		{"all other", []string{m("test=T% os=x $", 5)}, []string{m("test=U% os=y 900", 7)}, nil},
		{"suffix name and gone", []string{m("test=T% $", 9)}, []string{m("test=T%_v2 $", 6)}, nil},
		{"gone, renamed", []string{m("test=T% $", 9) + "; test=decode_all 5"}, []string{m("test=T% $", 6) + "; test=decode_any 5"}, nil},
		{"three stats to 0", []string{m("test=T% stat=min units=ms $", 9) + "; " + m("test=T% stat=max units=ms $", 9)}, []string{m("test=T% stat=min units=ms 0", 9) + "; " + m("test=T% stat=max units=ms $", 9)}, nil},
		{"arch gone", []string{m("test=T% arch=arm $", 9) + "; " + m("test=T% arch=x86 $", 9)}, []string{m("test=T% arch=arm $", 9)}, nil},
		{"arch gone, os", []string{m("test=T% os=p arch=arm $", 9) + "; " + m("test=T% os=p arch=x86 $", 9)}, []string{m("test=T% os=q arch=arm $", 9)}, nil},
		{"order", []string{"test=T 1"}, []string{""}, nil},
		{"order of parts", []string{m("test=Sort/n=%/type=int $", 5)}, []string{m("test=Sort/type=int/n=% $", 5)}, nil},
		{"units key", []string{m("test=T% units=ns $", 5)}, []string{m("test=T% unit=ns $", 5)}, nil},
		{"version", []string{m("test=T% go=go1.20 $", 5)}, []string{m("test=T% go=go1.21 $", 5)}, nil},
		{"one of one x1000", []string{"test=A units=ms 5"}, []string{"test=A units=ms 5100"}, nil},
		{"one of one zero", []string{"test=A 5"}, []string{"test=A 0"}, nil},
		{"os and one x 1000", []string{m("test=T% os=x $", 9) + "; test=U os=x 5"}, []string{m("test=T% os=y $", 9) + "; test=U os=y 5000"}, nil},
		{"one in stats", []string{m("test=T% stat=min $", 9) + "; test=U stat=min 5; test=U stat=max 7"}, []string{m("test=T% stat=min $", 9) + "; test=U stat=min 5000; test=U stat=max 7300"}, nil},
		{"go op", []string{m("name=T% unit=ns/op $", 9) + "; " + m("name=T% unit=B/op $", 9)}, []string{x("name=T% unit=sec/op $", 9, 1e-9) + "; " + m("name=T% unit=B/op $", 9)}, nil},
		{"two units", []string{m("name=T% unit=ns $", 9) + "; " + m("name=T% unit=B $", 9)}, []string{x("name=T% unit=us $", 9, 1e-3) + "; " + x("name=T% unit=kB $", 9, 0.001)}, nil},
		{"three causes", []string{m("test=T% os=x size=% $", 9)}, []string{m("test=T% os=y n=% arch=q $", 7)}, nil},
		{"hosts and x1000", []string{m("test=T% host=h1 $", 9) + "; " + m("test=T% host=h2 $", 9) + "; " + m("test=T% host=h3 $", 9)}, []string{x("test=T% host=g1 $", 9, 1000) + "; " + x("test=T% host=g2 $", 9, 1000) + "; " + x("test=T% host=g3 $", 9, 1000)}, nil},
		{"hosts, more", []string{m("test=T% host=h1 $", 9) + "; " + m("test=T% host=h2 $", 9)}, []string{m("test=T% host=g1 $", 9) + "; " + m("test=T% host=g2 $", 9) + "; " + m("test=T% host=g3 $", 9)}, nil},
		{"hosts, one new", []string{m("test=T% host=h1 $", 9) + "; " + m("test=T% host=h2 $", 9)}, []string{m("test=T% host=h1 $", 9) + "; " + m("test=T% host=g2 $", 9)}, nil},
		{"host, unevenly", []string{"test=a host=h1 1; test=b host=h1 2; test=c host=h2 3; test=d host=h3 3"}, []string{"test=a host=g1 1; test=b host=g2 2; test=c host=g3 3; test=d host=g1 4"}, nil},
		{"size removed and gone", []string{m("test=Sort size=% $", 3) + "; test=H size=3 1; test=G size=1 9; test=Q 1"}, []string{"test=Sort 1; test=H 1; test=Q 1"}, nil},
		{"size removed, os changed", []string{"test=Sort size=1 os=x 1; test=Sort size=2 os=x 2; test=H size=3 os=x 1"}, []string{"test=Sort os=y 1; test=H os=y 1"}, nil},
		{"config", []string{m("test=T% config=8888 $", 5)}, []string{m("test=T% config=gl $", 5) + "; " + m("test=T% config=vk $", 5)}, nil},
		{"suffix and one renamed", []string{m("test=T%-8 $", 5) + "; test=decode_all 7"}, []string{m("test=T%-16 $", 5) + "; test=decode_any 7"}, nil},
		{"merged and gone", []string{m("test=Sort size=% $", 9)}, []string{m("test=Sort/% $", 6)}, nil},
		{"split of many", []string{m("test=A/% $", 5) + "; " + m("test=B/% $", 5) + "; test=C 1"}, []string{m("test=A size=% $", 5) + "; " + m("test=B size=% $", 5) + "; test=C 1"}, nil},
		{"name to bench, size n", []string{m("name=A size=% $", 5)}, []string{m("benchmark=A n=% $", 5)}, nil},
		{"go1", []string{m("name=Sort goos=linux goarch=amd64 pkg=p cpu=Xeon n=% unit=ns/op $", 5)}, []string{m("name=Sort goos=linux goarch=arm64 pkg=p cpu=M1 n=% unit=ns/op $", 5)}, nil},
		{"suffix removed to procs", []string{m("name=Sort%-8 goos=linux unit=ns/op $", 5)}, []string{m("name=Sort% gomaxprocs=8 goos=linux unit=ns/op $", 5)}, nil},
		{"stat into test", []string{m("test=T% stat=min $", 5) + "; " + m("test=T% stat=max $", 5)}, []string{m("test=T%_min $", 5) + "; " + m("test=T%_max $", 5)}, nil},
		{"prefix pkg", []string{m("test=T% $", 5)}, []string{m("test=pkg/T% $", 5)}, nil},
		{"prefix pkg to param", []string{m("test=pkg.T% $", 5)}, []string{m("test=T% pkg=pkg $", 5)}, nil},
		{"noise", []string{m("test=T% units=ms $", 12)}, []string{x("test=T% units=ms $", 12, 1)}, nil},
		{"one 100x", []string{m("test=T% units=ms $", 12) + "; test=X units=ms 5"}, []string{m("test=T% units=ms $", 12) + "; test=X units=ms 530"}, nil},
		{"0-based", []string{m("test=T size=%0 $", 5)}, []string{m("test=T size=%0.0 $", 5)}, nil},
		{"uid 2", []string{m("test=T% uid=% $", 3)}, []string{m("test=T% uid=9% $", 3)}, nil},
		{"uid uneven", []string{m("test=T% uid=% $", 9), m("test=T% uid=4% $", 9)}, []string{m("test=T% uid=9% $", 9)}, nil},
		{"date in uid", []string{m("test=T% at=2026-11-1%T10:0%:00 $", 9)}, []string{m("test=T% at=2026-11-2%T10:0%:01 $", 9)}, nil},
		{"removed two, added one", []string{m("test=T% a=1 b=2 $", 5)}, []string{m("test=T% c=3 $", 5)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c drift.Collector
			add(t, &c, drift.Old, test.old...)
			add(t, &c, drift.New, test.new...)
			r := c.Report()
			t.Logf("## %s %v", test.name, r.HasDrifted())
			for _, reason := range r.Reasons() {
				if reason.Text != "" {
					t.Logf("    %s", reason.Text)
				}
			}
		})
	}
}
