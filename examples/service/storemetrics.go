package main

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"perfdata/store"
)

// transactions are the metrics of what the store writes.
type transactions struct{ wait, took *prometheus.HistogramVec }

func newTransactions() *transactions {
	buckets := prometheus.ExponentialBuckets(0.001, 4, 9) // 1 ms to 65 s
	return &transactions{
		wait: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "service_transaction_wait_seconds", Help: "Time until a transaction that writes begins.", Buckets: buckets,
		}, []string{"result"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "service_transaction_seconds", Help: "Time of a transaction that writes, until it is on the disk.",
			Buckets: buckets,
		}, []string{"result"}),
	}
}

// add counts a transaction.
func (t *transactions) add(one store.Transaction) {
	result := "committed"
	if one.Err != nil {
		result = "failed"
	}
	t.wait.WithLabelValues(result).Observe(one.Wait.Seconds())
	t.took.WithLabelValues(result).Observe(one.Took.Seconds())
}

func (t *transactions) collectors() []prometheus.Collector {
	return []prometheus.Collector{t.wait, t.took}
}

// addStore adds the metrics of the size of the store, and the watched tree.
func (m *metrics) addStore(s *service) {
	size := &cachedSize{service: s}
	for _, gauge := range []struct {
		name, help string
		value      func() float64
	}{
		{"service_store_bytes", "Size of the database.", func() float64 {
			return size.get(func(z store.Size) int64 { return z.Bytes })
		}},
		{"service_store_files", "Files in the database.", func() float64 {
			return size.get(func(z store.Size) int64 { return int64(z.Files) })
		}},
		{"service_store_measurements", "Measurements in the database.", func() float64 {
			return size.get(func(z store.Size) int64 { return int64(z.Measurements) })
		}},
		{"service_store_traces", "Traces in the database.", func() float64 {
			return size.get(func(z store.Size) int64 { return int64(z.Traces) })
		}},
	} {
		m.gauge(gauge.name, gauge.help, nil, gauge.value)
	}

	if !s.watches {
		return
	}
	s.scanned.Store(time.Now().UnixNano())
	const help = "Time since the last scan of the tree began that left no file to try again, or since the start."
	m.gauge("service_watch_lag_seconds", help, nil, func() float64 {
		return time.Since(time.Unix(0, s.scanned.Load())).Seconds()
	})
}

// A cachedSize is the size of the store. To count takes time, so it is that of the last minute.
type cachedSize struct {
	*service
	mu    sync.Mutex
	size  store.Size
	err   error
	until time.Time
}

// sizeTime is the time for which a size is not counted again, and sizeLimit that for which it may be
// counted.
const (
	sizeTime  = time.Minute
	sizeLimit = 10 * time.Second
)

// get returns a part of the size, or NaN if it is not known.
func (c *cachedSize) get(part func(store.Size) int64) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.After(c.until) {
		ctx, cancel := context.WithTimeout(context.Background(), sizeLimit)
		defer cancel()
		c.size, c.err = c.db.Size(ctx)
		c.until = now.Add(sizeTime)
		if c.err != nil {
			c.until = now.Add(sizeLimit)
			c.log.Error("the store was not counted", "error", c.err)
		}
	}
	if c.err != nil {
		return math.NaN()
	}
	return float64(part(c.size))
}
