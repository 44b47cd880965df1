package ingest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"perfdata/format"
	"perfdata/series"
)

// discard is a Sink that stores nothing.
type discard struct{}

func (discard) Begin(context.Context, Source) (Batch, error) { return discard{}, nil }
func (discard) WantsSHA256() bool                            { return false }
func (discard) Add(*series.Point) error                      { return nil }
func (discard) Commit(format.Header, Content) error          { return nil }
func (discard) Rollback() error                              { return nil }

// storedTree returns a tree of n files, in version 1 of the Skia Perf format, with some
// measurements each.
func storedTree(n, measurements int) (fsys fstest.MapFS, size int64) {
	fsys = make(fstest.MapFS)
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "{\n  \"version\": 1,\n  \"git_hash\": \"%040x\",\n", i)
		fmt.Fprintf(&b, "  \"key\": {\"arch\": \"x86\", \"os\": \"linux-%d\"},\n", i%7)
		b.WriteString("  \"results\": [")
		for j := range measurements {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "\n    {\"key\": {\"test\": \"draw_%d\", \"units\": \"ms\"}, \"measurement\": %d.%d}", j, i%1000, j)
		}
		b.WriteString("\n  ]\n}\n")
		fsys[fmt.Sprintf("nano/2024/01/%02d/%02d/%d.json", 1+i/24%28, i%24, i)] = &fstest.MapFile{Data: []byte(b.String())}
		size += int64(b.Len())
	}
	return fsys, size
}

func BenchmarkRun(b *testing.B) {
	for _, test := range []struct {
		name            string
		n, measurements int
	}{
		{"2000 files of 6 KB", 2000, 90},
		{"8 files of 2 MB", 8, 30_000},
	} {
		fsys, size := storedTree(test.n, test.measurements)

		var files []File
		for f, err := range Walk(fsys, ".", WalkOptions{}) {
			if err != nil {
				b.Fatal(err)
			}
			files = append(files, f)
		}

		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", test.name, workers), func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					summary, err := Run(b.Context(), sequence(files...), discard{}, RunOptions{Workers: workers})
					if err != nil || summary.Failed > 0 {
						b.Fatalf("%+v, %v", summary, err)
					}
				}
			})
		}
	}
}

func BenchmarkWalk(b *testing.B) {
	fsys, _ := storedTree(10_000, 0)
	for b.Loop() {
		for _, err := range Walk(fsys, ".", WalkOptions{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
