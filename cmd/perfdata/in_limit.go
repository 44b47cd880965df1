package main

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"perfdata/format"
)

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
		func(text string) error { return setLimit(&t.limits, text) })
	for i := range names {
		names[i] += "="
	}
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

// sizePattern is a number, and the letter of a binary unit: sizes of memory are powers of two.
var sizePattern = regexp.MustCompile("^([0-9]+)(?:([KMG])iB?)?$")

// parseSize parses a number from 1 on, with or without a binary unit: 4096, 64KiB or 64Ki, 4MiB,
// 2GiB.
func parseSize(text string) (int64, error) {
	var n uint64
	shift, err := 0, strconv.ErrSyntax
	if parts := sizePattern.FindStringSubmatch(text); parts != nil {
		n, err = strconv.ParseUint(parts[1], 10, 63)
		shift = 10 * strings.Index(" KMG", parts[2]) // without a unit, the index is 0
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a number such as 4096, 64KiB, 4MiB or 2GiB", text)
	case n == 0:
		return 0, fmt.Errorf("%q: want at least 1", text)
	case n > math.MaxInt64>>shift:
		return 0, fmt.Errorf("%s is too large", text)
	}
	return int64(n) << shift, nil
}

// withFlag replaces the name of a field of [format.Limits] in the text of an error by a hint, such
// as "; --limit max-line-bytes=VALUE raises it".
func withFlag(text string) string {
	// The library names the field in parentheses at the end of its message.
	before, after, _ := strings.Cut(text, " (Limits.")
	field, after, ok := strings.Cut(after, ")")
	if _, known := reflect.TypeFor[format.Limits]().FieldByName(field); !ok || !known {
		return text
	}
	return before + after + "; --limit " + limitName(field) + "=VALUE raises it"
}
