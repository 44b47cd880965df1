package perfdata_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/keyval"
	"perfdata/perun"
	"perfdata/traceid"
)

// A closing is an fs.FS of one file, and counts how often that is closed.
type closing struct {
	fstest.MapFS
	closed int
}

type closingFile struct {
	fs.File
	of *closing
}

func (c *closing) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	return closingFile{f, c}, err
}

func (f closingFile) Close() error {
	f.of.closed++
	return f.File.Close()
}

// A File is closed once: at the end of Records, by break, or by Close.
func TestFileCloses(t *testing.T) {
	for _, test := range []struct {
		name string
		use  func(*perfdata.File)
	}{
		{"records", func(f *perfdata.File) {
			for range f.Records() {
			}
		}},
		{"break", func(f *perfdata.File) {
			for range f.Records() {
				break
			}
		}},
		{"header", func(f *perfdata.File) { f.FileHeader() }},
		{"native", func(f *perfdata.File) {
			for range f.Reader.(*perun.Reader).Resources() {
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			data := formattest.ReadFile(t, "testdata/perun/sort.perf")
			fsys := &closing{MapFS: fstest.MapFS{"sort.perf": {Data: []byte(data)}}}
			f, err := perfdata.OpenFS(fsys, "sort.perf")
			if err != nil {
				t.Fatal(err)
			}
			test.use(f)
			if err := errors.Join(f.Close(), f.Close()); err != nil || fsys.closed != 1 {
				t.Errorf("closed %d times: %v", fsys.closed, err)
			}
			if f.Format.Name != "perun" || len(f.Compression) > 0 {
				t.Errorf("%s %q", f.Format.Name, f.Compression)
			}
		})
	}
	fsys := &closing{MapFS: fstest.MapFS{"a": {Data: []byte("nothing\n")}}}
	if _, err := perfdata.OpenFS(fsys, "a"); !errors.Is(err, format.ErrUnknown) || fsys.closed != 1 {
		t.Errorf("closed %d times: %v", fsys.closed, err)
	}
}

// A File that was reset reads as a new one does, whatever its formats and errors.
func TestFileReset(t *testing.T) {
	files := formattest.Files(t, "testdata/*/*.*", 10)
	files["unknown"] = "Hello"
	files["empty"] = ""
	files["truncated"] = `{"version":1,"git_hash":"a","results":[{"key":`
	opener := perfdata.Opener{Options: format.Options{Params: traceid.Of("test", "boot"), Settings: map[string]string{"nanolegacy.options-as-params": "true"}}}
	show := func(f *perfdata.File) []string {
		header, err := f.FileHeader()
		first := fmt.Sprintf("%s %q %+v %v", f.Format.Name, f.Compression, header, err)
		return append([]string{first}, formattest.All(f)...)
	}

	names := slices.Sorted(maps.Keys(files))
	var reused *perfdata.File
	for seed := range uint64(3) {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			want, wantErr := opener.NewReader(strings.NewReader(files[name]), name)
			if reused == nil {
				reused, _ = opener.NewReader(strings.NewReader(files[name]), name)
				continue
			}
			err := reused.Reset(strings.NewReader(files[name]), name)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s: %v, want %v", name, err, wantErr)
			}
			if err != nil {
				continue
			}
			if diff := cmp.Diff(show(want), show(reused)); diff != "" {
				t.Errorf("%s (-new +reset):\n%s", name, diff)
			}
		}
	}
}

