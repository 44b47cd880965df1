package service

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"perfdata/ingest/admission"
	"perfdata/store"
)

// metrics are what Prometheus collects, in its text format. They are few: no label has text that
// clients choose, with which they could add samples without end.
type metrics struct {
	mu       sync.Mutex
	families map[string]*family // by name
}

// A family has the samples of a metric.
type family struct {
	help, kind string
	buckets    []float64          // of a histogram
	samples    map[string]*sample // by labels, as in a="b",c="d"
}

// A sample is a number, or a histogram.
type sample struct {
	value func() float64

	count   float64 // or the sum of a histogram
	buckets []int   // of observations; the last has the rest
}

// The buckets of times, in seconds. Requests have those of the clients of Prometheus. Transactions
// may take a millisecond, or a minute when others write or the disk is busy.
var (
	requestBuckets     = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	transactionBuckets = []float64{.001, .004, .016, .064, .256, 1.024, 4.096, 16.384, 65.536}
)

// sample returns the sample of a metric with labels, which alternate between names and values. The caller
// holds the lock. The first call for a metric sets its help.
func (m *metrics) sample(kind, name, help string, buckets []float64, labels []string) *sample {
	f := m.families[name]
	if f == nil {
		f = &family{help: help, kind: kind, buckets: buckets, samples: make(map[string]*sample)}
		m.families[name] = f
	}

	var text []byte
	for i := 0; i+1 < len(labels); i += 2 {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "%s=%q", labels[i], labels[i+1])
	}
	s := f.samples[string(text)]
	if s == nil {
		s = &sample{buckets: make([]int, len(buckets)+1)}
		f.samples[string(text)] = s
	}
	return s
}

// add adds to a counter, or with buckets to a histogram.
func (m *metrics) add(name, help string, n float64, buckets []float64, labels ...string) {
	kind := "counter"
	if buckets != nil {
		kind = "histogram"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sample(kind, name, help, buckets, labels)
	s.count += n
	i, _ := slices.BinarySearch(buckets, n)
	s.buckets[i]++
}

// addFunc adds a metric whose value a function returns.
func (m *metrics) addFunc(kind, name, help string, value func() float64, labels ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sample(kind, name, help, nil, labels).value = value
}

// ask returns the values of functions. They are called without the lock, because the size of the store
// may take seconds, for which requests and transactions, which are counted with the lock, must not wait.
func (m *metrics) ask() map[*sample]float64 {
	functions := make(map[*sample]func() float64)
	m.mu.Lock()
	for _, f := range m.families {
		for _, s := range f.samples {
			if s.value != nil {
				functions[s] = s.value
			}
		}
	}
	m.mu.Unlock()

	values := make(map[*sample]float64, len(functions))
	for s, value := range functions {
		values[s] = value()
	}
	return values
}

// appendText appends all metrics.
func (m *metrics) appendText(dst []byte) []byte {
	values := m.ask()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.families)) {
		f := m.families[name]
		dst = fmt.Appendf(dst, "# HELP %s %s\n# TYPE %s %s\n", name, f.help, name, f.kind)
		line := func(suffix, labels string, value float64) {
			dst = append(append(dst, name...), suffix...)
			if labels != "" {
				dst = append(append(append(dst, '{'), labels...), '}')
			}
			dst = append(strconv.AppendFloat(append(dst, ' '), value, 'g', -1, 64), '\n')
		}

		for _, labels := range slices.Sorted(maps.Keys(f.samples)) {
			s := f.samples[labels]
			value, isAsked := values[s]
			switch {
			case isAsked:
				line("", labels, value)
			case s.value != nil: // it was added meanwhile
			case f.buckets == nil:
				line("", labels, s.count)
			default:
				// A bucket of Prometheus includes all smaller ones.
				n := 0
				// Without Clip, append might write to the array of all metrics with these buckets.
				for i, most := range append(slices.Clip(f.buckets), math.Inf(1)) {
					n += s.buckets[i]
					line("_bucket", fmt.Sprintf("%s,le=%q", labels, strconv.FormatFloat(most, 'g', -1, 64)), float64(n))
				}
				line("_sum", labels, s.count)
				line("_count", labels, float64(n))
			}
		}
	}
	return dst
}

