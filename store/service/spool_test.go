package service

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/ingest/admission"
	compression "perfdata/internal/compressed"
)

// Uploads wait for the memory that they need, and are refused when that takes too long, with the time to come
// back.
func TestUploadsAtOnce(t *testing.T) {
	small := skia("a", 1)
	var packed strings.Builder // in a zstd file, in a gzip file
	z, err := compression.NewWriter(&packed, compression.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, small)
	z.Close()
	large := `{"version":1,"results":[` + strings.TrimSuffix(strings.Repeat(`{"key":{"test":"x"},"measurement":1},`, 9000), ",") +
		`],"git_hash":"a"}`
	for _, test := range []struct {
		name, text string
		part       func(b *budget) *admission.Budget
	}{
		{"small", small, func(b *budget) *admission.Budget { return &b.small }},
		{"large", large, func(b *budget) *admission.Budget { return &b.large }},
		{"small and compressed", compressed(small), func(b *budget) *admission.Budget { return &b.small }},
		{"large, but not compressed", compressed(large), func(b *budget) *admission.Budget { return &b.large }},
		{"small, with any window", compressed(packed.String()), func(b *budget) *admission.Budget { return &b.large }},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, h, _ := newTestService(t, nil)
			part := test.part(s.budget)
			others, err := part.Admit(t.Context(), part.Limit)
			if err != nil {
				t.Fatal(err)
			}

			part.Wait = time.Millisecond
			got := request(h, "POST", "/upload", strings.NewReader(test.text))
			if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" {
				t.Errorf("%d %v", got.Code, got.Header())
			}
			part.Wait = time.Minute
			var uploads sync.WaitGroup
			uploads.Go(func() {
				if got := request(h, "POST", "/upload", strings.NewReader(test.text)); got.Code != http.StatusCreated {
					t.Errorf("%d %s", got.Code, got.Body)
				}
			})
			waitUntil(func() bool { return part.Usage().Waiting == 1 })
			others.Release()
			uploads.Wait()
			want := admission.Usage{Refused: 1}
			if diff := cmp.Diff(want, part.Usage()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// waitUntil returns when a condition is true.
func waitUntil(condition func() bool) {
	for !condition() {
		time.Sleep(time.Millisecond)
	}
}

// While the disk has no room, the oldest upload goes on, and others wait. That is not their time.
func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, _, _ := newTestService(t, nil)
	s.budget.disk.Limit = 1
	oldest, err := s.budget.disk.Admit(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 3<<20)
	receive := func(in io.Reader) (*spool, *body, error) {
		w := deadlines{httptest.NewRecorder()}
		r := httptest.NewRequest("POST", "/upload", in)
		b := newBody(newResponse(w, r, s), r, UploadLimits{Bytes: 1 << 30, Time: time.Hour, Rate: 1, Pause: time.Hour})
		a, err := s.receive(t.Context(), b, r.ContentLength)
		return a, b, err
	}

	var uploads sync.WaitGroup
	uploads.Go(func() {
		a, b, err := receive(strings.NewReader(text))
		if err != nil {
			t.Error(err)
			return
		}
		defer a.close()
		got, err := io.ReadAll(a.reader())
		if string(got) != text || err != nil {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if b.waited > time.Second {
			t.Errorf("the client took %v", b.waited)
		}
		if bytes, isSmall := a.takes(format.Limits{}); bytes != 3<<20*parsedMemory || isSmall {
			t.Errorf("it takes %d bytes; small: %t", bytes, isSmall)
		}
	})
	waitUntil(func() bool { return s.budget.disk.Usage().Claims == 2 })
	if err := oldest.Grow(t.Context(), 10<<20); err != nil {
		t.Error(err)
	}
	oldest.Release()
	uploads.Wait()

	// A body that breaks leaves nothing.
	broken := errors.New("broken")
	for _, n := range []int{0, 100, maxInMemory, maxInMemory + 1, 2 << 20} {
		_, b, err := receive(io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || b.err != err {
			t.Errorf("%d bytes: %v, body %v", n, err, b.err)
		}
	}
	if diff := cmp.Diff(admission.Usage{}, s.budget.disk.Usage()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left, err := os.ReadDir(os.TempDir()); len(left) > 0 || err != nil {
		t.Errorf("left: %v %v", left, err)
	}
}

// A full disk is not a fault of the client.
func TestSpoolFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	_, h, _ := newTestService(t, nil)
	got := request(h, "POST", "/upload", strings.NewReader(strings.Repeat(lines, 1000)))
	if got.Code != http.StatusServiceUnavailable || strings.Contains(got.Body.String(), "missing") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// A list that takes more memory than the service has is refused while it arrives, and a client that sends
// all of it gets the answer.
func TestLargeList(t *testing.T) {
	r := start(t, func(c *config) { c.Memory, c.Upload.Bytes = 64<<20, 1<<30 })
	var list strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&list, "%040x\n", i)
	}
	status, answer := r.send(t, "PUT", "/api/commits", list.String())
	if detail := fmt.Sprint(answer["detail"]); status != http.StatusRequestEntityTooLarge ||
		!strings.Contains(detail, "the list needs more than the 24 MiB that the service has for it: the first ") {
		t.Errorf("%d %s", status, detail)
	}
	if status, answer := r.send(t, "PUT", "/api/commits", list.String()[:41*20_000]); status != http.StatusOK {
		t.Errorf("%d %v", status, answer)
	}
}
