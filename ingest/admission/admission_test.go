package admission_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/ingest/admission"
)

// admit is Admit of a request that is admitted.
func admit(t *testing.T, b *admission.Budget, bytes int64) *admission.Claim {
	t.Helper()
	c, err := b.Admit(t.Context(), bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A request that does not fit waits in the queue, for a bounded time.
func TestAdmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &admission.Budget{Limit: 10, Queue: 1, Wait: time.Minute}
		first, second := admit(t, b, 6), admit(t, b, 4)

		began := time.Now()
		var waiters sync.WaitGroup
		waiters.Go(func() {
			if _, err := b.Admit(t.Context(), 1); !errors.Is(err, admission.ErrFull) || time.Since(began) != time.Minute {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
		})
		synctest.Wait()
		if _, err := b.Admit(t.Context(), 1); !errors.Is(err, admission.ErrFull) || time.Since(began) != 0 {
			t.Errorf("a full queue: %v", err)
		}
		waiters.Wait()
		want := admission.Usage{Bytes: 10, Claims: 2, Refused: 2}
		if diff := cmp.Diff(want, b.Usage()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}

		// One that waits is admitted when there is room.
		waiters.Go(func() { admit(t, b, 5).Release() })
		synctest.Wait()
		second.Release()
		synctest.Wait()
		if got := b.Usage(); got.Waiting != 1 || got.Claims != 1 {
			t.Errorf("4 of 5 bytes are free: %+v", got)
		}
		first.Release()
		first.Release()
		waiters.Wait()
		if diff := cmp.Diff(admission.Usage{Refused: 2}, b.Usage()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		admit(t, b, 1000).Release() // alone
	})
}

// A request whose context ends does not wait, and later requests are served.
func TestAdmitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &admission.Budget{Limit: 10, Queue: 5, Wait: time.Hour}
		admit(t, b, 5)
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		var waiters sync.WaitGroup
		waiters.Go(func() {
			if _, err := b.Admit(ctx, 6); !errors.Is(err, gone) {
				t.Error(err)
			}
		})
		synctest.Wait()
		waiters.Go(func() { admit(t, b, 5) })
		synctest.Wait()
		if got := b.Usage(); got.Waiting != 2 {
			t.Errorf("one passed another: %+v", got)
		}
		cancel(gone)
		waiters.Wait()
		if got := b.Usage(); got.Waiting != 0 || got.Bytes != 10 || got.Refused != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// The oldest claim grows beyond the limit, and others when there is room or they are the oldest.
func TestGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &admission.Budget{Limit: 10, Wait: time.Hour}
		var order []string
		var waiters sync.WaitGroup
		claims := []*admission.Claim{admit(t, b, 1), admit(t, b, 1), admit(t, b, 1)}
		for _, i := range []int{2, 1} {
			waiters.Go(func() {
				if err := claims[i].Grow(t.Context(), 20); err != nil {
					t.Error(err)
				}
				order = append(order, fmt.Sprint(i, " has ", claims[i].Bytes()))
				claims[i].Release()
			})
			synctest.Wait()
		}
		if err := claims[0].Grow(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		if got := b.Usage(); got.Bytes != 103 || order != nil {
			t.Errorf("%+v %q", got, order)
		}
		claims[0].Release()
		waiters.Wait()
		if diff := cmp.Diff([]string{"1 has 21", "2 has 21"}, order); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(admission.Usage{}, b.Usage()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}

		// A claim whose context ends keeps its bytes.
		admit(t, b, 10)
		young := admit(t, b, 0)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := young.Grow(ctx, 1); !errors.Is(err, context.Canceled) || young.Bytes() != 0 {
			t.Errorf("%d %v", young.Bytes(), err)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for _, test := range []struct{ held, want time.Duration }{
		{0, time.Second}, {5 * time.Second, 5 * time.Second}, {time.Hour, time.Minute},
	} {
		t.Run(test.held.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &admission.Budget{Limit: 1}
				c := admit(t, b, 1)
				time.Sleep(test.held)
				c.Release()
				admit(t, b, 1)
				if got := b.RetryAfter(); got != test.want {
					t.Errorf("%v, want %v", got, test.want)
				}
			})
		})
	}
}

// Whatever requests do, the budget is empty in the end, and no more than the limit is used except by the
// oldest.
func TestManyClaims(t *testing.T) {
	b := &admission.Budget{Limit: 100, Queue: 1000, Wait: time.Hour}
	var requests sync.WaitGroup
	for i := range 200 {
		requests.Go(func() {
			c, err := b.Admit(t.Context(), int64(i%7))
			for k := 0; err == nil && k < i%5; k++ {
				err = c.Grow(t.Context(), int64(i%11))
			}
			if err != nil {
				t.Error(err)
			}
			if used := b.Usage().Bytes; used > 100+4*10 {
				t.Errorf("%d bytes", used)
			}
			c.Release()
		})
	}
	requests.Wait()
	if diff := cmp.Diff(admission.Usage{}, b.Usage()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
