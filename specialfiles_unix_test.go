//go:build unix

package perfdata_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"perfdata"
	"perfdata/ingest"
	"perfdata/internal/opening"
	"perfdata/internal/testing/formattest"
)

// folders returns the files of a folder of each format that is a folder.
func folders(t *testing.T) map[string]map[string]string {
	job := make(map[string]string)
	top := "testdata/keyval/job"
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			job[strings.TrimPrefix(path, top+"/")] = formattest.ReadFile(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{
		"keyval job": job,
		"criterion": {
			"fib/20/new/benchmark.json": `{"group_id":"fib","value_str":"20","directory_name":"fib/20"}`,
			"fib/20/new/estimates.json": `{"mean":{"point_estimate":1.5}}`,
			"fib/20/new/sample.json":    `{"iters":[1,2],"times":[3,4]}`,
		},
		"asv": {
			"benchmarks.json":  `{"s.track_b":{"type":"track","param_names":[]},"version":2}`,
			"mbp/machine.json": `{"machine":"mbp"}`,
			"mbp/abc-py3.json": `{"commit_hash":"abc","env_name":"py3","date":1646911546000,"params":{"machine":"mbp"},"results":{"s.track_b":5}}`,
		},
	}
	for _, f := range perfdata.Formats() {
		if f.OpenDir != nil && all[f.Name] == nil {
			t.Errorf("no folder of %s", f.Name)
		}
	}
	return all
}

const secret = "key{perf}=31337\n"

// specialFiles make files of the folder that are not regular files.
var specialFiles = map[string]func(name string) error{
	"FIFO": func(name string) error { return syscall.Mkfifo(name, 0o600) },
	"socket": func(name string) error {
		l, err := net.Listen("unix", name)
		if err == nil {
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	},
	"link to a device": func(name string) error { return os.Symlink("/dev/zero", name) },
	"link to a file outside": func(name string) error {
		return os.Symlink(filepath.Join("..", "..", "..", "..", "..", "secret"), name)
	},
	"absolute link":           func(name string) error { return os.Symlink("/etc/hostname", name) },
	"link to itself":          func(name string) error { return os.Symlink(filepath.Base(name), name) },
	"link to a folder around": func(name string) error { return os.Symlink("..", name) },
	"folder":                  func(name string) error { return os.Mkdir(name, 0o777) },
}

// No file of a folder hangs a program or leads out of the folder, whatever it is: neither in the folders of
// formats, nor in a tree that is ingested.
func TestSpecialFiles(t *testing.T) {
	// The paths of sockets are short.
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })

	for name, files := range folders(t) {
		top := filepath.Join(dir, name)
		folder := filepath.Join(top, "a", "b", "c", "d")
		writeFiles(t, folder, files)
		writeFiles(t, top, map[string]string{"secret": secret})
		for _, file := range sorted(files) {
			path := filepath.Join(folder, file)
			for kind, special := range specialFiles {
				if err := errors.Join(os.Remove(path), special(path)); err != nil {
					t.Fatalf("%s: %v", kind, err)
				}
				t.Run(name+"/"+file+"/"+kind, func(t *testing.T) { checkFolder(t, folder, name) })
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			writeFiles(t, folder, map[string]string{file: files[file]})
		}
	}
}

func sorted(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkFolder reads a folder in each way that there is.
func checkFolder(t *testing.T, folder, name string) {
	for _, open := range []func() (*perfdata.File, error){
		func() (*perfdata.File, error) { return perfdata.Open(folder) },
		func() (*perfdata.File, error) { return perfdata.Opener{Format: name}.Open(folder) },
		func() (*perfdata.File, error) { return perfdata.OpenFS(opening.FolderOf(folder), ".") },
	} {
		f, err := open()
		if err != nil {
			continue
		}
		for rec, err := range f.Records() {
			if err == nil && rec.Value == 31337 {
				t.Errorf("the file outside is read: %v", rec.Params)
			}
		}
		f.Close()
	}

	for file, err := range ingest.Walk(opening.FolderOf(folder), ".", ingest.WalkOptions{Order: ingest.ByPath}) {
		if err != nil {
			continue
		}
		in, err := file.Open(t.Context())
		if err != nil {
			continue
		}
		text, err := io.ReadAll(in)
		if err != nil || string(text) == secret {
			t.Errorf("%s: %q, %v", file.Path, text, err)
		}
		in.Close()
	}
}

// A tree is read to a bounded depth, because its time grows with the square of the depth.
func TestDeepFolders(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, strings.Repeat("d/", opening.MaxDepth+10))
	writeFiles(t, deep, map[string]string{"new/sample.json": `{"iters":[1],"times":[3]}`, "run.keyval": secret})
	writeFiles(t, top, map[string]string{"a/new/sample.json": `{"iters":[1],"times":[3]}`})

	errs, values := 0, 0
	f, err := perfdata.Open(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range f.Records() {
		if values++; err != nil {
			values--
			errs++
			if !errors.Is(err, opening.ErrDepth) {
				t.Error(err)
			}
		}
	}
	if errs != 1 || values != 1 {
		t.Errorf("%d values and %d errors of target/criterion", values, errs)
	}

	files := 0
	for file, err := range ingest.Walk(os.DirFS(top), ".", ingest.WalkOptions{Order: ingest.ByPath}) {
		switch {
		case err == nil && file.Path == "a/new/sample.json":
			files++
		case !errors.Is(err, opening.ErrDepth):
			t.Errorf("%s: %v", file.Path, err)
		}
	}
	if files != 1 {
		t.Errorf("%d files of the tree", files)
	}
}
