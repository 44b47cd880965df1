package nanolegacy

import (
	"fmt"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

// After Reset, a Reader reads like a new one, although it remembers earlier files.
func TestReset(t *testing.T) {
	files := formattest.Files(t, "../testdata/nanolegacy/*", 1)
	for _, header := range []string{
		`"gitHash":"a","key":{"arch":"x86"},"options":{"o":"p"},`,
		`"gitHash":"b","key":{"arch":"arm"},"options":{"o":"p"},`,
		`"gitHash":"c","key":{"arch":"x86"},"options":{"o":"q"},`,
		`"gitHash":"d","key":{"test":"y","os":"z"},"options":{},`,
		`"key":{"arch":1},`,
	} {
		var results []string
		for i := range 9 {
			results = append(results, fmt.Sprintf(`"t%d":{"8888":{"min_ms":%d,"options":{"o":"r%d","s":"u"},`+
				`"samples":[1,%d]}}`, i, i, i, i))
		}
		files[header] = "{" + header + `"results":{` + strings.Join(results, ",") + `}}`
	}

	t.Run("header first", func(t *testing.T) { formattest.CheckReset(t, files, newReader) })
	t.Run("in order", func(t *testing.T) { formattest.CheckReset(t, files, inOrder) })
}
