package service

import (
	"time"

	"perfdata/format"
)

// A Config is how a Service works. Begin with DefaultConfig.
type Config struct {
	Memory int64 // in bytes, for everything that clients send and ask, and the caches of the store

	Charset       string // of trace IDs: see [store.Options]
	Token         string // that requests which change something must have; may be empty
	AllowNoCommit bool   // store results that name no commit, each run by itself
	Strict        bool   // refuse files with faulty measurements

	Query  QueryLimits
	Upload UploadLimits

	CommitURL string        // of the page's links, with {commit} for the hash; may be empty
	Known     string        // a file of accepted changes, which is read again when it changes: see package accepted
	Refresh   time.Duration // between two questions of an open page for newer values
	Rescan    time.Duration // after which data is old that other programs may have changed

	Grace time.Duration // for requests that are in progress when Serve ends
}

// QueryLimits bounds what one query can use.
type QueryLimits struct {
	Time  time.Duration // without the time in which the client takes the answer
	Wait  time.Duration // for others
	Stall time.Duration // in which a client must take 64 KiB of an answer
}

// UploadLimits bounds what one upload, and all waiting uploads together, can use.
type UploadLimits struct {
	Bytes  int64 // of a request's body
	Time   time.Duration
	Rate   int64         // bytes a second that a client must send, if it is not 0
	Pause  time.Duration // that is allowed in addition
	Wait   time.Duration // for others
	Spool  int64         // bytes of all in temporary files; answers have a quarter of as much
	Format format.Limits
}

// MinMemory is the least Memory of a Config: with less, the part of the budget for queries has no
// room for one.
const MinMemory = 64 << 20

// DefaultConfig returns the defaults. A query waits for seconds, as a person does, and an upload for
// minutes, as a job of CI can. With the default Grace, Serve ends before Kubernetes kills its
// process, 30 seconds after it asked for the end.
func DefaultConfig() Config {
	return Config{
		Memory: 256 << 20,
		Query:  QueryLimits{Time: 30 * time.Second, Wait: 10 * time.Second, Stall: 20 * time.Second},
		Upload: UploadLimits{
			Bytes: 1 << 30, Time: 10 * time.Minute, Rate: 10_000, Pause: 10 * time.Second, Wait: 2 * time.Minute,
			Spool: 4 << 30, Format: format.Limits{MaxDecompressedBytes: 4 << 30},
		},
		Refresh: 10 * time.Second, Rescan: time.Minute, Grace: 10 * time.Second,
	}
}

// HeapLimit returns the limit of the heap, garbage included, with which the process takes less than the
// tests say. The caches of SQLite are not in it.
func (c *Config) HeapLimit() int64 { return c.Memory / 4 * 3 }
