// Package exit defines the exit statuses of slop and the error that carries one.
package exit

import (
	"errors"
	"fmt"
)

// Exit statuses.
const (
	Done     = 0
	Failed   = 1 // the thing asked for failed
	Usage    = 2 // wrong usage or configuration
	Waiting  = 3 // the user's answer is needed and the command may not wait for it
	Diverged = 4 // replay diverged
)

// Error carries an exit status. A silent error has already been printed.
type Error struct {
	Code   int
	Err    error
	Silent bool
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

func Errorf(code int, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// Silently returns an error that ends the program with a status and prints nothing, because the reason has already
// been printed.
func Silently(code int, reason string) error {
	return &Error{Code: code, Err: errors.New(reason), Silent: true}
}
