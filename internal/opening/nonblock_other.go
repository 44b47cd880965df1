//go:build !unix

package opening

const nonblock = 0
