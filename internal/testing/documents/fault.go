package documents

import (
	"strings"
	"unicode"
)

// A fault changes one part of a document. The function change returns the new text of the part, or
// false if the fault cannot be made in it.
type fault struct {
	name   string
	kinds  []kind
	change func(g *generator, part string) (string, bool)
}

// become returns a change that replaces the part by one of the texts.
func become(texts ...string) func(*generator, string) (string, bool) {
	return func(g *generator, _ string) (string, bool) { return g.pick(texts...), true }
}

// insert returns a change that inserts one of the texts before byte at of the part. If at is
// negative, it counts from the end.
func insert(at int, texts ...string) func(*generator, string) (string, bool) {
	return func(g *generator, part string) (string, bool) {
		at := at
		if at < 0 {
			at += len(part) + 1
		}
		if at < 0 || at > len(part) {
			return "", false
		}
		return part[:at] + g.pick(texts...) + part[at:], true
	}
}

// cut returns the part without its last byte.
func cut(_ *generator, part string) (string, bool) { return part[:len(part)-1], true }

// twice returns a change that repeats the part after a separator.
func twice(separator string) func(*generator, string) (string, bool) {
	return func(_ *generator, part string) (string, bool) { return part + separator + part, true }
}

// number restricts a change to numbers.
func number(change func(*generator, string) (string, bool)) func(*generator, string) (string, bool) {
	return func(g *generator, part string) (string, bool) {
		if !strings.ContainsAny(part, "0123456789") {
			return "", false
		}
		return change(g, part)
	}
}

var (
	onlyDocument  = []kind{wholeDocument}
	jsonTexts     = []kind{jsonString, jsonName}
	jsonBrackets  = []kind{jsonObject, jsonArray}
	jsonValues    = []kind{jsonObject, jsonArray, jsonString, jsonLiteral}
	notUTF8       = insert(1, "\xff", "\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82")
	notUTF8AtEnd  = insert(-1, "\xff", "\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82")
	malformed     = []string{"1x", "1,5", "--1", "1e", ".", "+-1", "one"}
	outOfRange    = []string{"1e999", "-1e999", "9" + strings.Repeat("0", 400)}
	byteOrderMark = "\xff\xfe"
)

// jsonFaults are the faults in documents of the JSON formats.
var jsonFaults = []fault{
	{"truncated", onlyDocument, func(g *generator, text string) (string, bool) {
		return text[:g.Below(strings.LastIndexAny(text, "]}"))], true
	}},
	{"data after the document", onlyDocument, insert(-1, "]", "}", ",", "{}", " 0", "\x00", "x")},
	{"byte order mark of UTF-16", onlyDocument, insert(0, byteOrderMark)},

	{"missing comma", []kind{jsonComma}, become(" ")},
	{"two commas", []kind{jsonComma}, twice("")},
	{"semicolon for a comma", []kind{jsonComma}, become(";")},
	{"comment", []kind{jsonComma}, insert(-1, "//\n", "/* */", "#\n")},
	{"missing colon", []kind{jsonColon}, become(" ", "=")},
	{"missing bracket", jsonBrackets, cut},
	{"comma before a bracket", jsonBrackets, insert(-2, ",")},
	{"wrong bracket", jsonBrackets, func(_ *generator, part string) (string, bool) {
		return part[:len(part)-1] + map[byte]string{'}': "]", ']': "}"}[part[len(part)-1]], true
	}},

	{"missing quote", jsonTexts, cut},
	{"single quotes", jsonTexts, func(_ *generator, part string) (string, bool) {
		return "'" + part[1:len(part)-1] + "'", true
	}},
	{"control character in a string", jsonTexts, insert(1, "\n", "\t", "\x00", "\x1f")},
	{"malformed escape", jsonTexts, insert(1, `\x41`, `\u12`, `\u00g0`, `\'`, `\`+"\n")},
	{"lone surrogate", jsonTexts, insert(1, `\ud800`, `\udc00`, `\ud800\ud800`)},
	{"invalid UTF-8", jsonTexts, notUTF8},

	{"malformed number", []kind{jsonLiteral}, number(insert(0, "0", "+", "--", ".", "0x", "1."))},
	{"malformed number", []kind{jsonLiteral}, number(insert(-1, "e", "e+", ".", "x", "_0", "%"))},
	{"number out of range", []kind{jsonLiteral}, number(become(outOfRange...))},
	{"not a number", []kind{jsonLiteral}, number(become("NaN", "Infinity", "-Infinity", "nan", "inf", "None", "nil"))},

	{"value of another type", jsonValues, become(`"x"`, `1`, `true`, `{}`, `[]`, `["x"]`, `{"x":1}`)},
	{"null", jsonValues, become("null")},
	{"duplicate member", []kind{jsonMember}, twice(",")},
	{"missing member", []kind{jsonRemovable}, become("")},
	{"misspelled name", []kind{jsonName}, insert(1, "x", " ", "_")},
	{"name in another case", []kind{jsonName}, func(_ *generator, part string) (string, bool) {
		c := rune(part[1])
		return `"` + string(unicode.ToUpper(c)) + part[2:], unicode.IsLower(c)
	}},
}