// addMetrics adds the metrics that the service computes when asked.
func (s *Service) addMetrics() {
	for name, part := range s.budget.parts {
		usage := func(kind, metric, help string, of func(u admission.Usage) float64) {
			s.metrics.addFunc(kind, "service_"+metric, help, func() float64 { return of(part.Usage()) }, "part", name)
		}
		usage("gauge", "reserved_bytes", "Bytes of a part of the budget that are reserved.",
			func(u admission.Usage) float64 { return float64(u.Bytes) })
		usage("gauge", "in_progress", "Requests that have some of a part of the budget.",
			func(u admission.Usage) float64 { return float64(u.Claims) })
		usage("gauge", "waiting", "Requests that wait for a part of the budget.",
			func(u admission.Usage) float64 { return float64(u.Waiting) })
		usage("counter", "refused_total", "Requests that were refused because a part of the budget was in use.",
			func(u admission.Usage) float64 { return float64(u.Refused) })
	}

	s.Gauge("service_uploads_in_progress", "Uploads in progress.", func() float64 { return float64(s.uploads.Load()) })
	// Counting reads tables, so a size may be a minute old. If it fails, it is tried again sooner.
	count := func(name, help string, of func(size store.Size) float64) {
		s.Gauge(name, help, func() float64 {
			size, err := s.size.get(time.Minute, 10*time.Second, func(ctx context.Context) (store.Size, error) {
				size, err := s.db.Size(ctx)
				if err != nil {
					s.log.Error("the store was not counted", "error", err)
				}
				return size, err
			})
			// With a 0, the data would seem to be lost.
			if err != nil {
				return math.NaN()
			}
			return of(size)
		})
	}
	count("service_store_bytes", "Size of the database.", func(s store.Size) float64 { return float64(s.Bytes) })
	count("service_store_files", "Files in the database.", func(s store.Size) float64 { return float64(s.Files) })
	count("service_store_measurements", "Measurements in the database.",
		func(s store.Size) float64 { return float64(s.Measurements) })
	count("service_store_traces", "Traces in the database.", func(s store.Size) float64 { return float64(s.Traces) })
	// These have the names of the clients of Prometheus, for the dashboards that exist.
	s.Gauge("go_goroutines", "Goroutines.", func() float64 { return float64(runtime.NumGoroutine()) })

	const statm = "/proc/self/statm" // in which Linux has the pages of a process
	if _, err := os.Stat(statm); err == nil {
		s.Gauge("process_resident_memory_bytes", "Resident memory of the process.", func() float64 {
			var all, resident int
			text, err := os.ReadFile(statm)
			if err == nil {
				_, err = fmt.Sscan(string(text), &all, &resident)
			}
			if err != nil {
				return math.NaN()
			}
			return float64(resident * os.Getpagesize())
		})
	}
}

// addConnections adds the metrics of connections. The metric of refusals has its help from addMetrics.
func (s *Service) addConnections(l *connLimit) {
	s.Gauge("service_connections", "Connections that are open.", func() float64 {
		open, _, _ := l.counts()
		return float64(open)
	})
	s.metrics.addFunc("counter", "service_refused_total", "", func() float64 { _, n, _ := l.counts(); return float64(n) },
		"part", "connections")
	s.metrics.addFunc("counter", "service_refused_total", "", func() float64 { _, _, n := l.counts(); return float64(n) },
		"part", "headers")
}

// Gauge adds a metric to the service's. Several goroutines may call the function at the same time.
func (s *Service) Gauge(name, help string, value func() float64) {
	s.metrics.addFunc("gauge", name, help, value)
}

// collect answers with the metrics.
func (s *Service) collect(w *response, _ *http.Request) error {
	w.send("text/plain; version=0.0.4; charset=utf-8", s.metrics.appendText(nil))
	return nil
}

// countTransaction counts a transaction of the store.
func (m *metrics) countTransaction(one store.Transaction) {
	result := "committed"
	if one.Err != nil {
		result = "failed"
	}
	m.add("service_transaction_wait_seconds", "Time until a transaction that writes begins.", one.Wait.Seconds(),
		transactionBuckets, "result", result)
	m.add("service_transaction_seconds", "Time of a transaction that writes, until it is on the disk.",
		one.Took.Seconds(), transactionBuckets, "result", result)
}
