package traceid_test

import (
	"fmt"
	"regexp"

	"perfdata/traceid"
)

func Example() {
	params := traceid.FromMap(map[string]string{
		"test": "draw a circle",
		"arch": "x86",
	})
	fmt.Println(params.ID())

	_, err := traceid.MakeStrict(traceid.FromMap(map[string]string{"test": "a=b"}))
	fmt.Println(err)

	params, err = traceid.Parse(",arch=x86,test=draw_a_circle,")
	fmt.Println(params, err)
	fmt.Println(traceid.Valid(",test=draw_a_circle,arch=x86,"))
	// Output:
	// ,arch=x86,test=draw_a_circle,
	// key "test": value "a=b" holds '='
	// [{arch x86} {test draw_a_circle}] <nil>
	// false
}

func ExampleParseQuery() {
	q, err := traceid.ParseQuery("arch=x86&arch=arm64&test=~^draw_&stat=!max")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []string{
		",arch=x86,stat=min,test=draw_a_circle,",
		",arch=x86,stat=max,test=draw_a_circle,",
		",arch=arm,stat=min,test=draw_a_circle,",
		",arch=arm64,test=draw_a_line,",
	} {
		if ok, _ := q.MatchID(id); ok {
			fmt.Println(id)
		}
	}
	// Output:
	// ,arch=x86,stat=min,test=draw_a_circle,
	// ,arch=arm64,test=draw_a_line,
}

func ExampleMerge() {
	file := traceid.FromPairs(traceid.Param{Key: "arch", Value: "x86"}, traceid.Param{Key: "config", Value: "8888"})
	result := traceid.FromPairs(traceid.Param{Key: "config", Value: "565"})
	for key, value := range traceid.Merge(file, result).All() {
		fmt.Println(key, value)
	}
	// Output:
	// arch x86
	// config 565
}

func ExampleParamSet() {
	var set traceid.ParamSet
	for _, id := range []string{",arch=x86,test=a,", ",arch=arm,test=a,", ",arch=arm,test=b,"} {
		params, err := traceid.Parse(id)
		if err != nil {
			fmt.Println(err)
			return
		}
		set.Add(params)
	}
	fmt.Println(set.Values("arch"))
	for key, values := range set.All() {
		fmt.Println(key, values)
	}
	// Output:
	// [arm x86]
	// arch [arm x86]
	// test [a b]
}

// An instance of Skia Perf may be configured with an expression for the characters that it
// doesn't allow.
func ExampleNewCharset() {
	invalid := regexp.MustCompile(`[^a-zA-Z0-9_. :-]`)
	charset := traceid.NewCharset(func(r rune) bool { return !invalid.MatchString(string(r)) })
	params := traceid.FromMap(map[string]string{"test": "layout: block/inline"})
	fmt.Println(charset.ID(params))
	fmt.Println(params.ID())
	// Output:
	// ,test=layout: block_inline,
	// ,test=layout__block_inline,
}

func ExampleOf() {
	fmt.Println(traceid.Of("units", "ms", "test", "encode").ID())
	// Output:
	// ,test=encode,units=ms,
}
