package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumbers(t *testing.T) {
	got := []string{
		rounded(5130, 3), rounded(999, 3), short(5130), short(-12345), short(1e12), percent(0.0005), percent(0), percent(0.01), percent(20),
	}
	want := []string{"5.13k", "999", "5130", "−12.35k", "1T", "×0.0005", "−100.0%", "−99.0%", "×20"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
