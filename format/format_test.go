package format_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/skiav1"
	"perfdata/traceid"
)

var (
	_ format.Reader = (*skiav1.Reader)(nil)
	_ format.Writer = (*skiav1.Writer)(nil)
)

// An error is final if reading the same bytes again gives it again.
func TestIsFinal(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"syntax", &format.Error{Err: format.ErrSyntax}, true},
		{"limit", fmt.Errorf("too long: %w", format.ErrLimit), true},
		{"duplicate", format.ErrDuplicate, true},
		{"version", format.ErrVersion, true},
		{"schema", format.ErrSchema, true},
		{"unknown", format.ErrUnknown, true},
		{"skipped", format.ErrSkipped, true},
		{"option", format.ErrOption, true},
		{"misuse", format.ErrMisuse, true},
		{"truncated", &format.Error{Err: io.ErrUnexpectedEOF}, true},
		{"changed", format.ErrChanged, false},
		{"changed and truncated", errors.Join(format.ErrChanged, io.ErrUnexpectedEOF), false},
		{"full disk", &format.Error{Err: &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}}, false},
		{"no cause", &format.Error{}, false},
		{"nil", nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := format.IsFinal(test.err); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}

	// The table has every cause: none is forgotten in IsFinal.
	api, err := os.ReadFile("../api.txt")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(api), "perfdata/format: var Err"); n != 10 {
		t.Errorf("%d causes, but the table has 10", n)
	}
}

func TestError(t *testing.T) {
	for _, test := range []struct {
		name string
		err  format.Error
		want string
	}{
		{
			name: "all parts",
			err: format.Error{
				Name:     "run.json",
				Position: format.Position{Line: 3, Column: 7},
				Path:     "results.0",
				Message:  "key is required",
			},
			want: "run.json:3:7: results.0: key is required",
		},
		{
			name: "no path",
			err:  format.Error{Name: "run.json", Position: format.Position{Line: 3, Column: 7}, Message: "unexpected"},
			want: "run.json:3:7: unexpected",
		},
		{
			name: "no name",
			err:  format.Error{Position: format.Position{Line: 1, Column: 1}, Message: "the input is empty"},
			want: "1:1: the input is empty",
		},
		{
			name: "a warning",
			err: format.Error{
				Name:     "a:b",
				Position: format.Position{Line: 1, Column: 2},
				Path:     "key",
				Message:  "m",
				Severity: format.Warning,
			},
			want: "a:b:1:2: key: warning: m",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.err.Error(); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	err := error(&format.Error{Message: "truncated", Err: io.ErrUnexpectedEOF})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
}

// A clone shares no memory with its original.
func TestClone(t *testing.T) {
	rec := format.Record{
		Params: traceid.FromMap(map[string]string{"a": "1"}),
		Value:  2,
		Links:  traceid.FromMap(map[string]string{"b": "3"}),
		Attrs:  traceid.FromMap(map[string]string{"c": "4"}),
		Offset: 5,
	}
	clone := rec.Clone()
	if diff := cmp.Diff(&rec, clone); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	rec.Params[0].Value, rec.Links[0].Value, rec.Attrs[0].Value = "x", "x", "x"
	if clone.Params[0].Value != "1" || clone.Links[0].Value != "3" || clone.Attrs[0].Value != "4" {
		t.Errorf("changed with its original: %+v", clone)
	}
	if got := rec.TraceID(); got != ",a=x," {
		t.Errorf("TraceID() = %s", got)
	}
}

// Every limit has a default, which a program can replace.
func TestLimits(t *testing.T) {
	defaults := reflect.ValueOf(format.Limits{}.WithDefaults())
	one := format.Limits{}
	ones := reflect.ValueOf(&one).Elem()
	for i := range ones.NumField() {
		if defaults.Field(i).IsZero() {
			t.Errorf("%s has no default", ones.Type().Field(i).Name)
		}
		ones.Field(i).SetInt(1)
	}
	if got := one.WithDefaults(); got != one {
		t.Errorf("%+v, want %+v", got, one)
	}
}
