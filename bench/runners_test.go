package bench

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	gojson "github.com/goccy/go-json"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
	"perfdata/runners"
	"perfdata/runners/asv"
	"perfdata/runners/criterion"
)

// runnersDir is the folder of files that runners of benchmarks wrote. It is next to this project's
// folder, and not part of the project.
var runnersDir = filepath.Join("..", "..", "shared", "runners")

// realFiles is the contest of the runners' formats: half as much as other contests read.
const realFiles = "results of real files, repeated"

// runnerContests returns a contest for each format of a runner, by its Spec.
func runnerContests() []contest {
	var all []contest
	for _, f := range perfdata.Formats() {
		if spec := rows.SpecOf(f); spec != nil && f.Open != nil {
			all = append(all, runner(f, spec))
		}
	}
	return append(all, criterionFolder(), asvFolders())
}

// runnerTargets returns a target for each contest of a runner's format.
func runnerTargets() []target {
	var all []target
	for _, c := range runnerContests() {
		f, _ := perfdata.FormatNamed(c.format)
		t := target{f.Title, c.format, c.workload, readDefault, goJSON, 3}
		switch c.workload {
		case smallFolder:
			t.workload, t.least = f.Title+", a folder", 1.2
		case projects:
			t.workload = f.Title + ", folders"
		}
		all = append(all, t)
	}
	return all
}

// smallFolder is the contest of criterion: small files in folders, a tenth of what other contests read.
const smallFolder = "a folder of small real files, repeated"

// criterionFolder returns the contest of the folders that Criterion.rs writes. The other contestants read
// only the two files that have a benchmark's name and its samples.
func criterionFolder() contest {
	repeated := func(tb testing.TB, size float64) *input {
		in := new(input)
		for rounds := 0; float64(in.size) < size/10; rounds++ {
			for name, text := range matching(tb, filepath.Join(runnersDir, "criterion", "*", "*__new__*.json")) {
				name = strings.ReplaceAll(filepath.Base(name), "__", string(filepath.Separator))
				in.names = append(in.names, fmt.Sprintf("%d-%s", rounds, name))
				in.files, in.size = append(in.files, text), in.size+int64(len(text))
			}
			if in.size == 0 {
				tb.Skip("no files of criterion in ", runnersDir)
			}
		}
		return in
	}
	return contest{"criterion", smallFolder, goJSON, false, repeated, criterionReaders}
}

// criterionReaders returns the contestants that read a folder.
func criterionReaders(tb testing.TB, in *input) []contestant {
	fsys := os.DirFS(layOut(tb, in))
	read := func([][]byte) (int, error) { return countSound(runners.NewFolderReader(fsys, ".", criterion.Format())) }
	var err error
	if in.records, err = read(nil); err != nil {
		tb.Fatal(err)
	}
	isRead := func(base string) bool { return base == "benchmark.json" || base == "sample.json" }
	return folderReaders[criterionFile](fsys, read, isRead)
}

// layOut writes the files of an input to a folder, and returns its name.
func layOut(tb testing.TB, in *input) string {
	dir := tb.TempDir()
	for i, file := range in.files {
		name := filepath.Join(dir, in.names[i])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, file, 0o666)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// folderReaders returns a contestant that calls read, and contestants that read the files of a
// folder into a T.
func folderReaders[T any](
	fsys fs.FS, read func([][]byte) (int, error), isRead func(base string) bool,
) []contestant {
	unmarshal := func(read func([]byte, any) error) func([][]byte) (int, error) {
		return func([][]byte) (int, error) {
			return 0, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || !isRead(path.Base(name)) {
					return err
				}
				text, err := fs.ReadFile(fsys, name)
				if err != nil {
					return err
				}
				return read(text, new(T))
			})
		}
	}
	return []contestant{
		{name: readDefault, runAll: read},
		{name: goJSON, runAll: unmarshal(gojson.Unmarshal)},
		{name: "encoding.json Unmarshal", runAll: unmarshal(json.Unmarshal)},
	}
}

// projects is the contest of asv: the unchanged folders of real projects.
const projects = "folders of real projects"

