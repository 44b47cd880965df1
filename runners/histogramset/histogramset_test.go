package histogramset

import (
	"testing"

	"perfdata/internal/testing/formattest"
	"perfdata/runners/internal/runnertest"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../../testdata/conformance/histogramset/*.json", 1)
}

func TestRecords(t *testing.T) {
	const attrs = ` benchmarkStart:1764086400000 botId:bot-7,bot-8`
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "our file",
			in:   testFiles(t)["histograms.json"],
			want: []string{
				`8:80: 5.sampleValues.1: Invalid type. Expected: number, given: null`,
				`8:102: 5.numNans: frame_time: 2 samples are not numbers`,
				`benchmark=smoothness name=frame_time os=linux story=load:news unit=ms = 16.5` + attrs,
				`benchmark=smoothness name=frame_time os=linux story=load:news unit=ms = 17` + attrs,
				`name=score stat=mean unit=unitless = 6.25`,
				`name=score stat=min unit=unitless = 1`,
				`name=score stat=max unit=unitless = 9`,
				`name=score stat=stddev unit=unitless = 1.5`,
				`name=size story=load:news unit=sizeInBytes = 1024`,
				`18:3: 9: name is required`,
				`19:12: 10.name: Invalid type. Expected: string, given: integer`,
				`20:3: 11: Invalid type. Expected: object, given: integer`,
			},
		},
		{name: "no histograms", in: `[]`, want: []string{}},
		{
			name: "empty",
			want: []string{`FATAL 1:1: the input is empty`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "histogramset") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, testFiles(f)) }
