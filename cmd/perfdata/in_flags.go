package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/spf13/cobra"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/hint"
	"perfdata/keyval"
	"perfdata/openmetrics"
	"perfdata/runners/bmf"
	"perfdata/runners/ghbench"
	"perfdata/traceid"
)

// reading is the flags about reading.
type reading struct {
	opener  perfdata.Opener
	samples bool   // read samples as measurements
	charset string // the expression of --charset, or empty
	given   string // one of the other flags that are given
}

// addReadingFlags adds the flags of a command that reads measurements of files and folders.
func (t *tool) addReadingFlags(cmd *cobra.Command) {
	t.addOpenerFlags(cmd)
	t.addFolderFlag(cmd)
}

// addOpenerFlags adds the flags that say how files are read.
func (t *tool) addOpenerFlags(cmd *cobra.Command) {
	o := &t.reading.opener
	t.addFromFlag(cmd, namesOf(readFormats())...)
	addFunc(cmd, "param", "param to add to every keyval measurement, as `key=value`, e.g. test=boot (repeatable)",
		func(text string) error {
			key, value, ok := strings.Cut(text, "=")
			switch {
			case !ok || key == "":
				return errors.New("want key=value")
			// The Reader of keyvals makes these two itself.
			case key == "key" || key == "iteration":
				return fmt.Errorf("%s comes from the file", key)
			}
			o.Params = traceid.Merge(o.Params, traceid.Of(key, value))
			return nil
		})
	addFunc(cmd, "commit", "the `COMMIT` of measurements for which the input names none", func(commit string) error {
		if commit == "" { // usually from a failed command substitution in a shell
			return errors.New("the commit is empty")
		}
		o.Commit = commit
		return nil
	})
	addFunc(cmd, "promote", "make the attr `KEY` a param, unless the measurement has a param of that key (repeatable)",
		func(key string) error {
			if key == "" {
				return errors.New("the key is empty")
			}
			o.Promote = append(o.Promote, key)
			return nil
		})

	var names []string
	for _, f := range readFormats() {
		for _, s := range f.Settings {
			names = append(names, f.Name+"."+s.Name+"=")
		}
	}
	addFunc(cmd, "set", "setting of one format, as `FORMAT.SETTING=VALUE`, e.g. skiav1.branches=main (repeatable); "+
		"see perfdata formats", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("want FORMAT.SETTING=VALUE; perfdata formats lists the settings")
		}
		if o.Settings == nil {
			o.Settings = make(map[string]string)
		}
		// Readers ignore the settings of other formats, so a wrong name would have no effect.
		// Therefore all settings are checked now, before any file is read.
		o.Settings[name] = value
		return perfdata.CheckSettings(o.Settings)
	}, names...)
	t.addLimitFlag(cmd)
}

// addFromFlag adds the flag that chooses the input format, and its former name. Scripts of users
// may still have the former one, so it stays, without a line in the usage.
func (t *tool) addFromFlag(cmd *cobra.Command, formats ...string) {
	for _, name := range []string{"from", "format"} {
		addFunc(cmd, name, "input `FORMAT` (default: detect): "+oneOf(formats), func(text string) error {
			f, err := formatNamed(text, readFormats())
			t.reading.opener.Format = f.Name
			return err
		}, formats...)
	}
	cmd.Flags().MarkHidden("format")
}

// complete makes the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// It fails only for an unknown flag; a test shows that all are known.
	cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// readFormats returns the formats of files that are read. Each command that reads needs their names.
var readFormats = sync.OnceValue(func() []format.Format {
	return slices.DeleteFunc(perfdata.Formats(), func(f format.Format) bool { return f.Open == nil })
})

// onlyTargets are targets whose Writers do not belong to a format that is read: a report, and
// files for other programs, whose own files are read.
var onlyTargets = []format.Format{keyval.TAP(), bmf.Target(), ghbench.Target(), openmetrics.Target()}

// targets returns the formats to convert to.
func targets() []format.Format {
	written := slices.DeleteFunc(perfdata.Formats(), func(f format.Format) bool { return f.NewWriter == nil })
	return append(written, onlyTargets...)
}