// asvFolders returns the contest of the folders that asv writes. What a row holds depends on its columns.
func asvFolders() contest {
	whole := func(tb testing.TB, _ float64) *input {
		in := new(input)
		for _, levels := range []string{"*/benchmarks", "*/*/*"} {
			for name, text := range matching(tb, filepath.Join(runnersDir, "asv", levels+".json")) {
				text = notJSON.ReplaceAll(text, []byte("1$1"))
				if !json.Valid(text) {
					continue // a file of asv's own tests has a fault
				}
				in.names = append(in.names, strings.TrimPrefix(name, filepath.Join(runnersDir, "asv")))
				in.files, in.size = append(in.files, text), in.size+int64(len(text))
			}
		}
		if in.size == 0 {
			tb.Skip("no folders of asv in ", runnersDir)
		}
		return in
	}
	readers := func(tb testing.TB, in *input) []contestant {
		fsys := os.DirFS(layOut(tb, in))
		read := func([][]byte) (records int, err error) {
			folders, err := fs.ReadDir(fsys, ".")
			for _, d := range folders {
				n, failed := countSound(asv.Format().OpenDir(fsys, d.Name(), format.Options{}))
				records, err = records+n, errors.Join(err, failed)
			}
			return records, err
		}
		var err error
		if in.records, err = read(nil); err != nil {
			tb.Fatal(err)
		}
		return folderReaders[map[string]any](fsys, read, func(base string) bool { return path.Ext(base) == ".json" })
	}
	return contest{"asv", projects, goJSON, false, whole, readers}
}

// runner returns the contest of a format. The others read into structs that have all members which its
// Reader reads.
func runner(f format.Format, spec *rows.Spec) contest {
	files := cmp.Or(spec.RealFiles, f.Name+"/*.json")
	if spec.Shape == rows.Embedded {
		spec = spec.Other
	}
	section := ""
	if len(spec.Sections) > 0 {
		section = spec.Sections[0]
	}
	read := func(file []byte) (int, error) {
		return countSound(f.Open(nil, bytes.NewReader(file), format.Options{}))
	}
	repeated := func(tb testing.TB, size float64) *input {
		var doc []byte
		if spec.Shape == rows.InLines {
			doc = repeatedLines(tb, filepath.Join(runnersDir, files), int(size/2))
		} else {
			doc = repeatedFiles(tb, filepath.Join(runnersDir, files), section, int(size/2))
		}
		records, err := read(doc)
		if err != nil {
			tb.Fatal(err)
		}
		return newInput([][]byte{doc}, records)
	}
	contestants := func(tb testing.TB, in *input) []contestant {
		documents := [][]byte{in.files[0]}
		if spec.Shape == rows.InLines {
			documents = slices.Collect(bytes.Lines(in.files[0]))
		}
		wholes := make([]any, min(len(documents), 1000))
		for i := range wholes {
			if err := json.Unmarshal(documents[i], &wholes[i]); err != nil {
				tb.Fatal(err)
			}
		}
		var document reflect.Type
		if spec.Shape == rows.InLines {
			document = typeOf(spec.Row, nil, wholes)
		} else {
			document = documentType(spec, section, wholes[0])
		}
		unmarshaling := func(name string, unmarshal func([]byte, any) error) contestant {
			return contestant{name: name, run: func(file []byte) (int, error) {
				if spec.Shape != rows.InLines {
					return 0, unmarshal(file, reflect.New(document).Interface())
				}
				for line := range bytes.Lines(file) {
					if err := unmarshal(line, reflect.New(document).Interface()); err != nil {
						return 0, err
					}
				}
				return 0, nil
			}}
		}
		return []contestant{
			{name: readDefault, run: read},
			unmarshaling(goJSON, gojson.Unmarshal),
			unmarshaling("encoding.json Unmarshal", json.Unmarshal),
		}
	}
	return contest{f.Name, realFiles, goJSON, true, repeated, contestants}
}

