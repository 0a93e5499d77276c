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
	// Path is an absolute path, or a bare name that is searched for in the absolute
	// folders of PATH.
	Path string
	Args []string // without the program's own name
	Dir  string   // working directory
	// Inherit names the variables of our environment that it sees beside the
	// few that every program sees (PATH, HOME, language, time zone, folders);
	// a name may end in *. Set adds to them.
	Inherit []string
	Set     map[string]string
	Input   []byte // its standard input
	// Talk, if not nil, gets its standard input in place of Input, on its own
	// goroutine, and closes it when there is no more to say. Writing fails once the
	// program has ended.
	Talk func(io.WriteCloser)
	// Limit limits its whole run.
	Limit time.Duration
	// MaxOutput limits what is kept of each output stream, in bytes, half from each
	// end.
	MaxOutput int
	// Follow gets its standard output as it comes and may not keep the bytes.
	Follow func([]byte)
}

// Ended is what a program left behind.
type Ended struct {
	Path     string // of the program that ran
	Stdout   string // valid UTF-8, with a marker where bytes are missing
	Stderr   string
	Exit     int // 128 + signal number where a signal ended it
	TimedOut bool
	Duration time.Duration
}

// Runner runs a program to its end. It returns when nothing of it runs any
// more. The error is ErrNoProgram, or that of the context, or says why the
// program could not be started.
type Runner func(ctx context.Context, p Program) (Ended, error)

// ErrNoProgram means that there is no such program, or that it may not be run.
var ErrNoProgram = errors.New("no such program")
