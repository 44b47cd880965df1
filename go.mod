module perfdata

go 1.26.0

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794
	github.com/google/go-cmp v0.7.0
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
	github.com/klauspost/compress v1.20.3
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da
)

tool golang.org/x/perf/cmd/benchstat
