package ingest

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"perfdata/format"
)

// mayPass reports whether a file that failed may succeed in another attempt.
func mayPass(err error) bool {
	switch {
	case err == nil, format.IsFinal(err), errors.Is(err, ErrRefused), errors.Is(err, ErrLayout):
		return false
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrInvalid):
		return false
	}
	return true
}

// maxBackoff is the longest time between two attempts.
const maxBackoff = time.Minute

// again reports whether a file that failed is to be read again, and waits before it. The attempts
// are counted from 0.
func (w *worker) again(ctx context.Context, err error, attempt int) bool {
	if attempt >= w.options.Retries || !mayPass(err) {
		return false
	}
	select {
	case <-time.After(min(w.options.Backoff<<min(attempt, 16), maxBackoff)):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
