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

// A contestant reads whole documents.
type contestant struct {
	name    string
	read    func(doc []byte) error
	missing string // why it can't run here; empty if it can
}

// goJSON is the contestant that readers of JSON formats are compared with.
const goJSON = "go-json Unmarshal"

// jsonPeers returns other libraries that read JSON. Those that fill Go values fill a T; the others build their own
// thing or nothing, and so do less than a reader of a format has to.
func jsonPeers[T any]() []contestant {
	return []contestant{
		{name: "encoding.json Unmarshal", read: func(doc []byte) error { // with a slash it would be two names to go test
			return json.Unmarshal(doc, new(T))
		}},
		{name: goJSON, read: func(doc []byte) error {
			return gojson.Unmarshal(doc, new(T))
		}},
		{name: "go-json Decoder.Decode", read: func(doc []byte) error {
			return gojson.NewDecoder(bytes.NewReader(doc)).Decode(new(T))
		}},
		{name: "go-json Decoder.Token", read: func(doc []byte) error {
			return readAll(gojson.NewDecoder(bytes.NewReader(doc)).Token)
		}},
		{name: sonicName(), read: func(doc []byte) error {
			return sonic.Unmarshal(doc, new(T))
		}},
		simdjsonPeer(),
		{name: "jsontext Decoder.ReadToken", read: func(doc []byte) error {
			return readAll(jsontext.NewDecoder(bytes.NewReader(doc)).ReadToken)
		}},
	}
}

// readAll calls next until there are no more tokens.
func readAll[Token any](next func() (Token, error)) error {
	for {
		if _, err := next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// sonicName tells what sonic is here: where it has no compiler for the machine or the Go version, it is another name
// for encoding/json.
func sonicName() string {
	if sonic.APIKind == sonic.UseStdJSON {
		return "sonic Unmarshal (here encoding.json)"
	}
	return "sonic Unmarshal"
}

// simdjsonPeer returns a bare parse: it finds the structure and the numbers, on two cores, and builds nothing from
// them. Its memory is used again for the next document.
func simdjsonPeer() contestant {
	var parsed *simdjson.ParsedJson
	c := contestant{name: "simdjson-go Parse", read: func(doc []byte) error {
		var err error
		parsed, err = simdjson.Parse(doc, parsed)
		return err
	}}
	if !simdjson.SupportedCPU() {
		c.missing = "needs an amd64 CPU with AVX2 and CLMUL"
	}
	return c
}
