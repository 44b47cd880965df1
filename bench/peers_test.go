package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/bytedance/sonic"
	"github.com/go-json-experiment/json/jsontext"
	gojson "github.com/goccy/go-json"
	"github.com/minio/simdjson-go"
	perf "golang.org/x/perf/benchfmt"
)

// The contestants with which readers are compared.
const (
	goJSON       = "go-json Unmarshal"
	xperfReader  = "x.perf Reader" // it keeps names whole. A slash would split the name
	bufioScanner = "bufio.Scanner" // it finds the lines, and does nothing with them
)

// jsonPeers returns other libraries that read JSON. Libraries that fill Go values fill a T; the
// others build structures of their own or nothing, which is less than a reader of a format has to
// do.
func jsonPeers[T any]() []contestant {
	// sonic has no compiler for some machines and Go versions. Then it uses encoding/json.
	sonicName := "sonic Unmarshal"
	if sonic.APIKind == sonic.UseStdJSON {
		sonicName += " (here encoding.json)"
	}
	return []contestant{
		unmarshaling[T](goJSON, gojson.Unmarshal),
		unmarshaling[T]("encoding.json Unmarshal", json.Unmarshal),
		unmarshaling[T](sonicName, sonic.Unmarshal),
		{name: "go-json Decoder.Decode", run: func(file []byte) (int, error) {
			return 0, gojson.NewDecoder(bytes.NewReader(file)).Decode(new(T))
		}},
		{name: "go-json Decoder.Token", run: func(file []byte) (int, error) {
			return 0, scanTo(gojson.NewDecoder(bytes.NewReader(file)).Token)
		}},
		{name: "jsontext Decoder.ReadToken", run: func(file []byte) (int, error) {
			return 0, scanTo(jsontext.NewDecoder(bytes.NewReader(file)).ReadToken)
		}},
		simdjsonPeer(),
	}
}

func unmarshaling[T any](name string, unmarshal func([]byte, any) error) contestant {
	return contestant{name: name, run: func(file []byte) (int, error) { return 0, unmarshal(file, new(T)) }}
}

// simdjsonPeer returns a contestant that only parses: it finds the structure and the numbers, on
// two cores, and builds nothing from them. It reuses its memory for the next document.
func simdjsonPeer() contestant {
	var parsed *simdjson.ParsedJson
	c := contestant{name: "simdjson-go Parse", run: func(file []byte) (int, error) {
		var err error
		parsed, err = simdjson.Parse(file, parsed)
		return 0, err
	}}
	if !simdjson.SupportedCPU() {
		c.missing = "needs an amd64 CPU with AVX2 and CLMUL"
	}
	return c
}

func readWithXPerf(file []byte) (int, error) {
	n := 0
	r := perf.NewReader(bytes.NewReader(file), "")
	for r.Scan() {
		// Other lines, such as unit lines, are not results.
		if res, ok := r.Result().(*perf.Result); ok {
			n += len(res.Values)
		}
	}
	return n, r.Err()
}

// scanLines finds the lines, which every reader of lines has to do.
func scanLines(file []byte) (int, error) {
	lines := bufio.NewScanner(bytes.NewReader(file))
	n := 0
	for lines.Scan() {
		n += len(lines.Bytes())
	}
	if n == 0 {
		return 0, fmt.Errorf("no lines")
	}
	return 0, lines.Err()
}

// readKeyvalsIntoMaps does what Autotest does, in Go: an iteration becomes two maps.
func readKeyvalsIntoMaps(file []byte) (records int, err error) {
	attrs, perf := map[string]string{}, map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(file))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			records += len(perf)
			attrs, perf = map[string]string{}, map[string]float64{}
			continue
		}

		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return 0, fmt.Errorf("line %q", line)
		}
		if name, ok := strings.CutSuffix(key, "{attr}"); ok {
			attrs[name] = value
			continue
		}
		f, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, err
		}
		perf[strings.TrimSuffix(key, "{perf}")] = f
	}
	return records + len(perf), lines.Err()
}