// skiav1Faults are further faults in files of the Skia Perf format, version 1.
var skiav1Faults = []fault{
	{"duplicate result", []kind{jsonElement}, func(_ *generator, part string) (string, bool) {
		return part + "," + part, strings.HasPrefix(part, "{")
	}},
	{"other version", []kind{jsonMember}, func(g *generator, part string) (string, bool) {
		i := strings.LastIndexByte(part, '1')
		return part[:max(i, 0)] + g.pick("2", "0", "11", "1.5", `"1"`), i > 0 && strings.HasPrefix(part, `"version"`)
	}},
}

// benchFaults are the faults in Go benchmark data.
var benchFaults = []fault{
	{"byte order mark of UTF-16", onlyDocument, insert(0, byteOrderMark)},
	{"malformed iterations", []kind{benchIterations}, insert(-1, "x", ".5", "e3", "_0")},
	{"iterations out of range", []kind{benchIterations}, become("0", "-1", "99999999999999999999")},
	{"malformed value", []kind{benchValue}, become(malformed...)},
	{"value out of range", []kind{benchValue}, become(outOfRange...)},
	{"missing value", []kind{benchValue}, become("")},
	{"missing unit", []kind{benchUnit}, become("")},
	{"missing values", []kind{benchValues}, become("")},
	{"invalid UTF-8", []kind{benchUnit, benchConfig}, notUTF8AtEnd},
	{"malformed metadata", []kind{benchMetadata}, become("better", "=", "better lower")},
	{"repeated metadata with another value", []kind{benchMetadata}, insert(-1, " better=x")},
}

// keyvalFaults are the faults in perf keyvals.
var keyvalFaults = []fault{
	{"byte order mark of UTF-16", onlyDocument, insert(0, byteOrderMark)},
	{"missing =", []kind{keyvalEqual}, become("", ":", " ")},
	{"unknown tag", []kind{keyvalTag}, become("{value}", "{}", "{Perf}", "{perf2}")},
	{"malformed tag", []kind{keyvalTag}, become("{perf", "(perf)", "{perf}}", "{attr}{perf}")},
	{"malformed key", []kind{keyvalKey}, insert(-1, " x", "/", ":", "é", "{")},
	{"missing key", []kind{keyvalKey}, become("")},
	{"malformed number", []kind{keyvalNumber}, become(malformed...)},
	{"number of another language", []kind{keyvalNumber}, become("0x1F", "1_000", "1.5f", "0b1", "1'000", "1/2")},
	{"missing number", []kind{keyvalNumber}, become("")},
	{"number out of range", []kind{keyvalNumber}, become(outOfRange...)},
	{"malformed deviation", []kind{keyvalNumber}, become("1+-", "1+-x", "1e5+-2", "1+-2x", "-1+-2", "+-1")},
	{"invalid UTF-8", []kind{keyvalKey, keyvalAttr}, notUTF8AtEnd},
	{"duplicate key", []kind{keyvalLine}, func(_ *generator, line string) (string, bool) {
		return line + line, strings.HasSuffix(line, "\n")
	}},
}
