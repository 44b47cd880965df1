// Package ingest reads trees of files into a store that the caller supplies: a [Sink].
package ingest
