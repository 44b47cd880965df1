package series

import (
	"fmt"
	"regexp"
	"unicode/utf8"

	"perfdata/traceid"
)

// ParseCharset returns the set of the characters that trace IDs keep, given a regular expression
// for the characters that they replace by _, such as
//
//	[^a-zA-Z0-9._/-]
//
// It is the invalid_param_char_regex in the configuration of an instance of Skia Perf. As there,
// the expression must match the separators "," and "=". An expression matches each character by
// itself: Skia replaces several at once, if an expression matches several. If the expression is
// empty, ParseCharset returns nil, the default.
func ParseCharset(expression string) (*traceid.Charset, error) {
	if expression == "" {
		return nil, nil
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("characters that trace IDs replace: %w", err)
	}
	for _, separator := range []string{",", "="} {
		if !re.MatchString(separator) {
			return nil, fmt.Errorf("characters that trace IDs replace: %q does not match %q: want such as [^a-zA-Z0-9._-]",
				expression, separator)
		}
	}

	return traceid.NewCharset(func(c rune) bool {
		var text [utf8.UTFMax]byte
		return !re.Match(utf8.AppendRune(text[:0], c))
	}), nil
}
