package hint

import "testing"

func TestMostSimilar(t *testing.T) {
	forms := []string{"jsonl", "csv", "tsv", "text", "parquet"}
	for _, test := range []struct {
		name, word string
		known      []string
		want       string
	}{
		{"the word itself", "jsonl", forms, "jsonl"},
		{"an insertion", "jsonnl", forms, "jsonl"},
		{"a deletion", "json", forms, "jsonl"},
		{"a swap", "cvs", forms, "csv"},
		{"a swap at the beginning", "tset", []string{"stat", "test"}, "test"},
		{"two edits", "paqret", forms, "parquet"},
		{"case", "CSV", forms, "csv"},
		{"the most similar", "tests", []string{"best", "test"}, "test"},
		{"a beginning", "par", forms, "parquet"},
		{"an edit rather than a beginning", "tex", []string{"texture", "text"}, "text"},
		{"one byte", "p", forms, ""},
		{"nothing", "", forms, ""},
		{"too many edits", "xml", forms, ""},
		{"a very long word", "a very long value", forms, ""},
		{"nothing known", "csv", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Similar(test.word, test.known); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
