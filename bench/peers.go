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
	missing string // why it cannot run here; empty if it can
}

// goJSON is the contestant with which readers of JSON formats are compared.
const goJSON = "go-json Unmarshal"

// jsonPeers returns other libraries that read JSON. Libraries that fill Go values fill a T; the
// others build structures of their own or nothing, which is less than a reader of a format has to
// do.
func jsonPeers[T any]() []contestant {
	return []contestant{
		{name: "encoding.json Unmarshal", read: func(doc []byte) error { // a slash would split the name in go test
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
