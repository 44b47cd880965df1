package peers

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// FuzzMethods calls each method with any values, eight bytes each: none may panic.
func FuzzMethods(f *testing.F) {
	f.Add([]byte{})
	f.Add(slices.Repeat([]byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f}, 20))
	var step []byte
	for i := range 40 {
		step = binary.LittleEndian.AppendUint64(step, math.Float64bits(float64(i%3)+float64(i/20*10)))
	}
	f.Add(step)
	var otava EDivisive
	methods := []StepMethod{OriginalStep, AbsoluteStep, ConstStep, PercentStep, PercentMedianStep, CohenStep,
		MannWhitneyStep, StepinessStep}
	f.Fuzz(func(t *testing.T, data []byte) {
		var values []float64
		var floats []float32
		for ; len(data) >= 8; data = data[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
			floats = append(floats, float32(values[len(values)-1]))
		}
		otava.Find(values)
		for _, method := range methods {
			fit := StepFit{Method: method, Interesting: 1, MinDeviation: 0.1}
			fit.Fit(floats)
			fit.Find(values, 3)
		}
	})
}

func BenchmarkEDivisive(b *testing.B) {
	var e EDivisive
	values := make([]float64, 200)
	for i := range values {
		values[i] = 100 + float64(i*7919%13) + float64(i/100*20)
	}
	for b.Loop() {
		e.Find(values)
	}
	b.ReportMetric(float64(len(values)), "values")
}