func TestOpener(t *testing.T) {
	host := traceid.Params{{Key: "host", Value: "h"}}
	late := `{"results":[{"key":{"a":"b"},"measurement":1}],"version":1,"git_hash":"x","key":{"c":"d"}}`
	options := `{"gitHash":"x","results":{"t":{"c":{"options":{"o":"p"},"ms":1}}}}`
	for _, test := range []struct {
		name   string
		opener perfdata.Opener
		in     string
		want   []string
	}{
		{
			name:   "format",
			opener: perfdata.Opener{Format: "keyval"},
			in:     "a=1\n",
			want:   []string{"iteration=1 key=a = 1"},
		},
		{
			name:   "params",
			opener: perfdata.Opener{Options: format.Options{Params: host}, Format: "keyval"},
			in:     "a=1\n",
			want:   []string{"host=h iteration=1 key=a = 1"},
		},
		{
			name:   "params of another format",
			opener: perfdata.Opener{Options: format.Options{Params: host}},
			in:     late,
			want:   []string{"FATAL in:1:1: params ,host=h,: files of the format skiav1 have their own"},
		},
		{
			name:   "in order",
			opener: perfdata.Opener{Options: format.Options{InOrder: true}},
			in:     late,
			want: []string{
				"a=b = 1",
				"in:1:71: git_hash: must come before the results when reading in order",
				"in:1:81: key: must come before the results when reading in order",
			},
		},
		{
			name:   "options",
			opener: perfdata.Opener{},
			in:     options,
			want:   []string{"config=c sub_result=ms test=t = 1 o:p"},
		},
		{
			name:   "options as params",
			opener: perfdata.Opener{Options: format.Options{Settings: map[string]string{"nanolegacy.options-as-params": "true"}}},
			in:     options,
			want:   []string{"config=c o=p sub_result=ms test=t = 1"},
		},
		{
			name:   "limits",
			opener: perfdata.Opener{Options: format.Options{Limits: format.Limits{MaxStringBytes: 3}}},
			in:     options,
			want:   []string{"FATAL in:1:2: bytes of one string: more than 3 (Limits.MaxStringBytes)"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := test.opener.NewReader(strings.NewReader(test.in), "in")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, formattest.All(f)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := (perfdata.Opener{Format: "xml"}).NewReader(strings.NewReader(""), "in"); !errors.Is(err,
		format.ErrUnknown) {
		t.Errorf("%v", err)
	}
}

// A service that accepts uploads of any format sets limits of its own.
func ExampleOpener() {
	opener := perfdata.Opener{Options: format.Options{
		Limits: format.Limits{MaxDecompressedBytes: 64 << 20, MaxDepth: 16},
		Params: traceid.Params{{Key: "host", Value: "lab3"}}, // keyval files do not say
	}}
	f, err := opener.NewReader(strings.NewReader("fps{perf}=59.8\n"), "upload")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	_, isKeyval := f.Reader.(*keyval.Reader)
	fmt.Println(f.Format.Title, isKeyval)
	for rec, err := range f.Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// Autotest perf keyvals true
	// ,host=lab3,iteration=1,key=fps, 59.8
}

func ExampleOpen() {
	r, err := perfdata.Open("testdata/keyval/example.keyval")
	if err != nil {
		fmt.Println(err)
		return
	}
	for rec, err := range r.Records() { // its end closes the file
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// ,iteration=1,key=fps_WebGLAquarium, 59.8
	// ,iteration=1,key=ms_page_load, 412.25
	// ,iteration=2,key=fps_WebGLAquarium, 60.1
	// ,iteration=2,key=ms_page_load, 398
}

func ExampleFile_Reset() {
	var f *perfdata.File
	for i, upload := range []string{"fps{perf}=60\n", "fps{perf}=59.5\n", "BenchmarkX 1 250 ns/op\n"} {
		var err error
		name := fmt.Sprint("upload", i)
		if f == nil {
			f, err = perfdata.NewReader(strings.NewReader(upload), name)
		} else {
			err = f.Reset(strings.NewReader(upload), name) // uses the memory of f again
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		for rec, err := range f.Records() {
			if err != nil {
				fmt.Println(err)
				break
			}
			fmt.Println(f.Format.Name, rec.TraceID(), rec.Value)
		}
	}
	// Output:
	// keyval ,iteration=1,key=fps, 60
	// keyval ,iteration=1,key=fps, 59.5
	// benchfmt ,name=X,unit=ns_op, 250
}

func ExampleOpenFS() {
	fsys := fstest.MapFS{"run.txt": {Data: []byte("BenchmarkEncode 100 12.5 ns/op\n")}}
	r, err := perfdata.OpenFS(fsys, "run.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for rec, err := range r.Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// ,name=Encode,unit=ns_op, 12.5
}

// A service checks an upload of any format before it accepts it.
func ExampleFile_Validate() {
	const upload = `{"version":1,"git_hash":"abc","results":[{"key":{"test":"x"},"measurement":"fast"}]}`
	f, err := perfdata.NewReader(strings.NewReader(upload), "run.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	for e := range f.Validate() {
		fmt.Println(e)
	}
	// Output:
	// run.json:1:76: results.0.measurement: Invalid type. Expected: number, given: string
}

// Decompress is the first step of opening. Here a program reads only the text.
func ExampleDecompress() {
	in := strings.NewReader("BenchmarkEncode 100 12.5 ns/op\n")
	limits := format.Limits{MaxDecompressedBytes: 1 << 20, MaxLineBytes: 1 << 10}
	src, compression, err := perfdata.Decompress(in, "upload", limits)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	info, ok := perfdata.Detect(text)
	fmt.Printf("%v %q %v %s\n", compression, text, ok, info.Name)
	// Output:
	// [] "BenchmarkEncode 100 12.5 ns/op\n" true benchfmt
}
