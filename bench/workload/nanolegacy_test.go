package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/nanolegacy"
)

func TestNanolegacyIsWhatMarshalWrites(t *testing.T) {
	for _, rendering := range renderings {
		for name, document := range map[string]func(int, string) *Document{"plain": NewNanolegacy, "sampled": NewSampledNanolegacy} {
			t.Run(name+" "+rendering.name, func(t *testing.T) {
				doc := document(20, rendering.indent).Bytes()
				var f NanolegacyFile
				if err := json.Unmarshal(doc, &f); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(marshal(f, rendering.indent)), string(doc)); diff != "" {
					t.Errorf("-marshalled +generated:\n%s", diff)
				}
				values := map[any]bool{}
				for test, configs := range f.Results {
					for config, result := range configs {
						values[result["min_ms"]] = true
						if want := test[:len(test)-len("_640_480")]; result["options"].(map[string]any)["name"] != want {
							t.Errorf("%s, %s: options %v, want name %s", test, config, result["options"], want)
						}
						if samples, _ := result["samples"].([]any); len(samples) != 10 && name == "sampled" {
							t.Errorf("%s, %s: samples %v", test, config, samples)
						}
					}
				}
				if len(f.Results) != 20 || len(values) != 40 {
					t.Errorf("%d different tests, want 20; %d different values, want 40", len(f.Results), len(values))
				}
			})
		}
	}
}

// The mixed document has the same content, and consecutive tests have their options in different
// orders.
func TestMixedNanolegacy(t *testing.T) {
	for _, rendering := range renderings {
		doc, mixed := NewNanolegacy(40, rendering.indent).Bytes(), NewMixedNanolegacy(40, rendering.indent).Bytes()
		if len(doc) != len(mixed) {
			t.Errorf("%s: %d bytes, want %d", rendering.name, len(mixed), len(doc))
		}
		var want, got NanolegacyFile
		if err := errors.Join(json.Unmarshal(doc, &want), json.Unmarshal(mixed, &got)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-plain +mixed):\n%s", rendering.name, diff)
		}
		options := bytes.Split(mixed, []byte(`"options"`))[2:] // the part before belongs to the file
		orders := map[string]bool{}
		for i := 0; i < len(options); i += 2 {
			orders[fmt.Sprintf("%s %s", order(options[i]), order(options[i+1]))] = true
		}
		if len(orders) != 36 {
			t.Errorf("%s: %d orders of options, want 36: %v", rendering.name, len(orders), orders)
		}
	}
}

// order returns the order of the options.
func order(options []byte) string {
	var b []byte
	for i := range options {
		for _, name := range []string{`"bench_type"`, `"name"`, `"source_type"`} {
			if bytes.HasPrefix(options[i:], []byte(name)) {
				b = append(b, name[1])
			}
		}
	}
	return string(b)
}

func TestNanolegacyReadFromAnywhere(t *testing.T) {
	for _, rendering := range renderings {
		checkReadFromAnywhere(t, NewNanolegacy(3, rendering.indent), 1)
	}
}

func TestNanolegacySize(t *testing.T) {
	for want, d := range map[float64]*Document{
		46e6: NewNanolegacy(100_000, Indent),
		96e6: NewSampledNanolegacy(100_000, Indent),
	} {
		checkSize(t, d.Size(), want, 0.05)
	}
}

func TestNanolegacyRecords(t *testing.T) {
	for _, rendering := range renderings {
		t.Run(rendering.name, func(t *testing.T) {
			d := NewNanolegacy(1000, rendering.indent)
			attrs := func(name string) map[string]string {
				return map[string]string{"bench_type": "micro", "name": name, "source_type": "bench", "system": "UNIX"}
			}
			checkRecords(t, d, nanolegacy.NewReader(d.Reader()), 2000,
				record{
					ID: ",arch=x86_64,compiler=Clang,config=8888,cpu_or_gpu=GPU,cpu_or_gpu_value=QuadroP400,model=Golo,os=Ubuntu18," +
						"sub_result=min_ms,test=textblob_intermediate_000000000_640_480,",
					Value: 0.18607535,
					Attrs: attrs("textblob_intermediate_000000000"),
				},
				record{
					ID: ",arch=x86_64,compiler=Clang,config=gles,cpu_or_gpu=GPU,cpu_or_gpu_value=QuadroP400,model=Golo,os=Ubuntu18," +
						"sub_result=min_ms,test=textblob_intermediate_000000999_640_480,",
					Value: 0.38947241,
					Attrs: attrs("textblob_intermediate_000000999"),
				})
		})
	}
}
