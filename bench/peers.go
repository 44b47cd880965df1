package main

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/bytedance/sonic"
	"github.com/go-json-experiment/json/jsontext"
	gojson "github.com/goccy/go-json"
	"github.com/minio/simdjson-go"
)

// goJSON is the contestant with which readers of JSON formats are compared.
const goJSON = "go-json Unmarshal"

// jsonPeers returns other libraries that read JSON. Libraries that fill Go values fill a T; the
// others build structures of their own or nothing, which is less than a reader of a format has to
// do.
func jsonPeers[T any]() []contestant {
	return []contestant{
		{name: "encoding.json Unmarshal", run: func(file []byte) (int, error) { // a slash would split the name in go test
			return 0, json.Unmarshal(file, new(T))
		}},
		{name: goJSON, run: func(file []byte) (int, error) {
			return 0, gojson.Unmarshal(file, new(T))
		}},
		{name: "go-json Decoder.Decode", run: func(file []byte) (int, error) {
			return 0, gojson.NewDecoder(bytes.NewReader(file)).Decode(new(T))
		}},
		{name: "go-json Decoder.Token", run: func(file []byte) (int, error) {
			return 0, readAll(gojson.NewDecoder(bytes.NewReader(file)).Token)
		}},
		{name: sonicName(), run: func(file []byte) (int, error) {
			return 0, sonic.Unmarshal(file, new(T))
		}},
		simdjsonPeer(),
		{name: "jsontext Decoder.ReadToken", run: func(file []byte) (int, error) {
			return 0, readAll(jsontext.NewDecoder(bytes.NewReader(file)).ReadToken)
		}},
	}
}

// readAll calls next until the last token.
func readAll[Token any](next func() (Token, error)) error {
	for {
		if _, err := next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// sonicName returns the name of sonic, with a note if it has no compiler for this machine or Go
// version: then it uses encoding/json.
func sonicName() string {
	if sonic.APIKind == sonic.UseStdJSON {
		return "sonic Unmarshal (here encoding.json)"
	}
	return "sonic Unmarshal"
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
	switch {
	case !simdjson.SupportedCPU():
		c.missing = "needs an amd64 CPU with AVX2 and CLMUL"
	case clock.cpu:
		c.missing = "uses two threads; the CPU time is that of one"
	}
	return c
}
