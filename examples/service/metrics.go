package main

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"perfdata/ingest"
)

// metrics are what Prometheus collects.
type metrics struct {
	registry *prometheus.Registry
	files    *prometheus.CounterVec
	records  *prometheus.CounterVec
	bytes    *prometheus.CounterVec
	requests *prometheus.HistogramVec
}

// newMetrics returns metrics with the number of requests in progress of a service.
func newMetrics(s *service) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		files: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "service_files_total", Help: "Files that were stored, or failed.",
		}, []string{"via", "result"}),
		records: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "service_records_total", Help: "Measurements in the files that were stored.",
		}, []string{"via"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "service_file_bytes_total", Help: "Size of the files that were stored, as they arrived.",
		}, []string{"via"}),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "service_request_seconds", Help: "Time from the header of a request to the end of the answer.",
		}, []string{"route", "status"}),
	}

	for _, gauge := range []struct {
		name, help string
		requests   chan struct{}
	}{
		{"service_uploads_in_progress", "Uploads in progress.", s.uploads.waiting},
		{"service_uploads_storing", "Uploads in progress that are being stored.", s.uploads.slots},
		{"service_queries_in_progress", "Queries in progress.", s.queries},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: gauge.name, Help: gauge.help},
			func() float64 { return float64(len(gauge.requests)) }))
	}
	m.addStore(s)
	m.registry.MustRegister(m.files, m.records, m.bytes, m.requests, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// file counts a file.
func (m *metrics) file(via string, r ingest.Report) {
	if r.Err != nil {
		m.files.WithLabelValues(via, "failed").Inc()
		return
	}
	m.files.WithLabelValues(via, "stored").Inc()
	m.records.WithLabelValues(via).Add(float64(r.Content.Records))
	m.bytes.WithLabelValues(via).Add(float64(r.Content.Size))
}

// request counts a request. Its route is the pattern that it matched, or empty.
func (m *metrics) request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}
