package traceid_test

import (
	"fmt"
	"testing"

	"perfdata/traceid"
)

func ExampleEncoder() {
	var ids traceid.Encoder
	var id []byte
	for _, stat := range []string{"min", "max", "median"} {
		id = ids.AppendID(id[:0], traceid.Of("stat", stat, "test", "draw a circle"))
		fmt.Printf("%s\n", id)
	}
	// Output:
	// ,stat=min,test=draw_a_circle,
	// ,stat=max,test=draw_a_circle,
	// ,stat=median,test=draw_a_circle,
}

// An Encoder makes the ids that Params.AppendID makes, whatever the params before were.
func FuzzEncoder(f *testing.F) {
	for _, seed := range []string{
		"", "a=b,c=d;a=b,c=e;a=b,c=ee;a=b,c=", "a=b;=;a=b;b=a", "a b=c;a=\xff;a=é;a=b=c", "b=1,a=2;a=2,b=1;a=1,a=2",
		"a=b;a=b,c=d;a=b;;a=b", "a=b,c=d,e=f;a=g,c=hh,e=i;a= ,c=,e=jj",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	wide := traceid.NewCharset(func(r rune) bool { return r != ' ' })
	f.Fuzz(func(t *testing.T, text string, other bool) {
		var ids traceid.Encoder
		if other {
			ids.Charset = wide
		}
		for _, p := range paramLists(text) {
			want := ids.Charset.ID(p)
			if got := string(ids.AppendID([]byte("x"), p)); got != "x"+want {
				t.Fatalf("%q in %q: %q, want %q", p, text, got, want)
			}
		}
	})
}

// paramLists makes a list of params of each part of the text, separated by semicolons.
func paramLists(text string) (lists []traceid.Params) {
	p := traceid.Params{}
	key, part, inKey := "", "", true
	flush := func() {
		if !inKey {
			p = append(p, traceid.Param{Key: key, Value: part})
		}
		key, part, inKey = "", "", true
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == ';':
			flush()
			lists = append(lists, p)
			p = traceid.Params{}
		case c == ',':
			flush()
		case c == '=' && inKey:
			key, part, inKey = part, "", false
		default:
			part += string([]byte{c})
		}
	}
	flush()
	return append(lists, p)
}

// The params of consecutive records differ in a value or two.
func BenchmarkID(b *testing.B) {
	p := traceid.Of("arch", "x86_64", "config", "8888", "stat", "min", "test", "draw_a_circle", "units", "ms")
	stats := []string{"min", "max", "median", "avg"}
	run := func(name string, appendID func([]byte, traceid.Params) []byte) {
		b.Run(name, func(b *testing.B) {
			var id []byte
			for i := range b.N {
				p[2].Value = stats[i%4]
				if i%4 == 0 {
					p[3].Value = []string{"draw_a_circle", "load_a_page", "sort_1000"}[i/4%3]
				}
				id = appendID(id[:0], p)
			}
		})
	}
	var ids traceid.Encoder
	run("Encoder", ids.AppendID)
	run("Params", func(dst []byte, p traceid.Params) []byte { return p.AppendID(dst) })
}
