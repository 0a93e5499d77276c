package llm

import (
	"context"
	"errors"
	"io"
	"time"
)

// Program is a program that a provider runs for one attempt. It is never run
// through a shell, gets no terminal, and is ended with everything it started.
type Program struct {
	// Path is an absolute path, or a bare name that is looked up in the absolute folders of PATH.
	Path string
	Args []string // without the program's own name
	Dir  string   // working directory
	// Inherit names the variables of our environment that the program gets in addition to those
	// that every program gets (PATH, HOME, language, time zone, folders); a name may end in *. Set
	// adds variables to them.
	Inherit []string
	Set     map[string]string
	Input   []byte // its standard input
	// Talk, if not nil, replaces Input: it is called on its own goroutine with the program's
	// standard input, and closes it when done. Writes fail once the program has ended.
	Talk func(io.WriteCloser)
	// Limit is the maximum duration of the run.
	Limit time.Duration
	// MaxOutput limits the bytes kept of each output stream, half from the start and half from the
	// end.
	MaxOutput int
	// Follow receives the standard output as it arrives. It must not keep the bytes.
	Follow func([]byte)
}

// Ended is the result of a program's run.
type Ended struct {
	Path     string // of the program that ran
	Stdout   string // valid UTF-8, with a marker where bytes were dropped
	Stderr   string
	Exit     int // exit code, or 128 + signal number if a signal ended it
	TimedOut bool
	Duration time.Duration
}

// Runner runs a program to its end. It returns once all of the program's processes have ended. The
// error is ErrNoProgram, the context's error, or the reason why the program could not be started.
type Runner func(ctx context.Context, p Program) (Ended, error)

// ErrNoProgram means that the program does not exist or must not be run.
var ErrNoProgram = errors.New("no such program")