// namesOf returns the names of formats, in the order in which users see them listed.
func namesOf(formats []format.Format) (names []string) {
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// formatNamed returns the format that the user calls by this name, in any case. Its error is about
// the value of a flag, which is named before it.
func formatNamed(name string, formats []format.Format) (format.Format, error) {
	lower := strings.ToLower(name)
	for _, f := range formats {
		if lower == f.Name || slices.Contains(f.Aliases, lower) {
			return f, nil
		}
	}
	return format.Format{}, wantOneOf(name, namesOf(formats))
}

// addForm adds --as to a command that prints several forms. The variable has the default.
func addForm(cmd *cobra.Command, to *string, forms []string) {
	addChoice(cmd, "as", "`FORM` of the output: ", to, forms)
}

// addChoice adds a flag whose value is one of the choices.
func addChoice(cmd *cobra.Command, name, usage string, to *string, choices []string) {
	addFunc(cmd, name, usage+oneOf(choices), func(text string) error {
		if *to = text; !slices.Contains(choices, text) {
			return wantOneOf(text, choices)
		}
		return nil
	}, choices...)
	cmd.Flags().Lookup(name).DefValue = *to // for the usage
}

// unknownChoice returns an error that lists the known values.
func unknownChoice(what, value string, known []string) error {
	return fmt.Errorf("unknown %s %q: %w", what, value, wantOneOf(value, known))
}

// wantOneOf returns the end of an error that lists the known values, with a suggestion if the value
// is similar to a known one.
func wantOneOf(value string, known []string) error {
	meant := hint.DidYouMean(value, known)
	// Users try these names of forms, which are not similar enough to the right ones.
	aliases := map[string]string{"json": "jsonl", "ndjson": "jsonl", "txt": "text", "pq": "parquet"}
	if form := aliases[strings.ToLower(value)]; slices.Contains(known, form) {
		meant = "; did you mean " + form + "?"
	}
	return fmt.Errorf("want %s%s", oneOf(known), meant)
}

// oneOf returns a text such as "jsonl, csv or text".
func oneOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// toolLimits returns the limits without --limit. The user chose the files, so they may be large.
// The other limits are the library's defaults, because they bound memory.
func toolLimits() format.Limits {
	return format.Limits{MaxSpoolBytes: 64 << 30, MaxDecompressedBytes: 64 << 30}.WithDefaults()
}

// addLimitFlag adds the flag of a command that reads files.
func (t *tool) addLimitFlag(cmd *cobra.Command) {
	names := limitNames()
	cmd.Flags().Func("limit",
		"set a limit, as `NAME=VALUE`, e.g. max-line-bytes=4MiB (repeatable): "+strings.Join(names, ", "),
		func(text string) error { return setLimit(&t.reading.opener.Limits, text) })
	for i := range names {
		names[i] += "="
	}
	// The value follows the = without a space.
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	cmd.RegisterFlagCompletionFunc("limit", cobra.FixedCompletions(names, directive))
}

// setLimit sets a limit, given as NAME=VALUE.
func setLimit(to *format.Limits, text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("want NAME=VALUE, such as max-line-bytes=4MiB")
	}
	// By reflection, so that a new limit of the library has its flag, name and completion here at
	// once.
	limit := reflect.ValueOf(to).Elem().FieldByNameFunc(func(field string) bool { return limitName(field) == name })
	if !limit.IsValid() {
		return unknownChoice("limit", name, limitNames())
	}
	n, err := parseSize(value)
	// The field may be an int, which has 32 bits on some systems.
	if err == nil && limit.OverflowInt(n) {
		err = fmt.Errorf("%s is too large", value)
	}
	if err == nil {
		limit.SetInt(n)
	}
	return err
}

// limitNames returns the names of all limits.
func limitNames() []string {
	var names []string
	for field := range reflect.TypeFor[format.Limits]().Fields() {
		names = append(names, limitName(field.Name))
	}
	return names
}

// limitName returns the flag's name for a field: max-line-bytes for MaxLineBytes.
func limitName(field string) string {
	var b strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// parseSize parses a number from 1 on, with or without a binary unit: 4096, 64KiB or 64Ki, 4MiB,
// 2GiB.
func parseSize(text string) (int64, error) {
	// A number, and the letter of a binary unit: sizes of memory are powers of two.
	pattern := regexp.MustCompile("^([0-9]+)(?:([KMG])iB?)?$")
	var n uint64
	shift, err := 0, strconv.ErrSyntax
	if parts := pattern.FindStringSubmatch(text); parts != nil {
		n, err = strconv.ParseUint(parts[1], 10, 63)
		shift = 10 * strings.Index(" KMG", parts[2]) // without a unit, the index is 0
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a number such as 4096, 64KiB, 4MiB or 2GiB", text)
	case n == 0:
		return 0, fmt.Errorf("%q: want at least 1", text)
	// After the shift, a number that is too large could look small.
	case n > math.MaxInt64>>shift:
		return 0, fmt.Errorf("%s is too large", text)
	}
	return int64(n) << shift, nil
}

// withFlag replaces the name of a field of [format.Limits] in the text of an error by a hint, such
// as "; --limit max-line-bytes=VALUE raises it".
func withFlag(text string) string {
	// The library names the field in parentheses at the end of its message. An error may also quote
	// such text from a file, so the name must be that of a field.
	before, after, _ := strings.Cut(text, " (Limits.")
	field, after, ok := strings.Cut(after, ")")
	if _, known := reflect.TypeFor[format.Limits]().FieldByName(field); !ok || !known {
		return text
	}
	return before + after + "; --limit " + limitName(field) + "=VALUE raises it"
}
