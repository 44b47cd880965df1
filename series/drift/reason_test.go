package drift_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/series"
	"perfdata/series/drift"
	"perfdata/traceid"
)

// expand returns the files of a set, which are separated by " | ". A line that begins with a
// number n stands for n benchmarks: % is the number of each, and $ its value. With a factor after
// it, as in $1000, the value is multiplied by that, and has noise of 3%.
func expand(set string) []string {
	files := strings.Split(set, " | ")
	for i, file := range files {
		var lines []string
		for line := range strings.SplitSeq(file, "; ") {
			n := 0
			if _, err := fmt.Sscan(line, &n); err != nil {
				lines = append(lines, line)
				continue
			}
			_, line, _ = strings.Cut(line, " ")
			line, text, hasValue := strings.Cut(line, "$")
			factor, noise := 1.0, 0.0
			if _, err := fmt.Sscan(text, &factor); err == nil {
				noise = 0.03
			}
			for j := range n {
				value := ""
				if hasValue {
					value = fmt.Sprint(float64(j*j+3) * 1.7 * factor * (1 + noise*float64(j*7%5-2)))
				}
				lines = append(lines, strings.ReplaceAll(line, "%", fmt.Sprint(j))+value)
			}
		}
		files[i] = strings.Join(lines, "; ")
	}
	return files
}

// texts returns the lines for people.
func texts(r *drift.Report) []string {
	var all []string
	for _, reason := range r.Reasons() {
		if reason.Text != "" {
			all = append(all, reason.Text)
		}
	}
	return all
}

