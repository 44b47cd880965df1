package perun

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
)

// This checks what a Writer is given, before any part of it is written.

// check checks the texts and members of a header that is to be written.
func (h *Header) check() error {
	if err := message.CheckPairs(h.Units); err != nil {
		return fmt.Errorf("header: Units: %w", err)
	}
	if err := checkFields(append(h.regions(), Field{"header", h.region()})); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	for _, f := range h.Extra {
		if slices.Contains(headerKeys, f.Key) {
			return fmt.Errorf("header: Extra: %q: the Header has a field for it", f.Key)
		}
	}
	for _, f := range h.Other {
		switch {
		case slices.Contains(layout.Names, f.Key):
			return fmt.Errorf("header: Other: %q: the Header has a field for it", f.Key)
		case holdsResources(f.Value):
			return fmt.Errorf("header: Other: %q has resources, which are not allowed there", f.Key)
		}
	}
	return nil
}

// checkComplete checks that a header has what the specification requires.
func (h *Header) checkComplete() error {
	switch {
	case h.Type == "":
		return errors.New("header: missing Type")
	case !isType(h.Type):
		return fmt.Errorf("header: Type is %s, want time, memory or mixed", message.Quote(h.Type))
	case h.Collector.Name == "":
		return errors.New("header: missing Collector.Name")
	}
	return nil
}

// checkResource checks that a resource has the fields that the specification requires, with values
// of the kinds that a Reader requires.
func checkResource(fields Fields) error {
	amount, ok := fields.Get("amount")
	if !ok {
		return errors.New("missing amount")
	}
	if f, ok := amount.Float(); !ok || !isFinite(f) {
		return fmt.Errorf("the amount is %s, want a finite number", message.Quote(amount.String()))
	}
	for _, key := range []string{"uid", "type"} {
		if _, ok := fields.Get(key); !ok {
			return fmt.Errorf("missing %s", key)
		}
	}
	if trace, ok := fields.Get("trace"); ok && trace.kind != jsonscan.Array && !trace.IsNull() {
		return fmt.Errorf("the trace is of type %s, want array", trace.kind)
	}
	return nil
}

// checkFields checks that the fields have no duplicate keys, and are valid UTF-8.
func checkFields(fields Fields) error {
	known := map[string]bool{}
	for _, f := range fields {
		if known[f.Key] {
			return fmt.Errorf("duplicate field %q", f.Key)
		}
		known[f.Key] = true

		if !utf8.ValidString(f.Key) {
			return fmt.Errorf("%q is not UTF-8", f.Key)
		}
		if err := f.Value.check(); err != nil {
			return fmt.Errorf("%s: %w", f.Key, err)
		}
	}
	return nil
}

func (v Value) check() error {
	if v.kind == jsonscan.String && !utf8.ValidString(v.text) {
		return fmt.Errorf("%q is not UTF-8", v.text)
	}
	for _, item := range v.List() {
		if err := item.check(); err != nil {
			return err
		}
	}
	return checkFields(v.Fields())
}