// documentType returns the Go type of a document, whose results are in the section.
func documentType(spec *rows.Spec, section string, whole any) reflect.Type {
	if row := typeOf(spec.Row, nil, elements([]any{whole})); section == "" && spec.Shape == rows.ByName {
		return reflect.MapOf(reflect.TypeFor[string](), row)
	} else if section == "" {
		return reflect.SliceOf(row)
	}
	results, name := members(section, whole), reflect.TypeFor[string]()
	var all reflect.Type
	switch {
	case spec.Shape == rows.ByName:
		all = reflect.MapOf(name, typeOf(spec.Row, nil, elements(results)))
	case spec.Shape == rows.InGroups:
		all = reflect.MapOf(name, reflect.SliceOf(typeOf(spec.Row, nil, elements(elements(results)))))
	default:
		all = reflect.SliceOf(typeOf(spec.Row, nil, elements(results)))
	}
	fields := []reflect.StructField{field(section, all)}
	for _, m := range spec.Head {
		fields = append(fields, field(m.Name, typeOf(m.Type, nil, members(m.Name, whole))))
	}
	return reflect.StructOf(fields)
}

// typeOf returns the Go type that a program would declare for values of a type, which is in others. Of
// what may be anything, the values tell.
func typeOf(t *jsontree.Type, in []*jsontree.Type, values []any) reflect.Type {
	if slices.Contains(in, t) {
		return reflect.TypeFor[any]()
	}
	in = append(slices.Clip(in), t)
	const simple = jsontree.Strings | jsontree.Numbers | jsontree.Bools | jsontree.Arrays | jsontree.Objects | jsontree.Raw
	switch t.Kinds & simple {
	case jsontree.Strings:
		return reflect.TypeFor[string]()
	case jsontree.Numbers:
		return reflect.TypeFor[float64]()
	case jsontree.Bools:
		return reflect.TypeFor[bool]()
	case jsontree.Arrays:
		switch {
		case t.Kinds&jsontree.Gaps != 0:
			return reflect.TypeFor[[]*float64]()
		case t.Kinds&jsontree.Packed != 0:
			return reflect.TypeFor[[]float64]()
		}
		return reflect.SliceOf(typeOf(t.Elements, in, elements(values)))
	case jsontree.Objects:
		if len(t.Members) == 0 && t.Others != nil {
			return reflect.MapOf(reflect.TypeFor[string](), typeOf(t.Others, in, elements(values)))
		}
		var fields []reflect.StructField
		for _, m := range t.Members {
			fields = append(fields, field(m.Name, typeOf(m.Type, in, members(m.Name, values...))))
		}
		return reflect.StructOf(fields)
	}
	return typeOfAny(values)
}

// typeOfAny returns the type that all of the values have, or any.
func typeOfAny(values []any) reflect.Type {
	var all reflect.Type
	for _, v := range values {
		switch t := reflect.TypeOf(v); {
		case v == nil || t == all:
		case all == nil && (t.Kind() == reflect.String || t.Kind() == reflect.Float64 || t.Kind() == reflect.Bool):
			all = t
		default:
			return reflect.TypeFor[any]()
		}
	}
	if all == nil {
		return reflect.TypeFor[any]()
	}
	return all
}

// field returns the field of a member.
func field(name string, t reflect.Type) reflect.StructField {
	return reflect.StructField{
		Name: "F" + hex.EncodeToString([]byte(name)), Type: t, Tag: reflect.StructTag(fmt.Sprintf(`json:"%s"`, name)),
	}
}

// members returns the members of objects that have the name.
func members(name string, objects ...any) (all []any) {
	for _, o := range objects {
		if o, ok := o.(map[string]any); ok && o[name] != nil {
			all = append(all, o[name])
		}
	}
	return all
}

// elements returns the elements of arrays, and the members of objects.
func elements(values []any) (all []any) {
	for _, v := range values {
		switch v := v.(type) {
		case []any:
			all = append(all, v...)
		case map[string]any:
			all = slices.AppendSeq(all, maps.Values(v))
		}
	}
	return all
}

// A criterionFile is benchmark.json or sample.json of Criterion.rs.
type criterionFile struct {
	GroupID       string         `json:"group_id"`
	FunctionID    string         `json:"function_id"`
	ValueStr      string         `json:"value_str"`
	Throughput    map[string]any `json:"throughput"`
	FullID        string         `json:"full_id"`
	DirectoryName string         `json:"directory_name"`
	SamplingMode  string         `json:"sampling_mode"`
	Iters         []float64      `json:"iters"`
	Times         []float64      `json:"times"`
}

// countSound counts the records of a file in which some results are faulty, such as failed runs.
func countSound(r format.Reader) (records int, err error) {
	for _, err := range r.Records() {
		if err == nil {
			records++
		} else if e, ok := errors.AsType[*format.Error](err); ok && e.Severity != format.Recoverable {
			return 0, e
		}
	}
	return records, nil
}

