package perfdata

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/internal/opening"
	"perfdata/keyval"
	"perfdata/keyval/job"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/runners/androidx"
	"perfdata/runners/asv"
	"perfdata/runners/benchmarktools"
	"perfdata/runners/bmf"
	"perfdata/runners/chartjson"
	"perfdata/runners/criterion"
	"perfdata/runners/dotnetbench"
	"perfdata/runners/ghbench"
	"perfdata/runners/googlebench"
	"perfdata/runners/gungraun"
	"perfdata/runners/histogramset"
	"perfdata/runners/hyperfine"
	"perfdata/runners/jmh"
	"perfdata/runners/pyperf"
	"perfdata/runners/pytestbench"
	"perfdata/runners/vitest"
	"perfdata/skiav1"
	"perfdata/table"
)

// Formats returns the formats that the module knows. This is the only list of them.
func Formats() []format.Format {
	return []format.Format{
		skiav1.Format(),
		nanolegacy.Format(),
		benchfmt.Format(),
		keyval.Format(),
		job.Format(),
		perun.Format(),
		googlebench.Format(),
		ghbench.Format(),
		hyperfine.Format(),
		pytestbench.Format(),
		jmh.Format(),
		vitest.Format(),
		criterion.Format(),
		dotnetbench.Format(),
		histogramset.Format(),
		chartjson.Format(),
		androidx.Format(),
		pyperf.Format(),
		bmf.Format(),
		gungraun.Format(),
		benchmarktools.Format(),
		asv.Format(),
		table.JSONL(),
		table.CSV(),
		table.TSV(),
	}
}

// known is Formats, made once: to make it for each file is a tenth of the time of ingesting one of 6 KB.
// It never changes.
var known = Formats()

// FormatNamed returns the format with that name, such as "skiav1".
func FormatNamed(name string) (format.Format, bool) {
	for i := range known {
		if known[i].Name == name {
			return known[i], true
		}
	}
	return format.Format{}, false
}

// CheckSettings returns an error if a name in settings is not that of a format's setting, or the
// value is wrong. An [Opener] calls it, so that a wrong setting is found even if no file has its
// format.
func CheckSettings(settings map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		name, _, _ := strings.Cut(key, ".")
		f, ok := FormatNamed(name)
		own := func() format.Format { return f }
		if !ok || f.Open == nil {
			return fmt.Errorf("%w: setting %q: want FORMAT.SETTING, such as skiav1.branches", format.ErrOption, key)
		}
		r := f.Open(nil, strings.NewReader(""), format.Options{})
		if err := opening.Configure(own, r, format.Options{Settings: map[string]string{key: settings[key]}}); err != nil {
			return err
		}
	}
	return nil
}
