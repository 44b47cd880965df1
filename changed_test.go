package perfdata_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/quick"
	"perfdata/nanolegacy"
	"perfdata/perun"
)

// A rewriting is a file system whose files are all written to before one of their reads.
type rewriting struct {
	fstest.MapFS
	reads int // before that one; negative after it
}

func (r *rewriting) Open(name string) (fs.File, error) {
	f, err := r.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	if seeker, ok := f.(io.Seeker); ok {
		return struct {
			rewrittenFile
			io.Seeker
		}{rewrittenFile{f, r}, seeker}, nil
	}
	return rewrittenFile{f, r}, nil
}

type rewrittenFile struct {
	fs.File
	in *rewriting
}

func (f rewrittenFile) Read(p []byte) (int, error) {
	f.in.reads--
	n, err := f.File.Read(p)
	if f.in.reads < 0 {
		p = p[:n]
		copy(p, bytes.ReplaceAll(p, []byte("1"), []byte("2")))
	}
	return n, err
}

func (f rewrittenFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	if f.in.reads < 0 {
		return rewrittenInfo{info}, err
	}
	return info, err
}

type rewrittenInfo struct{ fs.FileInfo }

func (i rewrittenInfo) ModTime() time.Time { return i.FileInfo.ModTime().Add(time.Second) }

// If a file is written to before any of its reads, the reading ends with the cause ErrChanged: no
// byte of another version is read.
func TestOpenChanged(t *testing.T) {
	ways := map[string]func(f *perfdata.File, yield func(error) bool){
		"records": func(f *perfdata.File, yield func(error) bool) { yieldErrors(f.Records(), yield) },
		"validate": func(f *perfdata.File, yield func(error) bool) {
			f.Validate()(func(e *format.Error) bool { return e.Severity == format.Warning || yield(e) })
		},
		"native": func(f *perfdata.File, yield func(error) bool) {
			switch r := f.Reader.(type) {
			case *nanolegacy.Reader:
				yieldErrors(r.Samples(), yield)
			case *perun.Reader:
				yieldErrors(r.Resources(), yield)
				yieldErrors(r.Models(), yield)
			default:
				yieldErrors(f.Records(), yield)
			}
		},
	}
	for name, text := range headerLast(quick.Of(1000, 400)) {
		files := map[string]string{"header last": text, "header first": headerFirst(text)}
		for _, way := range []string{"gzip", "zstd"} {
			files[way] = string(pack(t, []byte(text), way))
		}
		for kind, text := range files {
			for way, errorsOf := range ways {
				t.Run(name+", "+kind+", "+way, func(t *testing.T) {
					n := 0
					for ; ; n++ {
						fsys := &rewriting{fstest.MapFS{"in": {Data: []byte(text)}}, n}
						err := lastError(fsys, errorsOf)
						if fsys.reads >= 0 {
							if err != nil {
								t.Errorf("unchanged: %v", err)
							}
							break
						}
						if !errors.Is(err, format.ErrChanged) || format.IsFinal(err) ||
							!strings.Contains(err.Error(), "file changed while it was read") {
							t.Fatalf("written to before read %d: %v", n, err)
						}
					}
					if n < 2 {
						t.Errorf("%d reads", n)
					}
				})
			}
		}
	}
}

func lastError(fsys fs.FS, errorsOf func(f *perfdata.File, yield func(error) bool)) error {
	f, err := perfdata.OpenFS(fsys, "in")
	if err != nil {
		return err
	}
	defer f.Close()
	var last error
	errorsOf(f, func(err error) bool {
		last = err
		return true
	})
	return last
}

// If the files of a job's folder are written to before any of their reads, an error says so.
func TestJobChanged(t *testing.T) {
	data := make(fstest.MapFS)
	for name, text := range map[string]string{
		"in/status.log":         "START\ta\ta\ttimestamp=1\nEND GOOD\ta\ta\ttimestamp=2\n",
		"in/keyval":             "hostname=host\n",
		"in/host_keyvals/host":  "platform=x\n",
		"in/a/keyval":           "version=1\n",
		"in/a/results/keyval":   strings.Repeat("loops{perf}=1\n\n", 6_000),
		"in/.autoserv_execute":  "123\n0\n1\n",
		"in/sysinfo/uname_-a":   "Linux host\n",
		"in/sysinfo/hostname":   "host\n",
		"in/another/not_opened": "",
	} {
		data[name] = &fstest.MapFile{Data: []byte(text)}
	}
	records := func(f *perfdata.File, yield func(error) bool) { yieldErrors(f.Records(), yield) }
	n := 0
	for ; ; n++ {
		fsys := &rewriting{data, n}
		var changed, other error
		note := func(err error) bool {
			if errors.Is(err, format.ErrChanged) {
				changed = err
			} else {
				other = err
			}
			return true
		}
		if f, err := perfdata.OpenFS(fsys, "in"); err != nil {
			note(err)
		} else {
			records(f, note)
		}
		if other != nil {
			t.Errorf("written to before read %d: %v", n, other)
		}
		if fsys.reads >= 0 {
			if changed != nil {
				t.Errorf("unchanged: %v", changed)
			}
			break
		}
		if changed == nil {
			t.Errorf("written to before read %d: no error", n)
		}
	}
	if n < 10 {
		t.Errorf("%d reads", n)
	}
}
