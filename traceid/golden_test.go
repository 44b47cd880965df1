package traceid_test

import (
	"strings"
	"testing"

	"perfdata/traceid"
)

// Trace IDs are keys of stored data. No change of the code may change them, or this table.
func TestGoldenIDs(t *testing.T) {
	for _, test := range []struct {
		name   string
		params traceid.Params
		id     string
	}{
		{
			name: "none",
		},
		{
			name:   "one",
			params: traceid.Of("test", "encode"),
			id:     ",test=encode,",
		},
		{
			name:   "skiav1",
			params: traceid.Of("arch", "x86", "config", "8888", "test", "draw_a_circle", "units", "ms"),
			id:     ",arch=x86,config=8888,test=draw_a_circle,units=ms,",
		},
		{
			name:   "nanolegacy",
			params: traceid.Of("config", "gl:msaa4", "sub_result", "min_ms", "test", "Clip Bounds/640x480"),
			id:     ",config=gl_msaa4,sub_result=min_ms,test=Clip_Bounds_640x480,",
		},
		{
			name: "benchfmt",
			params: traceid.Of("cpu", "Intel(R) Xeon(R) @ 2.20GHz", "gomaxprocs", "8", "name", "Encode", "sub1",
				"gzip", "unit", "ns/op"),
			id: ",cpu=Intel_R__Xeon_R____2.20GHz,gomaxprocs=8,name=Encode,sub1=gzip,unit=ns_op,",
		},
		{
			name:   "keyval",
			params: traceid.Of("iteration", "1", "key", "fps_WebGLAquarium"),
			id:     ",iteration=1,key=fps_WebGLAquarium,",
		},
		{
			name:   "perun",
			params: traceid.Of("collector", "memory", "type", "memory", "uid", "function:main,line:4"),
			id:     ",collector=memory,type=memory,uid=function_main_line_4,",
		},
		{
			name:   "separators",
			params: traceid.Of("a,b", "c=d;e"),
			id:     ",a_b=c_d_e,",
		},
		{
			name:   "empty value and key",
			params: traceid.Of("", "x", "k", ""),
			id:     ",_=x,k=_,",
		},
		{
			name:   "runes, not bytes",
			params: traceid.Of("k", "é😀\u00a0"),
			id:     ",k=___,",
		},
		{
			name:   "invalid UTF-8, each byte",
			params: traceid.Of("k", "a\xff\xfe\xe2\x82b"),
			id:     ",k=a____b,",
		},
		{
			name:   "case and digits",
			params: traceid.Of("A", "1", "B", "2", "a", "3"),
			id:     ",A=1,B=2,a=3,",
		},
		{
			name:   "order after replacement",
			params: traceid.Of("a b", "1", "a-", "2", "aA", "3"),
			id:     ",a-=2,aA=3,a_b=1,",
		},
		{
			name:   "equal keys: the canonical one",
			params: traceid.Of("a b", "1", "a_b", "2", "a~b", "3"),
			id:     ",a_b=2,",
		},
		{
			name:   "equal keys: the last",
			params: traceid.Of("a b", "1", "a~b", "3"),
			id:     ",a_b=3,",
		},
		{
			name:   "control characters",
			params: traceid.Of("k", "a\x00\n\tb"),
			id:     ",k=a___b,",
		},
		{
			name:   "not sorted",
			params: traceid.Params{{Key: "z", Value: "1"}, {Key: "b", Value: "2"}, {Key: "a", Value: "3"}},
			id:     ",a=3,b=2,z=1,",
		},
		{
			name:   "not sorted, same first letter",
			params: traceid.Params{{Key: "ab", Value: "1"}, {Key: "aa", Value: "2"}},
			id:     ",aa=2,ab=1,",
		},
		{
			name:   "duplicate",
			params: traceid.Params{{Key: "a", Value: "1"}, {Key: "a", Value: "2"}},
			id:     ",a=2,",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.params.ID(); got != test.id {
				t.Errorf("%q, want %q", got, test.id)
			}
			if got := string(test.params.AppendID([]byte("x"))); got != "x"+test.id {
				t.Errorf("appended: %q, want %q", got, "x"+test.id)
			}
			if got := test.params.Canonical().ID(); got != test.id {
				t.Errorf("canonical params: %q, want %q", got, test.id)
			}
		})
	}
}

func TestOf(t *testing.T) {
	want := traceid.Params{{Key: "test", Value: "encode"}, {Key: "units", Value: "ms"}}
	if got := traceid.Of("units", "ms", "test", "encode"); !got.Equal(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"odd number", []string{"a"}, "odd number"},
		{"duplicate key", []string{"a", "1", "b", "2", "a", "1"}, `duplicate key "a"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			func() {
				defer func() {
					if text, _ := recover().(string); !strings.Contains(text, test.want) {
						t.Errorf("%q: panic %q, want %q", test.args, text, test.want)
					}
				}()
				traceid.Of(test.args...)
			}()
		})
	}
}

// Unsorted params are sorted or refused.
func TestUnsorted(t *testing.T) {
	p := traceid.Params{{Key: "z", Value: "1"}, {Key: "b", Value: "2"}}
	if v, ok := p.Get("z"); v != "1" || !ok {
		t.Errorf("Get(z) = %q, %v", v, ok)
	}
	if _, err := traceid.MakeStrict(p); err == nil || err.Error() != `key "b" comes after "z", out of order` {
		t.Errorf("Make: %v", err)
	}
	if err := p.CheckSorted(); err == nil {
		t.Errorf("CheckSorted: %v", err)
	}
	twice := traceid.Params{{Key: "b", Value: "1"}, {Key: "b", Value: "2"}}
	if err := twice.CheckSorted(); err == nil || err.Error() != `duplicate key "b"` {
		t.Errorf("CheckSorted: %v", err)
	}
}