// notJSON matches what JSON does not have, and the other libraries do not accept.
var notJSON = regexp.MustCompile(`(?:NaN|-?Infinity)(\s*[,}\]])`)

// repeatedFiles returns a document with the results of all files that match the pattern, repeated until
// it has the size, and with the other members of the first file. The results are in the section, or in
// the document if that is empty: an array, an object, or an object of arrays.
func repeatedFiles(tb testing.TB, pattern, section string, size int) []byte {
	var head map[string]json.RawMessage
	var all results
	for name, text := range matching(tb, pattern) {
		text = bytes.TrimSuffix(bytes.TrimSpace(text), []byte(";"))
		text = notJSON.ReplaceAll(bytes.TrimPrefix(text, []byte("window.BENCHMARK_DATA = ")), []byte("1$1"))
		if len(text) == 0 {
			continue
		}

		value := json.RawMessage(text)
		if section != "" {
			members := map[string]json.RawMessage{}
			if err := json.Unmarshal(text, &members); err != nil {
				tb.Fatalf("%s: %v", name, err)
			}
			if head == nil {
				head = members
			}
			value = members[section]
		}
		if err := all.add(value); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
	}
	if len(all.elements)+len(all.members) == 0 {
		tb.Skip("no files ", pattern)
	}
	return all.document(head, section, size)
}

// repeatedLines returns the documents of all files that match the pattern, one a line, repeated until they
// have the size.
func repeatedLines(tb testing.TB, pattern string, size int) []byte {
	var all, doc bytes.Buffer
	for name, text := range matching(tb, pattern) {
		for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
			var document json.RawMessage
			if err := errors.Join(d.Decode(&document), json.Compact(&all, document)); err != nil {
				tb.Fatalf("%s: %v", name, err)
			}
			all.WriteByte('\n')
		}
	}
	if all.Len() == 0 {
		tb.Skip("no files ", pattern)
	}
	for doc.Len() < size {
		doc.Write(all.Bytes())
	}
	return bytes.TrimSuffix(doc.Bytes(), []byte("\n"))
}

// results come from several files: elements, or members.
type results struct {
	elements []json.RawMessage
	members  []member
	grouped  bool // the elements are in a member's array
}

type member struct {
	name  string
	value json.RawMessage
}

// add adds the results of a file.
func (r *results) add(value json.RawMessage) error {
	if len(value) > 0 && value[0] == '[' {
		var elements []json.RawMessage
		err := json.Unmarshal(value, &elements)
		r.elements = append(r.elements, elements...)
		return err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(value, &members); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		if value[0] != '[' {
			r.members = append(r.members, member{name, value})
			continue
		}
		r.grouped = true
		if err := r.add(value); err != nil {
			return err
		}
	}
	return nil
}

// document returns a document of the size.
func (r *results) document(head map[string]json.RawMessage, section string, size int) []byte {
	var doc bytes.Buffer
	end := ""
	if section != "" {
		doc.WriteString("{\n")
		for _, name := range slices.Sorted(maps.Keys(head)) {
			if name != section {
				fmt.Fprintf(&doc, "  %q: %s,\n", name, head[name])
			}
		}
		fmt.Fprintf(&doc, "  %q: ", section)
		end = "\n}"
	}
	if r.grouped {
		doc.WriteString(`{"suite": `)
		end = "}" + end
	}

	open, closing := "[", "]"
	if len(r.members) > 0 {
		open, closing = "{", "}"
	}
	separator := open + "\n    "
	for text := range r.texts() {
		if doc.Len() >= size {
			break
		}
		doc.WriteString(separator)
		doc.WriteString(text)
		separator = ",\n    "
	}
	doc.WriteString("\n  " + closing + end)
	return doc.Bytes()
}

// texts iterates over the results without an end. Names get numbers, so that they do not repeat.
func (r *results) texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := 0; ; {
			for _, e := range r.elements {
				if !yield(string(e)) {
					return
				}
			}
			for _, m := range r.members {
				if n++; !yield(fmt.Sprintf("%q: %s", fmt.Sprintf("%s_%d", m.name, n), m.value)) {
					return
				}
			}
		}
	}
}