// Each cause is one line, alone and among others. Without a line, nothing drifted.
func TestReasons(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new string
		want     []string
	}{
		{"times 1000", "12 test=T% units=ms $", "12 test=T% units=ms $1000",
			[]string{"values of all 12 series are multiplied by 1000, under the same unit"}},
		{"times 1024", "12 test=T% units=ms $", "12 test=T% units=ms $1024",
			[]string{"values of all 12 series are multiplied by 1024, under the same unit"}},
		{"div 8", "12 test=T% units=ms $", "12 test=T% units=ms $0.125",
			[]string{"values of all 12 series are divided by 8, under the same unit"}},
		{"times 10", "12 test=T% units=ms $", "12 test=T% units=ms $10",
			[]string{"values of all 12 series are multiplied by 10, under the same unit"}},
		{"times 60", "12 test=T% units=ms $", "12 test=T% units=ms $60",
			[]string{"values of all 12 series are multiplied by 60, under the same unit"}},
		{"times 2", "12 test=T% units=ms $", "12 test=T% units=ms $2", nil},
		{"times 30", "12 test=T% units=ms $", "12 test=T% units=ms $30", nil},
		{"one 1e6", "12 test=T% units=ms $; test=X units=ms 5", "12 test=T% units=ms $; test=X units=ms 5100000",
			[]string{"values of 1 series with test=X are multiplied by 1000000, under the same unit"}},
		{"one 10 slower", "12 test=T% units=ms $; test=X units=ms 5", "12 test=T% units=ms $; test=X units=ms 50", nil},
		{"one unit", "12 test=T% units=ms $; 12 test=T% units=B $",
			"12 test=T% units=ms $; 12 test=T% units=B $1024",
			[]string{"values of 12 series with units=B are multiplied by 1024, under the same unit"}},
		{"three 1000", "12 test=T% units=ms $; 5 test=U% units=ms $",
			"12 test=T% units=ms $; 5 test=U% units=ms $1000",
			[]string{"values of 5 series with test=U0, U1, U2, U3, U4 are multiplied by 1000, under the same unit"}},
		{"zeros", "12 test=T% units=ms $", "12 test=T% units=ms 0",
			[]string{"values of all 12 series are 0 now, and were not before"}},
		{"one zero", "12 test=T% units=ms $", "11 test=T% units=ms $; test=T11 units=ms 0",
			[]string{"values of 1 series with test=T11 are 0 now, and were not before"}},
		{"one zero among x0.001", "12 test=T% units=B $", "11 test=T% units=B $0.001; test=T11 units=B 0",
			[]string{"values of 11 of 12 series are divided by 1000, under the same unit"}},
		{"allocs zero", "3 test=T% units=ms $; 3 test=T% units=allocs $",
			"3 test=T% units=ms $; 3 test=T% units=allocs 0", nil},
		{"all zero but also before", "3 test=T% units=ms 0", "3 test=T% units=ms 0", nil},
		{"uid in every record", "21 test=T% uid=a% $", "21 test=T% uid=b% $",
			[]string{"param uid has another value in every record"}},
		{"uid two files", "9 test=T% uid=a% $ | 9 test=T% uid=c% $", "9 test=T% uid=b% $ | 9 test=T% uid=d% $",
			[]string{"param uid has another value in every record"}},
		{"uid no test", "21 bench=T% uid=a% $", "21 bench=T% uid=b% $",
			[]string{"param uid has another value in every record"}},
		{"uid and time", "21 test=T% uid=a% at=10% $", "21 test=T% uid=b% at=11% $",
			[]string{"param at has another value in every record", "param uid has another value in every record"}},
		{"size n", "5 test=Sort size=% $", "5 test=Sort n=% $",
			[]string{"param size is now n in 5 series"}},
		{"size n, unchanged", "5 test=Sort size=% $; test=X size=1 1", "5 test=Sort n=% $; test=X size=1 1",
			[]string{"param size is now n in 5 series"}},
		{"go n size", "5 test=Sort/n=%-8 $", "5 test=Sort/size=%-8 $",
			[]string{"renamed: n= in test is now size= in 5 series"}},
		{"go n one", "test=Sort/n=64-8 5; test=X 1", "test=Sort/size=64-8 5; test=X 1",
			[]string{"renamed: n= in test is now size= in 1 series"}},
		{"go name n size", "5 name=Sort/n=% unit=ns $; 5 name=Hash/n=% unit=ns $",
			"5 name=Sort/size=% unit=ns $; 5 name=Hash/size=% unit=ns $",
			[]string{"renamed: n= in name is now size= in 10 series"}},
		{"split", "5 test=Sort/% $", "5 test=Sort size=% $",
			[]string{"param size was a part of test in 5 series, such as Sort/0"}},
		{"split one", "test=Sort/64 5", "test=Sort size=64 5",
			[]string{"param size was a part of test in 1 series, such as Sort/64"}},
		{"merged", "5 test=Sort size=% $", "5 test=Sort/% $",
			[]string{"param size is now a part of test in 5 series, such as Sort/0"}},
		{"merged =", "5 test=Sort size=% $; test=X 1", "5 test=Sort/size=% $; test=X 1",
			[]string{"param size is now a part of test in 5 series, such as Sort/size=0"}},
		{"merged and one added", "5 test=Sort size=% $", "5 test=Sort/% os=linux $",
			[]string{"added to series that vanished otherwise: os", "param size is now a part of test in 5 series, such as Sort/0"}},
		{"merged and one changed", "5 test=Sort size=% os=a $", "5 test=Sort/% os=b $",
			[]string{"param os changed from a to b in 5 series", "param size is now a part of test in 5 series, such as Sort/0"}},
		{"merged two", "5 test=Sort size=% type=int $", "5 test=Sort<int>/% $",
			[]string{"param size is now a part of test in 5 series, such as Sort<int>/0",
				"param type is now a part of test in 5 series, such as Sort<int>/0"}},
		{"001", "5 test=Sort size=% $", "5 test=Sort size=00% $",
			[]string{"param size is spelled in another way in 5 series: 0 is now 000"}},
		{"1.0", "test=Sort size=1 5", "test=Sort size=1.0 5",
			[]string{"param size is spelled in another way in 1 series: 1 is now 1.0"}},
		{"Linux", "5 test=T% os=linux $", "5 test=T% os=Linux $",
			[]string{"param os is spelled in another way in 5 series: linux is now Linux"}},
		{"hosts", "test=a host=h1 1; test=b host=h2 2; test=c host=h3 3",
			"test=a host=g1 1; test=b host=g2 2; test=c host=g3 3",
			[]string{"param host: 3 values were replaced by 3 others in 3 series, such as h1 by g1"}},
		{"hosts mixed",
			"test=a host=h1 1; test=b host=h2 2; test=c host=h3 3 | test=a host=h2 1; test=b host=h1 2; test=c host=h3 3",
			"test=a host=g3 1; test=b host=g1 2; test=c host=g2 3",
			[]string{"param host: 3 values were replaced by 3 others in 5 series, such as h1 by g1"}},
		{"hosts all", "14 test=T% host=h1 $; 14 test=T% host=h2 $; 14 test=T% host=h3 $",
			"14 test=T% host=g1 $; 14 test=T% host=g2 $; 14 test=T% host=g3 $",
			[]string{"param host: 3 values were replaced by 3 others in 42 series, such as h1 by g1"}},
		{"os and gone", "20 test=T% os=x $", "10 test=T% os=y $",
			[]string{"param os changed from x to y in 10 series",
				"vanished: 10 series with test=T10, T11, T12, T13, T14, T15, T16, T17, T18, T19"}},
		{"os and one gone", "20 test=T% os=x $", "19 test=T% os=y $",
			[]string{"param os changed from x to y in 19 series", "vanished: 1 series with test=T19"}},
		{"size removed", "test=Sort size=1 1; test=Sort size=2 2; test=H size=3 1", "test=Sort 1; test=H 1",
			[]string{"removed from series that vanished otherwise: size; " +
				"benchmarks that differ only in size now share one ID"}},
		{"size removed and there", "test=Sort size=1 1; test=Sort 2; test=H 1", "test=Sort 1; test=H 1",
			[]string{"removed from series that vanished otherwise: size; " +
				"benchmarks that differ only in size now share one ID"}},
		{"split in two", "test=Sort 1; test=H 1", "test=Sort mode=a 1; test=Sort mode=b 2; test=H 1",
			[]string{"added to series that vanished otherwise: mode; benchmarks that differ only in mode were one series"}},
		{"prefix", "5 test=T% $", "5 test=BenchmarkT% $",
			[]string{`renamed: the beginning of test changed from "" to "Benchmark" in 5 series`}},
		{"ns us", "5 test=T% units=ns $", "5 test=T% units=us $0.001",
			[]string{"param units changed from ns to us in 5 series; values are multiplied by 0.001"}},
		{"Host host", "5 test=T% Host=a $", "5 test=T% host=a $",
			[]string{"param Host is now host in 5 series"}},
		{"stat", "5 test=T% stat=mean $", "5 test=T% stat=avg $",
			[]string{"param stat changed from mean to avg in 5 series"}},
		{"stat added", "5 test=T% $", "5 test=T% stat=min $; 5 test=T% stat=max $",
			[]string{"added to series that vanished otherwise: stat; benchmarks that differ only in stat were one series"}},
		{"gomaxprocs", "5 test=T%-8 $", "5 test=T%-16 $",
			[]string{`renamed: the end of test changed from "-8" to "-16" in 5 series`}},
		{"gomaxprocs gone", "5 test=T%-8 $", "5 test=T% $",
			[]string{`renamed: the end of test changed from "-8" to "" in 5 series`}},
		{"gomaxprocs to param", "5 test=T%-8 $", "5 test=T% cpus=8 $",
			[]string{"param cpus was a part of test in 5 series, such as T0-8"}},
		{"cpu", "5 test=T% cpu=Intel_X $", "5 test=T% cpu=AMD_Y $",
			[]string{"param cpu changed from Intel_X to AMD_Y in 5 series"}},
		{"module", "5 test=T% pkg=old.org/a/p% $", "5 test=T% pkg=new.org/a/p% $",
			[]string{"param pkg: old is now new in 5 values and 5 series, such as old.org/a/p0 by new.org/a/p0"}},
		{"module one", "5 test=T% pkg=old.org/a $", "5 test=T% pkg=new.org/a $",
			[]string{"param pkg changed from old.org/a to new.org/a in 5 series"}},
		{"module gone", "5 test=T% pkg=old.org/a $; 5 test=T% pkg=old.org/b $",
			"5 test=T% pkg=new.org/a $; 5 test=T% pkg=new.org/b $",
			[]string{"param pkg changed from old.org/a to new.org/a in 5 series",
				"param pkg changed from old.org/b to new.org/b in 5 series"}},
		{"os and added", "5 test=T% os=x $", "5 test=T% os=y arch=z $",
			[]string{"added to series that vanished otherwise: arch", "param os changed from x to y in 5 series"}},
		{"size n and os", "5 test=Sort size=% os=x $", "5 test=Sort n=% os=y $",
			[]string{"param os changed from x to y in 5 series", "param size is now n in 5 series"}},
		{"size n and added", "5 test=Sort size=% $", "5 test=Sort n=% arch=z $",
			[]string{"added to series that vanished otherwise: arch", "param size is now n in 5 series"}},
		{"split and os", "5 test=Sort/% os=x $", "5 test=Sort size=% os=y $",
			[]string{"param os changed from x to y in 5 series",
				"param size was a part of test in 5 series, such as Sort/0"}},
		{"001 and os", "5 test=Sort size=% os=x $", "5 test=Sort size=00% os=y $",
			[]string{"param os changed from x to y in 5 series",
				"param size is spelled in another way in 5 series: 0 is now 000"}},
		{"-8 -16 and os", "5 test=T%-8 os=x $", "5 test=T%-16 os=y $",
			[]string{"param os changed from x to y in 5 series",
				`renamed: the end of test changed from "-8" to "-16" in 5 series`}},
		{"-8 -16 and added", "5 test=T%-8 $", "5 test=T%-16 os=y $",
			[]string{"added to series that vanished otherwise: os",
				`renamed: the end of test changed from "-8" to "-16" in 5 series`}},
		{"-8 -16 and 1000", "5 test=T%-8 $", "5 test=T%-16 $1000",
			[]string{"values of all 5 series are multiplied by 1000, under the same unit",
				`renamed: the end of test changed from "-8" to "-16" in 5 series`}},
		{"os and 1000", "5 test=T% os=x $", "5 test=T% os=y $1000",
			[]string{"param os changed from x to y in 5 series",
				"values of all 5 series are multiplied by 1000, under the same unit"}},
		{"gone and 1000", "12 test=T% os=x $", "8 test=T% os=x $1000",
			[]string{"values of all 8 series are multiplied by 1000, under the same unit",
				"vanished: 4 series with test=T8, T9, T10, T11"}},
		{"hosts and gone", "9 test=T% host=h1 $; 9 test=T% host=h2 $", "6 test=T% host=g1 $; 6 test=T% host=g2 $",
			[]string{"param host changed from h1 to g1 in 6 series",
				"param host changed from h2 to g2 in 6 series", "vanished: 6 series with test=T6, T7, T8"}},
		{"case and os", "5 test=sort_% os=x $", "5 test=Sort_% os=y $",
			[]string{"param os changed from x to y in 5 series",
				"renamed: 5 values of test differ only in case, punctuation or order, such as sort_0, which is now Sort_0"}},
		{"case of many", "5 test=sort_% os=x $", "5 test=Sort% os=x $",
			[]string{"renamed: 5 values of test differ only in case, punctuation or order, " +
				"such as sort_0, which is now Sort0"}},
		{"uid and os", "21 test=T% uid=a% os=x $", "21 test=T% uid=b% os=y $",
			[]string{"param uid has another value in every record", "param os changed from x to y in 21 series"}},
		{"test to name", "5 test=T% os=x $", "5 name=T% os=x $",
			[]string{"param test is now name in 5 series"}},
		{"test to name and os", "5 test=T% os=x $", "5 name=T% os=y $",
			[]string{"param os changed from x to y in 5 series", "param test is now name in 5 series"}},
		{"two keys", "5 test=T os=x cpu=q n=% $", "5 test=T goos=x cpu=q size=% $",
			[]string{"param n is now size in 5 series", "param os is now goos in 5 series"}},
		{"all other", "5 test=T% os=x $", "7 test=U% os=y 900",
			[]string{"vanished: 5 series with os=x", "appeared: 7 series with os=y"}},
		{"suffix name and gone", "9 test=T% $", "6 test=T%_v2 $",
			[]string{`renamed: the end of test changed from "" to "_v2" in 6 series`,
				"vanished: 3 series with test=T6, T7, T8"}},
		{"gone, renamed", "9 test=T% $; test=decode_all 5", "6 test=T% $; test=decode_any 5",
			[]string{"renamed: test decode_all is now decode_any", "vanished: 3 series with test=T6, T7, T8"}},
		{"three stats to 0", "9 test=T% stat=min units=ms $; 9 test=T% stat=max units=ms $",
			"9 test=T% stat=min units=ms 0; 9 test=T% stat=max units=ms $",
			[]string{"values of 9 series with stat=min are 0 now, and were not before"}},
		{"arch gone", "9 test=T% arch=arm $; 9 test=T% arch=x86 $", "9 test=T% arch=arm $",
			[]string{"vanished: 9 series with arch=x86"}},
		{"arch gone, os", "9 test=T% os=p arch=arm $; 9 test=T% os=p arch=x86 $", "9 test=T% os=q arch=arm $",
			[]string{"param os changed from p to q in 9 series", "vanished: 9 series with arch=x86"}},
		{"order", "test=T 1", "",
			[]string{"new files without measurements: 1, such as 0.json", "vanished: all 1 series"}},
		{"order of parts", "5 test=Sort/n=%/type=int $", "5 test=Sort/type=int/n=% $",
			[]string{"renamed: 5 values of test differ only in case, punctuation or order, " +
				"such as Sort/n=0/type=int, which is now Sort/type=int/n=0"}},
		{"units key", "5 test=T% units=ns $", "5 test=T% unit=ns $",
			[]string{"param units is now unit in 5 series"}},
		{"version", "5 test=T% go=go1.20 $", "5 test=T% go=go1.21 $",
			[]string{"param go changed from go1.20 to go1.21 in 5 series"}},
		{"one of one x1000", "test=A units=ms 5", "test=A units=ms 5100",
			[]string{"values of all 1 series are multiplied by 1000, under the same unit"}},
		{"one of one zero", "test=A 5", "test=A 0",
			[]string{"values of all 1 series are 0 now, and were not before"}},
		{"os and one x 1000", "9 test=T% os=x $; test=U os=x 5", "9 test=T% os=y $; test=U os=y 5000",
			[]string{"param os changed from x to y in 10 series",
				"values of 1 series with test=U are multiplied by 1000, under the same unit"}},
		{"one in stats", "9 test=T% stat=min $; test=U stat=min 5; test=U stat=max 7",
			"9 test=T% stat=min $; test=U stat=min 5000; test=U stat=max 7300",
			[]string{"values of 2 series with test=U are multiplied by 1000, under the same unit"}},
		{"go op", "9 name=T% unit=ns/op $; 9 name=T% unit=B/op $",
			"9 name=T% unit=sec/op $1e-9; 9 name=T% unit=B/op $",
			[]string{"param unit changed from ns/op to sec/op in 9 series; values are multiplied by 1e-09"}},
		{"two units", "9 name=T% unit=ns $; 9 name=T% unit=B $",
			"9 name=T% unit=us $1e-3; 9 name=T% unit=kB $0.001",
			[]string{"param unit changed from B to kB in 9 series; values are multiplied by 0.001",
				"param unit changed from ns to us in 9 series; values are multiplied by 0.001"}},
		{"three causes", "9 test=T% os=x size=% $", "7 test=T% os=y n=% arch=q $",
			[]string{"added to series that vanished otherwise: arch", "param os changed from x to y in 7 series",
				"param size is now n in 7 series", "vanished: 2 series with test=T7, T8"}},
		{"hosts and x1000", "9 test=T% host=h1 $; 9 test=T% host=h2 $; 9 test=T% host=h3 $",
			"9 test=T% host=g1 $1000; 9 test=T% host=g2 $1000; 9 test=T% host=g3 $1000",
			[]string{"param host: 3 values were replaced by 3 others in 27 series, such as h1 by g1",
				"values of all 27 series are multiplied by 1000, under the same unit"}},
		{"hosts, more", "9 test=T% host=h1 $; 9 test=T% host=h2 $",
			"9 test=T% host=g1 $; 9 test=T% host=g2 $; 9 test=T% host=g3 $",
			[]string{"param host: 2 values were replaced by 3 others in 18 series, such as h1 by g1"}},
		{"hosts, one new", "9 test=T% host=h1 $; 9 test=T% host=h2 $", "9 test=T% host=h1 $; 9 test=T% host=g2 $",
			[]string{"param host changed from h2 to g2 in 9 series"}},
		{"host, unevenly", "test=a host=h1 1; test=b host=h1 2; test=c host=h2 3; test=d host=h3 3",
			"test=a host=g1 1; test=b host=g2 2; test=c host=g3 3; test=d host=g1 4",
			[]string{"param host: 3 values were replaced by 3 others in 4 series, such as h1 by g1"}},
		{"size removed and gone", "3 test=Sort size=% $; test=H size=3 1; test=G size=1 9; test=Q 1",
			"test=Sort 1; test=H 1; test=Q 1",
			[]string{"removed from series that vanished otherwise: size; benchmarks that differ only in size now share one ID",
				"vanished: 1 series with test=G"}},
		{"size removed, os changed", "test=Sort size=1 os=x 1; test=Sort size=2 os=x 2; test=H size=3 os=x 1",
			"test=Sort os=y 1; test=H os=y 1",
			[]string{"removed from series that vanished otherwise: size; benchmarks that differ only in size now share one ID",
				"param os changed from x to y in 3 series"}},
		{"config", "5 test=T% config=8888 $", "5 test=T% config=gl $; 5 test=T% config=vk $",
			[]string{"param config: 1 value was replaced by 2 others in 5 series, such as 8888 by gl"}},
		{"suffix and one renamed", "5 test=T%-8 $; test=decode_all 7", "5 test=T%-16 $; test=decode_any 7",
			[]string{"renamed: test decode_all is now decode_any",
				`renamed: the end of test changed from "-8" to "-16" in 5 series`}},
		{"merged and gone", "9 test=Sort size=% $", "6 test=Sort/% $",
			[]string{"param size is now a part of test in 6 series, such as Sort/0",
				"vanished: 3 series with test=Sort"}},
		{"split of many", "5 test=A/% $; 5 test=B/% $; test=C 1", "5 test=A size=% $; 5 test=B size=% $; test=C 1",
			[]string{"param size was a part of test in 10 series, such as A/0"}},
		{"name to bench, size n", "5 name=A size=% $", "5 benchmark=A n=% $",
			[]string{"param name is now benchmark in 5 series", "param size is now n in 5 series"}},
		{"go1", "5 name=Sort goos=linux goarch=amd64 pkg=p cpu=Xeon n=% unit=ns/op $",
			"5 name=Sort goos=linux goarch=arm64 pkg=p cpu=M1 n=% unit=ns/op $",
			[]string{"param cpu changed from Xeon to M1 in 5 series",
				"param goarch changed from amd64 to arm64 in 5 series"}},
		{"suffix removed to procs", "5 name=Sort%-8 goos=linux unit=ns/op $",
			"5 name=Sort% gomaxprocs=8 goos=linux unit=ns/op $",
			[]string{"param gomaxprocs was a part of name in 5 series, such as Sort0-8"}},
		{"stat into test", "5 test=T% stat=min $; 5 test=T% stat=max $", "5 test=T%_min $; 5 test=T%_max $",
			[]string{"param stat is now a part of test in 10 series, such as T0_min"}},
		{"prefix pkg", "5 test=T% $", "5 test=pkg/T% $",
			[]string{`renamed: the beginning of test changed from "" to "pkg/" in 5 series`}},
		{"prefix pkg to param", "5 test=pkg.T% $", "5 test=T% pkg=pkg $",
			[]string{"param pkg was a part of test in 5 series, such as pkg.T0"}},
		{"noise", "12 test=T% units=ms $", "12 test=T% units=ms $1", nil},
		{"one 100x", "12 test=T% units=ms $; test=X units=ms 5", "12 test=T% units=ms $; test=X units=ms 530", nil},
		{"0-based", "5 test=T size=%0 $", "5 test=T size=%0.0 $",
			[]string{"param size is spelled in another way in 5 series: 00 is now 00.0"}},
		{"uid 2", "3 test=T% uid=% $", "3 test=T% uid=9% $",
			[]string{"param uid: 3 values were replaced by 3 others in 3 series, such as 0 by 90"}},
		{"uid uneven", "9 test=T% uid=% $ | 9 test=T% uid=4% $", "9 test=T% uid=9% $",
			[]string{"param uid has another value in every record"}},
		{"date in uid", "9 test=T% at=2026-11-1%T10:0%:00 $", "9 test=T% at=2026-11-2%T10:0%:01 $",
			[]string{"param at has another value in every record"}},
		{"removed two, added one", "5 test=T% a=1 b=2 $", "5 test=T% c=3 $",
			[]string{"added to series that vanished otherwise: c",
				"removed from series that vanished otherwise: a, b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c drift.Collector
			add(t, &c, series.Old, expand(test.old)...)
			add(t, &c, series.New, expand(test.new)...)
			r := c.Report()
			if diff := cmp.Diff(test.want, texts(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if r.HasDrifted() != (test.want != nil) {
				t.Errorf("drifted: %v", r.HasDrifted())
			}
		})
	}
}

// Values are quoted if people do not see their difference.
func TestQuotes(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new traceid.Params
		want     string
	}{
		{"trailing blank", traceid.Of("test", "BM_Sort"), traceid.Of("test", "BM_Sort "),
			`renamed: test BM_Sort is now "BM_Sort "`},
		{"zero width", traceid.Of("test", "Sort"), traceid.Of("test", "Sort\u200b"),
			`renamed: test Sort is now "Sort\u200b"`},
		{"case", traceid.Of("test", "sort"), traceid.Of("test", "Sort"), `renamed: test sort is now Sort`},
		{"blank of a param", traceid.Of("test", "a", "os", "x"), traceid.Of("test", "a", "os", "x "),
			`param os is spelled in another way in 1 series: x is now "x "`},
		{"empty", traceid.Of("test", "a", "os", "x"), traceid.Of("test", "a", "os", ""),
			`param os changed from x to "" in 1 series`},
		{"control character", traceid.Of("test", "a"), traceid.Of("test", "a\x1b"), `renamed: test a is now "a\x1b"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c drift.Collector
			c.File(series.Old, "a")
			c.Add(test.old, 1)
			c.File(series.New, "b")
			c.Add(test.new, 1)
			if diff := cmp.Diff([]string{test.want}, texts(c.Report())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEmptyNames(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string
		want  string
	}{
		{"none has a name", []string{""}, "new files without measurements: 1"},
		{"the second has one", []string{"", "b.json"}, "new files without measurements: 2, such as b.json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c drift.Collector
			for _, name := range test.files {
				c.File(series.New, name)
			}
			if diff := cmp.Diff([]string{test.want}, texts(c.Report())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A kind has 20 Reasons, and one that says how many there are more.
func TestMoreReasons(t *testing.T) {
	var c drift.Collector
	var pairs []string
	for i := range 30 {
		pairs = append(pairs, fmt.Sprintf("test=b key%d=x%d 1", i, i))
	}
	add(t, &c, series.Old, strings.Join(pairs, "; "))
	add(t, &c, series.New, strings.ReplaceAll(strings.Join(pairs, "; "), "=x", "=y"))
	kinds := make(map[string]int)
	var last drift.Reason
	for _, reason := range c.Report().Reasons() {
		if kinds[reason.Kind]++; reason.Kind == "more" {
			last = reason
		}
	}
	want := drift.Reason{Kind: "more", Key: "changed", To: "10", Text: "10 more changes of params"}
	if diff := cmp.Diff(want, last); diff != "" || kinds["changed"] != 20 {
		t.Errorf("%v (-want +got):\n%s", kinds, diff)
	}
}
