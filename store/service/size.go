package service

import (
	"context"
	"math"
	"sync"
	"time"

	"perfdata/store"
)

// A cachedSize is the size of the store. Counting takes time, so it may be a minute old.
type cachedSize struct {
	*Service
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

// get returns the part of the size that is 1, or NaN if it is not known.
func (c *cachedSize) get(part store.Size) float64 {
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
	return float64(part.Bytes*c.size.Bytes) + float64(part.Files*c.size.Files+
		part.Measurements*c.size.Measurements+part.Traces*c.size.Traces)
}
