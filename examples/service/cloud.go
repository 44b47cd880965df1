//go:build cloud

package main

// The drivers of cloud buckets have hundreds of packages, which take minutes to compile.
import (
	_ "gocloud.dev/blob/gcsblob" // gs://
	_ "gocloud.dev/blob/s3blob"  // s3://
)
