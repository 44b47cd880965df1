//go:build !unix

package opening

// Nonblock is not needed where there are no FIFOs.
const Nonblock = 0
