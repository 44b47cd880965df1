package service

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// dialLimited connects to a service.
func dialLimited(t *testing.T, r *running) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// answerOf sends text, and returns the status of the answer, or 0 if there is none.
func answerOf(conn net.Conn, text string) int {
	io.WriteString(conn, text) // an error comes from the answer
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// A header has a bounded size and number of lines, on each request of a connection.
func TestHeaderLimits(t *testing.T) {
	const begin, end = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n", "\r\n"
	lines := func(n int) string { return strings.Repeat("A: b\r\n", n) }
	r, count := start(t, nil), 0
	for _, test := range []struct {
		name, text string
		want       int // 0 if the connection ends
	}{
		{"few lines", begin + lines(90) + end, 200},
		{"many lines", begin + lines(110) + end, 0},
		{"unfinished lines", begin + lines(110), 0},
		{"many lines at first", begin + lines(110) + end, 400},
		{"a long line", begin + "A: " + strings.Repeat("b", maxHeaderBytes+8<<10) + "\r\n" + end, 431},
		{"many parameters", "GET /healthz?" + strings.Repeat("&", 200) + " HTTP/1.1\r\nHost: localhost\r\n" + end, 400},
		{"lines of a body", "POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300\r\n\r\n" + strings.Repeat("x\n", 150), 422},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn := dialLimited(t, r)
			for range 3 { // other requests do not count
				if strings.HasSuffix(test.name, "at first") {
					break
				}
				if got := answerOf(conn, begin+lines(50)+end); got != 200 {
					t.Fatalf("an earlier request: %d", got)
				}
			}
			if got := answerOf(conn, test.text); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
			if strings.Contains(test.text, lines(110)) {
				count++
			}
			r.hasMetric(t, fmt.Sprintf(`service_refused_total{part="headers"} %d`, count))
		})
	}
}

// A connection more takes the place of an idle one, or is refused.
func TestConnections(t *testing.T) {
	const most = MinMemory / 8 / connectionMemory
	r := start(t, func(c *config) { c.Memory = MinMemory })
	const healthy = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	var conns []net.Conn
	for i := range most {
		conns = append(conns, dialLimited(t, r))
		text := healthy
		if i > 0 {
			text = fmt.Sprintf("POST /upload?name=%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n", i)
		}
		if _, err := io.WriteString(conns[i], text); err != nil {
			t.Fatal(err)
		}
	}
	if response, err := http.ReadResponse(bufio.NewReader(conns[0]), nil); err != nil || response.StatusCode != 200 {
		t.Fatal(err)
	}
	if got := answerOf(dialLimited(t, r), healthy); got != 200 {
		t.Errorf("in place of an idle one: %d", got)
	}
	io.WriteString(conns[1], "BenchmarkA") // an upload that ends makes room
	if _, err := io.Copy(io.Discard, conns[0]); err != nil {
		t.Errorf("the idle one: %v", err)
	}
	conns[2].Close()
	if text := r.metrics(t); !strings.Contains(text, fmt.Sprintf("service_connections %d\n", most)) {
		t.Log(text)
	}
}

// A connection that does not fit is answered with the time to come back.
func TestConnectionRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limit := newConnLimit(listener, 1)
	accepted := make(chan net.Conn)
	go func() {
		for {
			c, err := limit.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	r := &running{url: "http://" + listener.Addr().String()}
	dialLimited(t, r)
	first := <-accepted
	conn := dialLimited(t, r)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("%v %v", response, err)
	}
	first.Close()
	dialLimited(t, r)
	(<-accepted).Close()
	listener.Close()
	<-accepted
	if open, refused, _ := limit.counts(); open != 0 || refused != 1 {
		t.Errorf("%d open, %d refused", open, refused)
	}
}
