package benchfmt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNameParams(t *testing.T) {
	for name, want := range map[string]string{
		"":                      "",
		"X":                     "name=X",
		"X-8":                   "name=X gomaxprocs=8",
		"X-90":                  "name=X gomaxprocs=90",
		"X-09":                  "name=X gomaxprocs=09",
		"X-":                    "name=X-",
		"X8":                    "name=X8",
		"-8":                    "gomaxprocs=8",
		"8":                     "name=8",
		"X/a":                   "name=X sub1=a",
		"X/a-19":                "name=X sub1=a gomaxprocs=19",
		"X/":                    "name=X sub1=",
		"X//b=1":                "name=X sub1= b=1",
		"X//":                   "name=X sub1= sub2=",
		"//a":                   "sub1= sub2=a",
		"X/a=1/b=2/a=3":         "name=X a=1 b=2 sub1=a=3",
		"X/=1/name=y":           "name=X sub1==1 sub2=name=y",
		"X/a/b/c/d/e/f/g/h/i/j": "name=X sub1=a sub2=b sub3=c sub4=d sub5=e sub6=f sub7=g sub8=h sub9=i sub10=j",
	} {
		t.Run(name, func(t *testing.T) {
			own, ok := appendNameParams(nil, name, 100)
			if !ok {
				t.Fatal("too many params")
			}
			var got []string
			for _, o := range own {
				got = append(got, o.key+"="+o.value)
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
