package service

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// What a request may have before its body. A header of many short lines takes ten times as much memory
// as text.
const (
	maxHeaderBytes = 16 << 10
	maxHeaderLines = 100
)

// A connLimit is a listener with a limit on its connections. One more takes the place of the one that
// has been idle for the longest time. If none is idle, it is answered with 503 and closed, rather
// than left to wait in the kernel, where a client does not learn when to try again.
//
// It also counts the lines of headers as they arrive. Package net/http limits only their bytes, and
// has parsed all of a header before it calls a handler.
type connLimit struct {
	net.Listener
	most int

	mu      sync.Mutex
	open    map[*conn]bool
	refused int // connections
	large   int // headers of too many lines
}

func newConnLimit(l net.Listener, most int) *connLimit {
	return &connLimit{Listener: l, most: most, open: make(map[*conn]bool)}
}

// A conn is a connection that is counted.
type conn struct {
	net.Conn
	limit *connLimit

	// These are the limit's: its mutex is theirs.
	inHeader bool
	lines    int  // of the header
	atStart  bool // of a line
	idle     time.Time
}

func (l *connLimit) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, ok := accepted.(*net.TCPConn); ok {
			// Only a client that reads makes room for the next piece of an answer. An error only
			// means that the default stays.
			tcp.SetWriteBuffer(2 * piece)
		}
		if c := l.add(accepted); c != nil {
			return c, nil
		}
		// No other connection is accepted until this one has its answer.
		accepted.SetDeadline(time.Now().Add(time.Second))
		io.WriteString(accepted, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n"+
			"Content-Length: 0\r\nConnection: close\r\n\r\n")
		accepted.Close()
	}
}

// add returns a connection that is counted, or nil if there are too many.
func (l *connLimit) add(accepted net.Conn) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.most {
		var idlest *conn
		for c := range l.open {
			if !c.idle.IsZero() && (idlest == nil || c.idle.Before(idlest.idle)) {
				idlest = c
			}
		}
		if idlest == nil {
			l.refused++
			return nil
		}
		delete(l.open, idlest)
		// Not its own Close, which locks the mutex. A request that is on its way is lost, as on any
		// idle connection that a server closes: clients send it again on another one.
		idlest.Conn.Close()
	}
	c := &conn{Conn: accepted, limit: l, inHeader: true}
	l.open[c] = true
	return c
}

func (c *conn) Close() error {
	c.limit.mu.Lock()
	delete(c.limit.open, c)
	c.limit.mu.Unlock()
	return c.Conn.Close()
}

// Read counts the lines of a header. What arrives of the next request before the answer is sent is
// not counted: that is at most the buffer of net/http, 4 KiB.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	for text := p[:n]; c.inHeader && len(text) > 0; {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		isEmpty := c.atStart && (len(line) == 0 || string(line) == "\r")
		switch {
		case ended && isEmpty:
			c.inHeader = false
		case ended:
			c.lines++
		}
		c.atStart = ended || isEmpty && string(line) == "\r"
		if text = rest; c.lines > maxHeaderLines {
			c.limit.large++
			return 0, errors.New("the header has too many lines")
		}
	}
	return n, err
}

// changed notes the state of a connection, as [http.Server.ConnState] tells it.
func (l *connLimit) changed(of net.Conn, state http.ConnState) {
	c, ok := of.(*conn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateActive:
		// The header was read. The lines of the body are not counted.
		c.inHeader, c.idle = false, time.Time{}
	case http.StateIdle:
		c.inHeader, c.lines, c.atStart, c.idle = true, 0, false, time.Now()
	}
}

// counts returns the connections that are open, and those and the headers that were refused.
func (l *connLimit) counts() (open, refused, headers int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open), l.refused, l.large
}
