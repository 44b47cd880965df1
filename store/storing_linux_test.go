package store

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"perfdata/ingest"
)

var storingFiles = flag.Int("files", 0, "number of files of TestStoring")

// TestStoring stores files with mostly new traces by four workers, and logs the CPU time of the
// process and of the server. With -database, they are stored in an existing SQLite database.
func TestStoring(t *testing.T) {
	if *storingFiles == 0 {
		t.Skip("it is run by hand: go test -run TestStoring -v -files 1000")
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, cmp.Or(*manyDatabase, newDatabase()))
		server := func() time.Duration { return 0 }
		if isPostgres(s) {
			if shared == nil {
				t.Fatal("-database is one of PostgreSQL, of whose server the CPU time is not known: want a file")
			}
			server = func() time.Duration { return serverCPU(t, shared.dir) }
		}
		began, client, served := time.Now(), processCPU(t), server()
		for first := 0; first < *storingFiles; first += 100 {
			var files []int
			for i := first; i < min(first+100, *storingFiles); i++ {
				files = append(files, i)
			}
			ingestStoring(t, s, files)
		}
		client, served = processCPU(t)-client, server()-served
		t.Logf("%d files: %v; CPU time %v, and %v of the server", *storingFiles, time.Since(began).Round(time.Millisecond),
			client.Round(time.Millisecond), served.Round(time.Millisecond))
	})
}

func ingestStoring(t *testing.T, s *Store, numbers []int) {
	var files []ingest.File
	for _, n := range numbers {
		f := benchSource(n, storingFile(n))
		f.Path = "storing/" + f.Path // a database of TestManyValues has other files
		files = append(files, f)
	}
	ingestBench(t, s, 4, files...)
}

// storingFile returns a file of 100 measurements. One in ten traces is also in the file before.
func storingFile(file int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"version":1,"git_hash":"%040x","key":{"arch":"x86_64","branch":"main","compiler":"Clang",`+
		`"model":"Shuttle%d","os":"Ubuntu18","config":"c%d"},"results":[`, file/10*7919, file%7, file%3)
	for i := range 100 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"key":{"source_type":"skp","suite":"s%d","test":"desk_%d.skp","units":"ms","stat":"min"},"measurement":%v}`,
			i%10, file*90+i, float64(i*7919%100_003)/997)
	}
	b.WriteString("]}")
	return b.Bytes()
}

func processCPU(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// serverCPU returns the CPU time of a PostgreSQL server and its children. Some have ended.
func serverCPU(t *testing.T, dir string) time.Duration {
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	postmaster, _, _ := strings.Cut(string(text), "\n")
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	ticks := 0
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		pid := filepath.Base(filepath.Dir(name))
		if pid != postmaster && fields[1] != postmaster {
			continue
		}
		of := fields[11:13]
		if pid == postmaster {
			of = fields[11:15]
		}
		for _, field := range of {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * time.Second / 100
}
