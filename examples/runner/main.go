// Command runner is a benchmark runner: it measures gzip at three levels, five times each, and
// writes the results in five formats. The writing is in formats.go. With -read, it prints the
// results of another runner, hyperfine: see read.go.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"time"
)

func main() {
	in := flag.String("in", "../../testdata", "the folder to compress")
	out := flag.String("o", "results", "the folder for the results")
	commit := flag.String("commit", "unknown", "the commit that is measured")
	read := flag.String("read", "", "a file of hyperfine, to print instead")
	flag.Parse()

	if *read != "" {
		if err := show(os.Stdout, *read); err != nil {
			log.Fatal(err)
		}
		return
	}
	names, err := measureAndWrite(*in, *out, *commit)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range names {
		fmt.Println(name)
	}
}

// A benchmark is all runs at one level.
type benchmark struct {
	level int
	runs  []run
}

// A run is one compression of the whole input.
type run struct {
	took  time.Duration
	ratio float64 // of the input's size to the output's size
}

func (r run) ms() float64 { return float64(r.took) / float64(time.Millisecond) }

// measureAndWrite measures the compression of the files in folder in, writes the results to folder
// out, and returns the names of the files that it wrote.
func measureAndWrite(in, out, commit string) ([]string, error) {
	input, err := readAll(os.DirFS(in))
	if err != nil {
		return nil, fmt.Errorf("folder %s: %w", in, err)
	}

	var benchmarks []benchmark
	for _, level := range []int{gzip.BestSpeed, 6, gzip.BestCompression} {
		b := benchmark{level: level}
		for range 5 {
			r, err := compress(input, level)
			if err != nil {
				return nil, err
			}
			b.runs = append(b.runs, r)
		}
		benchmarks = append(benchmarks, b)
	}

	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}

	outputs := []struct {
		name  string
		write func(io.Writer, string, []benchmark) error
	}{
		{"skiav1.json", writeSkiaV1}, {"nanolegacy.json", writeNanolegacy}, {"benchmarks.txt", writeGo},
		{"keyval", writeKeyvals}, {"profile.perf", writePerun},
	}

	var names []string
	for _, o := range outputs {
		name := filepath.Join(out, o.name)
		var text bytes.Buffer
		if err := o.write(&text, commit, benchmarks); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// readAll returns the contents of all files, one after the other.
func readAll(fsys fs.FS) ([]byte, error) {
	var all []byte
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		all = append(all, text...)
		return err
	})
	if err == nil && len(all) == 0 {
		err = errors.New("nothing to compress")
	}
	return all, err
}

func compress(input []byte, level int) (run, error) {
	var out bytes.Buffer
	begin := time.Now()
	z, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return run{}, err
	}
	z.Write(input) // Close returns its error
	if err := z.Close(); err != nil {
		return run{}, err
	}
	return run{time.Since(begin), float64(len(input)) / float64(out.Len())}, nil
}
