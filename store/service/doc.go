// Package service serves a [store.Store] over HTTP: it takes files of any format, answers queries,
// and has a page that shows what changed. The program examples/service adds flags, folders and
// buckets to it, and its README describes the requests and answers.
//
// The memory that clients can make it hold is derived from one number, [Config.Memory]. A request
// that does not fit waits, in a queue of bounded length and for a bounded time, and is then refused
// with status 503 and Retry-After, and counted at /metrics. An upload arrives in a temporary file
// before it takes memory.
//
//	s, err := service.Open(ctx, "perf.db", service.DefaultConfig(), log)
//	...
//	err = s.Serve(ctx, listener)
//
// A program that embeds it should limit its heap, garbage included, to [Config.HeapLimit].
package service
