module perfdata/examples/fuzz

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	perfdata v0.0.0
)

require github.com/klauspost/compress v1.20.3 // indirect

replace perfdata => ../../
