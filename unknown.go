package perfdata

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/lines"
	"perfdata/internal/utf16text"
)

// otherFiles are common files that are not results, by their magic bytes.
var otherFiles = [...]struct{ magic, reason string }{
	{"\xfd7zXZ\x00", "xz data: want it decompressed, with xz -d"},
	{"\x04\x22\x4d\x18", "lz4 data: want it decompressed, with lz4 -d"},
	{"PK\x03\x04", "a ZIP archive: want the files in it"},
	{"PAR1", "a Parquet file: only the commands of perfdata read it, and only as a file"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive: want the files in it"},
	{"\xff\xfe\x00\x00", "the input is UTF-32: want UTF-8"},
	{"\x00\x00\xfe\xff", "the input is UTF-32: want UTF-8"},
}

// otherFile returns why an input that begins with prefix cannot be read, or the empty string.
func otherFile(prefix []byte) string {
	for _, other := range otherFiles {
		if bytes.HasPrefix(prefix, []byte(other.magic)) {
			return other.reason
		}
	}
	// Between the two parts is a digit: the size of the blocks.
	if len(prefix) >= 10 && string(prefix[:3]) == "BZh" && string(prefix[4:10]) == "1AY&SY" {
		return "bzip2 data: want it decompressed, with bzip2 -d"
	}
	// The magic of a tar archive follows the name, mode, owner, size and checksum of its first file.
	if len(prefix) > 257 && bytes.HasPrefix(prefix[257:], []byte("ustar")) {
		return "a tar archive: want the files in it"
	}
	return ""
}

// whyUnknown returns the reason why no format is recognized in an input that begins with prefix.
// The reason begins with "unknown format: " if the input may nevertheless have a known one.
func whyUnknown(prefix []byte) string {
	text := bytes.TrimSpace(prefix)
	start := string(bytes.ToLower(text[:min(len(text), len("<!doctype html"))]))
	switch {
	case otherFile(prefix) != "":
		return otherFile(prefix)
	case len(prefix) == 0:
		return "the input is empty"
	case len(text) == 0:
		return "the input is blank"
	case utf16text.Detect(prefix):
		return lines.ErrUTF16.Error()
	case isUnmarkedUTF16(prefix):
		return "the input is UTF-16 without a byte order mark: want UTF-8"
	case !isText(text):
		return "the input is not text"
	case start == "<!doctype html" || strings.HasPrefix(start, "<html"): // which servers send in place of a file
		return "an HTML page: want a file of results"
	case text[0] != '{' && text[0] != '[' && len(prefix)-bytes.LastIndexByte(prefix, '\n') > maxSniffedLine:
		return fmt.Sprintf("unknown format: line %d is longer than %d MiB, and the lines after it are not looked at",
			bytes.Count(prefix, []byte("\n"))+1, maxSniffedLine>>20)
	}

	if reason := unread(text, text[0]); reason != "" {
		return reason
	}
	return "unknown format: " + likeliest(prefix, text[0])
}

// likeliest returns why the format that an input is most like does not recognize it. The text begins
// with the byte first.
func likeliest(prefix []byte, first byte) string {
	var best format.Match
	for _, f := range known {
		if f.Detect != nil {
			if m := f.Detect(prefix); m.Likely > best.Likely {
				best = m
			}
		}
	}

	switch {
	case best.Reason != "":
		return best.Reason
	case first == '{':
		s := jsonscan.OfBytes(prefix)
		s.AllowNaN()
		for range s.Glance() {
			// The error, if there is one, ends the loop.
		}
		if fault := jsondoc.SyntaxError(s); fault != nil {
			return fmt.Sprintf("invalid JSON in line %d, column %d: %s", fault.Line, fault.Column, fault.Message)
		}
		return "a JSON object without any known member, such as version, gitHash or resources"
	case first == '[':
		return "a JSON array whose elements are of no known format"
	}
	for _, begin := range [...]string{"\n{", "\n[{", "\n[\n"} {
		if before, _, ok := bytes.Cut(prefix, []byte(begin)); ok {
			return fmt.Sprintf("text, and maybe JSON from line %d: want the JSON alone", bytes.Count(before, []byte("\n"))+2)
		}
	}
	return "no line is a benchmark result or a keyval"
}

// isUnmarkedUTF16 reports whether every other byte is zero, and no other is: text in UTF-16 whose
// characters are all of ASCII.
func isUnmarkedUTF16(prefix []byte) bool {
	var zeros [2]int
	for i, c := range prefix {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(prefix) / 2
	return half > 1 && (zeros == [2]int{0, half} || zeros == [2]int{(len(prefix) + 1) / 2, 0})
}

// isText reports whether a text has no control characters except usual ones. Its last character
// may be incomplete.
func isText(text []byte) bool {
	if i := chars.InvalidUTF8(text); utf8.FullRune(text[i:]) {
		return false
	}
	const escape = 0x1b // begins a color code of a terminal, which logs may have
	return !bytes.ContainsFunc(text, func(c rune) bool { return c < '\b' || '\r' < c && c < ' ' && c != escape })
}

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
	{[]string{"AnalyzeLaunchVariance", "Mean"}, "the CSV of BenchmarkDotNet" + wantJSON + "--exporters json"},
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
	{[]string{"Benchmark", " ns/op"}, "unknown format: Go benchmarks after other text: want them where lines begin"},
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
