package perfdata

import (
	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
)

// Formats returns the formats that the module reads and writes.
func Formats() []format.Info {
	return []format.Info{
		skiav1.Info(),
		nanolegacy.Info(),
		benchfmt.Info(),
		keyval.Info(),
		perun.Info(),
	}
}

// FormatNamed returns the format with that name, such as "skiav1".
func FormatNamed(name string) (format.Info, bool) {
	for _, info := range Formats() {
		if info.Name == name {
			return info, true
		}
	}
	return format.Info{}, false
}
