package perfdata

import (
	"bytes"
	"slices"

	"perfdata/internal/jsonscan"
)

// unreadText has what programs that measure write as text, which no format of the module is, by parts of
// the text that nothing else has. All of them must occur.
var unreadText = [...]struct {
	parts  []string
	reason string
}{
	{[]string{"name,iterations,real_time,cpu_time,time_unit,"}, "the CSV of Google Benchmark" + wantJSON +
		"--benchmark_format=json"},
	{[]string{"Benchmark ", " Time ", " CPU ", " Iterations\n-----"}, "the output of Google Benchmark" + wantJSON +
		"--benchmark_format=json"},
	{[]string{"command,mean,stddev,median,user,system,min,max"}, "the CSV of hyperfine" + wantJSON + "--export-json"},
	{[]string{"| Command | Mean ["}, "the Markdown of hyperfine" + wantJSON + "--export-json"},
	{[]string{"Time (mean ± σ):", "Range (min … max):"}, "the output of hyperfine" + wantJSON + "--export-json"},
	{[]string{`"Benchmark","Mode","Threads","Samples","Score"`}, "the CSV of JMH" + wantJSON + "-rf json"},
	{[]string{"Benchmark ", " Mode ", " Cnt ", " Score ", " Error ", " Units\n"}, "the output of JMH" + wantJSON +
		"-rf json"},
	{[]string{"Name (time in ", "Rounds", "Iterations"}, "the output of pytest-benchmark" + wantJSON + "--benchmark-json"},
	{[]string{"BenchmarkDotNet", "[Host]"}, "a report of BenchmarkDotNet" + wantJSON + "--exporters json"},
	{[]string{" is a Catch", " host application."}, "the output of Catch2" + notRead},
	{[]string{" ops/sec ±", " runs sampled)"}, "the output of Benchmark.js" + notRead},
	{[]string{"· For project commit "}, "the output of asv" + notRead},
	{[]string{"Instructions: ", "Estimated Cycles: "}, "the output of iai or Gungraun" + notRead},
	{[]string{" user ", " system ", " total ", " real\n"}, "the output of Ruby's Benchmark" + notRead},
	{[]string{"(RunTime): ", " us."}, "the output of Dart's benchmark_harness" + notRead},
	{[]string{" time:   ["}, "the output of Criterion.rs: want its folder target/criterion, or what " +
		"cargo criterion --message-format=json writes"},
	{[]string{" ... bench: ", " ns/iter (+/- "}, "the output of Rust's libtest" + notRead},
}

const (
	wantJSON = ": want its JSON, with the option "
	notRead  = ", which is not read"
)

// unread returns the reason why an input that begins with prefix cannot be read, if it is what another
// program that measures is known to write, or the empty string. The text begins with the byte first.
func unread(prefix []byte, first byte) string {
	switch first {
	case '{':
		return unreadObject(prefix)
	case '[':
		return ""
	}
	for _, known := range unreadText {
		lacks := func(part string) bool { return !bytes.Contains(prefix, []byte(part)) }
		if !slices.ContainsFunc(known.parts, lacks) {
			return known.reason
		}
	}
	return ""
}

// unreadObject is unread for a JSON object.
func unreadObject(prefix []byte) string {
	has := map[string]jsonscan.Kind{}
	s := jsonscan.OfBytes(prefix)
	s.AllowNaN()
	outline(s, "", has)
	switch {
	case has["framework.name"] == jsonscan.String && has["suites"] == jsonscan.Array:
		return "Perfherder data" + notRead
	case has["results.epochs"] == jsonscan.Number && has["results.batch"] == jsonscan.Number:
		return "the JSON of nanobench" + notRead
	case has["testResults"] == jsonscan.Object && has["numTotalTests"] == jsonscan.Number:
		return "the JSON of Vitest before version 1" + notRead
	case has["iters"] == jsonscan.Array && has["times"] == jsonscan.Array,
		has["group_id"] == jsonscan.String && has["directory_name"] == jsonscan.String,
		has["mean.point_estimate"] == jsonscan.Number, has["Mean.point_estimate"] == jsonscan.Number:
		return "a part of a result of Criterion.rs: want the folder target/criterion that it is in"
	case has["commit_hash"] == jsonscan.String && has["results"] == jsonscan.Object:
		return "the results of one commit of asv: want the folder results that it is in, with benchmarks.json"
	case has["benchmarks.name"] == jsonscan.String && len(has) == 2:
		return "a list of benchmarks, without results"
	}
	return ""
}

// maxOutline is how many members of an object an outline has.
const maxOutline = 100

// outline notes the kinds of the members of the object ahead by their names, after the members of
// the object that it is in, which it then notes as well. For an array, it notes the members of the
// first element.
func outline(s *jsonscan.Scanner, in string, has map[string]jsonscan.Kind) {
	n := 0
	for name, kind := range s.Glance() {
		if n++; n > maxOutline {
			continue
		}
		own := in + string(name)
		has[own] = kind
		switch {
		case in != "":
		case kind == jsonscan.Object:
			outline(s, own+".", has)
		case kind == jsonscan.Array:
			outlineFirst(s, own+".", has)
		}
	}
}

// outlineFirst is outline for the first element of the array ahead.
func outlineFirst(s *jsonscan.Scanner, in string, has map[string]jsonscan.Kind) {
	first := true
	for s.EnterArray(); s.Element(); first = false {
		if first && s.Kind() == jsonscan.Object {
			outline(s, in, has)
		} else {
			s.Skip()
		}
	}
}
