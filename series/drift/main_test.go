package drift_test

import (
	"testing"

	"perfdata/internal/testing/quick"
)

func TestMain(m *testing.M) { quick.Main(m) }
