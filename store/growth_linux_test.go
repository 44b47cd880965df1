package store

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"perfdata/internal/svg"
)

var (
	growthValues  = flag.Int("growth", 0, "number of values of TestGrowth")
	growthPicture = flag.String("picture", "", "name of the SVG file that TestGrowth writes")
)

// The files whose cost TestGrowth measures, after each growthStep values of other files.
const (
	growthStep  = 1_000_000
	growthFiles = 200
)

// A growthPoint is the cost of a file of 100 measurements in a store with some values, and in a new
// one. Both are CPU time, and were measured one after the other, because it depends on what else
// runs.
type growthPoint struct {
	values      int
	cost, fresh time.Duration
}

// TestGrowth measures what a file costs while the store grows, in CPU time of client and server,
// and draws it. The files are the same as in TestStoring. Between them, files of 10,000 values of
// the same 100,000 traces are stored.
func TestGrowth(t *testing.T) {
	if *growthValues == 0 {
		t.Skip("it is run by hand: go test -run TestGrowth -v -timeout 1h -growth 10000000 -picture growth.svg")
	}
	lines := make(map[string][]growthPoint)
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		values, stored, large := 0, 0, 0
		for {
			var numbers []int
			for range growthFiles {
				numbers = append(numbers, stored)
				stored++
			}
			point := growthPoint{values, storingCost(t, s, numbers), storingCost(t, open(t, newDatabase()), numbers)}
			name := map[bool]string{false: "SQLite", true: "PostgreSQL, client and server"}[isPostgres(s)]
			lines[name] = append(lines[name], point)
			t.Logf("%9d values: %v a file, in a new store %v", values, point.cost, point.fresh)
			values += 100 * growthFiles

			if values >= *growthValues {
				return
			}
			for range growthStep / 10_000 {
				f := benchSource(large/10, manyFile(large/10, large%10))
				f.Path += fmt.Sprint("large", large)
				ingestBench(t, s, 1, f)
				large++
			}
			values += growthStep
		}
	})
	if *growthPicture != "" {
		if err := os.WriteFile(*growthPicture, growthSVG(lines), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// storingCPU returns the CPU time of the process, and of the server if there is one.
func storingCPU(t *testing.T, s *Store) time.Duration {
	if isPostgres(s) {
		return processCPU(t) + serverCPU(t, shared.dir)
	}
	return processCPU(t)
}

// storingCost stores files, and returns the CPU time of one.
func storingCost(t *testing.T, s *Store, numbers []int) time.Duration {
	began := storingCPU(t, s)
	ingestStoring(t, s, numbers)
	return (storingCPU(t, s) - began) / time.Duration(len(numbers))
}

// growthSVG draws two lines for each database, from zero: for the store, and thinner, for new ones.
func growthSVG(lines map[string][]growthPoint) []byte {
	const width, height, left, right, top, bottom = 720, 320, 50, 20, 40, 50
	most, slowest := 1, time.Duration(1)
	for _, line := range lines {
		for _, p := range line {
			most, slowest = max(most, p.values), max(slowest, p.cost, p.fresh)
		}
	}
	slowest = slowest.Truncate(5*time.Millisecond) + 5*time.Millisecond
	at := func(p growthPoint) [2]float64 {
		return [2]float64{
			left + (width-left-right)*float64(p.values)/float64(most),
			height - bottom - (height-top-bottom)*float64(p.cost)/float64(slowest),
		}
	}

	const title = "CPU time of a file of 100 measurements, by the number of values in the store"
	const head = `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">` +
		"\n<title>%[3]s</title>\n<style>\ntext{font:13px sans-serif}\n.soft{fill:#57606a}\n%[4]s</style>\n" +
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
	const rules = ".axis{stroke:#57606a;opacity:.25}.line{fill:none;stroke-width:2}.new{stroke-width:1;stroke-dasharray:4 3}.a{stroke:#0969da}.b{stroke:#bc4c00}\n"
	var p svg.Picture
	fmt.Fprintf(&p, head, width, height, title, rules)
	p.Text("", left, 22, "", "ms of CPU time a file")
	for cost := time.Duration(0); cost <= slowest; cost += 5 * time.Millisecond {
		p.Path("axis", svg.Line(at(growthPoint{cost: cost}), at(growthPoint{values: most, cost: cost})))
		p.Text("soft", left-8, at(growthPoint{cost: cost})[1]+4, "end", fmt.Sprint(cost.Milliseconds()))
	}
	for values := 0; values <= most; values += 2_000_000 {
		p.Text("soft", at(growthPoint{values: values})[0], height-bottom+20, "middle", fmt.Sprint(values/1_000_000))
	}
	p.Text("soft", width-right, height-10, "end", "million values in the store (dashed: the same files in a new store, at the same time)")
	for i, name := range []string{"SQLite", "PostgreSQL, client and server"} {
		var points, fresh [][2]float64
		for _, one := range lines[name] {
			points, fresh = append(points, at(one)), append(fresh, at(growthPoint{values: one.values, cost: one.fresh}))
		}
		class := string(rune('a' + i))
		p.Path("line "+class, svg.Line(points...))
		p.Path("line new "+class, svg.Line(fresh...))
		y := float64(18 + 16*i)
		p.Path("line "+class, svg.Line([2]float64{width - 260, y}, [2]float64{width - 230, y}))
		p.Text("", width-222, y+4, "", name)
	}
	p.WriteString("</svg>\n")
	return p.Bytes()
}
