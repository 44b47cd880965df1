package posted_test

import (
	"fmt"
	"strings"

	"perfdata/series/posted"
)

// A finding whose interval has become narrower keeps its id, and is not posted once more.
func Example() {
	before, err := posted.Read(strings.NewReader(`{"findings":[
		{"id":"7f3a","commit":"c2","first":"c1","last":"c3","ratio":1.2,"worse":1,"better":0,"traces":[",name=Sort,"]}]}`))
	if err != nil {
		panic(err)
	}
	now := []posted.Finding{
		{Commit: "c2", First: "c2", Last: "c2", Worse: 2, Traces: []string{",name=Sort,", ",name=Hash,"}},
		{Commit: "c4", First: "c4", Last: "c4", Worse: 1, Traces: []string{",name=Sort,"}},
	}
	commits := []string{"c0", "c1", "c2", "c3", "c4"}
	isKnown := posted.Known(now, before, commits)
	former := posted.Assign(now, before, commits)
	for i, f := range now {
		fmt.Println(f.Commit, f.ID == "7f3a", isKnown[i])
	}
	fmt.Println(len(former), "former")

	// Output:
	// c2 true true
	// c4 false false
	// 0 former
}
