package perfdata_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/internal/testing/formattest"
	"perfdata/keyval/job"
)

// writeFiles writes files below dir.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
}

const statusLog = "START\tboot\tboot\ttimestamp=1\n" +
	"\tGOOD\tboot\tboot\ttimestamp=2\tcompleted\n" +
	"END GOOD\tboot\tboot\ttimestamp=2\n"

// The results folder of a job is opened like a file.
func TestOpenJob(t *testing.T) {
	want := formattest.All(job.NewReader(os.DirFS("."), "testdata/keyval/job"))
	if len(want) == 0 {
		t.Fatal("no records")
	}
	byName, err := perfdata.Open("testdata/keyval/job")
	if err != nil {
		t.Fatal(err)
	}
	inFS, err := perfdata.OpenFS(os.DirFS("."), "testdata/keyval/job")
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*perfdata.File{"Open": byName, "OpenFS": inFS} {
		if _, ok := f.Reader.(*job.Reader); !ok || f.Format.Name != "keyval job" {
			t.Errorf("%s: %T, %s", name, f.Reader, f.Format.Name)
		}
		if diff := cmp.Diff(want, formattest.All(f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Errors in the files of a job have their names, and Validate yields them too.
func TestJobErrors(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"job/status.log":          statusLog,
		"job/boot/results/keyval": "a{perf}=x\nb{perf}=1\n",
	})
	name := filepath.Join(dir, "job")
	want := []string{filepath.ToSlash(name) + "/boot/results/keyval:1:9: \"x\" is not a number"}

	f, err := perfdata.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, formattest.Faults(f.Validate())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f, err = perfdata.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := formattest.All(f); len(got) != 2 || !strings.HasPrefix(got[0], want[0]) {
		t.Errorf("%q", got)
	}
}

// The attributes of a job of several machines are above the folder of each machine.
func TestJobTop(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		".autoserv_execute": "1\n0\n", "keyval": "label=all\n", "host_keyvals/h1": "platform=p\n",
		"h1/status.log": statusLog, "h1/keyval": "hostname=h1\nbad line\n", "h1/boot/results/keyval": "a{perf}=1\n",
	})
	t.Chdir(filepath.Join(dir, "h1"))
	f, err := perfdata.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`../h1/keyval:2:1: missing "=": want key=value`,
		"host=h1 iteration=1 key=a subdir=boot test=boot = 1 " +
			"host-platform:p job-hostname:h1 job-label:all test-status:GOOD",
	}
	if diff := cmp.Diff(want, formattest.All(f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Another folder is an error.
func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"a/run.json":   "{}",
		"b/status.log": "something else\n",
		"c/status.log": "",
		"d/status.log": "", "d/.autoserv_execute": "",
	})
	for _, test := range []struct {
		name, format string
		isJob        bool
	}{
		{"a", "", false}, {"a", "keyval", true}, {"a", "skiav1", false},
		{"b", "", false}, {"b", "keyval", true}, {"c", "", false}, {"d", "", true},
	} {
		t.Run(test.name+test.format, func(t *testing.T) {
			for _, open := range []func() (*perfdata.File, error){
				func() (*perfdata.File, error) {
					return perfdata.Opener{Format: test.format}.Open(filepath.Join(dir, test.name))
				},
				func() (*perfdata.File, error) {
					return perfdata.Opener{Format: test.format}.OpenFS(os.DirFS(dir), test.name)
				},
			} {
				f, err := open()
				var path *fs.PathError
				switch {
				case test.isJob && err == nil:
					f.Close()
				case test.isJob || !errors.Is(err, syscall.EISDIR):
					t.Errorf("%v", err)
				case !errors.As(err, &path) || !strings.HasSuffix(path.Path, test.name):
					t.Errorf("%v does not name the folder", err)
				case !strings.Contains(err.Error(), "want a file, the results folder of an Autotest job or of asv, or target/criterion"):
					t.Errorf("%v does not say what was expected", err)
				}
			}
		})
	}
}
