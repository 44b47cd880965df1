package main

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"perfdata/ingest"
	"perfdata/ingest/admission"
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

	b := s.budget
	for _, part := range []struct {
		name   string
		budget *admission.Budget
	}{{"small", &b.small}, {"large", &b.large}, {"queries", &b.queries}, {"reports", &b.reports}, {"pages", &b.pages}, {"disk", &b.disk}} {
		m.addBudget(part.name, part.budget)
	}
	m.gauge("service_uploads_in_progress", "Uploads in progress.", nil, func() float64 { return float64(s.uploads.Load()) })
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

// addBudget adds the metrics of a part of the budget.
func (m *metrics) addBudget(name string, b *admission.Budget) {
	labels := prometheus.Labels{"part": name}
	m.gauge("service_reserved_bytes", "Bytes of a part of the budget that are reserved.", labels, func() float64 {
		return float64(b.Usage().Bytes)
	})
	m.gauge("service_in_progress", "Requests that have some of a part of the budget.", labels, func() float64 {
		return float64(b.Usage().Claims)
	})
	m.gauge("service_waiting", "Requests that wait for a part of the budget.", labels, func() float64 {
		return float64(b.Usage().Waiting)
	})
	m.refused(name, func() int { return b.Usage().Refused })
}

// addConnections adds the metrics of connections.
func (m *metrics) addConnections(l *connLimit) {
	m.gauge("service_connections", "Connections that are open.", nil, func() float64 {
		open, _, _ := l.counts()
		return float64(open)
	})
	m.refused("connections", func() int { _, n, _ := l.counts(); return n })
	m.refused("headers", func() int { _, _, n := l.counts(); return n })
}

// refused adds a count of requests that were refused because a part of the budget was in use.
func (m *metrics) refused(part string, count func() int) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "service_refused_total", Help: "Requests that were refused because a part of the budget was in use.",
		ConstLabels: prometheus.Labels{"part": part},
	}, func() float64 { return float64(count()) }))
}

func (m *metrics) gauge(name, help string, labels prometheus.Labels, value func() float64) {
	options := prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}
	m.registry.MustRegister(prometheus.NewGaugeFunc(options, value))
}
