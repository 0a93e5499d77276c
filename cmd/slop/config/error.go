package config

import (
	"fmt"
	"strings"
)

// ErrorKind is the kind of a mistake in a configuration. The zero value is invalid.
type ErrorKind int

const (
	// ConfigUnreadable: the file is missing, too large, or not a regular file.
	ConfigUnreadable ErrorKind = iota + 1
	// ConfigSyntax: the file is not TOML, sets a key twice, or holds a number beyond 64 bits.
	ConfigSyntax
	// ConfigUnknownKey: no such key exists.
	ConfigUnknownKey
	// ConfigWrongType: the key exists and holds another type of value.
	ConfigWrongType
	// ConfigInvalid: the type is right but the value is out of its bounds or malformed.
	ConfigInvalid
	// ConfigNotAllowed means that only the user's own configuration may set this, not a project's.
	ConfigNotAllowed
)

// Error is one mistake in one place. Functions that find several return them joined;
// errors.As yields the first.
type Error struct {
	Kind    ErrorKind
	File    string // as it was opened; empty for a value that is not from a file
	Line    int    // from 1; 0 if there is none
	Key     string // dotted path of the key; empty if the whole file is meant
	Problem string // what is wrong, without the key
	Hint    string // what to do about it; may be empty
	cause   error
}

// Error returns "FILE:LINE: `KEY` PROBLEM; HINT", without the parts that are unknown.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.File != "" && e.Line > 0:
		fmt.Fprintf(&b, "%s:%d: ", e.File, e.Line)
	case e.File != "":
		fmt.Fprintf(&b, "%s: ", e.File)
	}
	switch {
	case e.Kind == ConfigUnknownKey:
		fmt.Fprintf(&b, "unknown key `%s`", e.Key)
	case e.Key != "":
		fmt.Fprintf(&b, "`%s` %s", e.Key, e.Problem)
	default:
		b.WriteString(e.Problem)
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap returns the error of the file system that caused this one, if any.
func (e *Error) Unwrap() error { return e.cause }

// joinErrors is errors.Join for a list of one type; nil for an empty list.
func joinErrors(found []*Error) error {
	if len(found) == 0 {
		return nil
	}
	return errorList(found)
}

// errorList prints one mistake per line.
type errorList []*Error

func (list errorList) Error() string {
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

func (list errorList) Unwrap() []error {
	wrapped := make([]error, len(list))
	for i, e := range list {
		wrapped[i] = e
	}
	return wrapped
}
