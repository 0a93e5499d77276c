package program

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"time"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/texttools"
)

// DefaultSilence is how long a program may write nothing before it is stopped.
const DefaultSilence = 90 * time.Second

// DefaultAfterEnd is how long a program may keep running after its terminal marker.
const DefaultAfterEnd = 5 * time.Second

// maxRun limits the duration of one run.
const maxRun = 30 * time.Minute

// maxKept limits what is recorded of each output stream, in bytes.
const maxKept = 16 << 10

// Protocol reads the output of one kind of program during one attempt.
type Protocol interface {
	// Begin sends the first message to a program that reads messages.
	Begin(t *Transcript)
	// Line handles one line of standard output that starts with a JSON object. It is not called
	// once the transcript is done.
	Line(t *Transcript, line []byte)
	// Exit returns the kind of error of a run that ended with this exit code and without a
	// terminal marker.
	Exit(code int) string
}

// Job is one attempt.
type Job struct {
	Run     llm.Runner
	Request llm.Request
	// Program is the program to run. A program without Input reads messages instead.
	Program  llm.Program
	Protocol Protocol
	// Silence is how long the program may write nothing before it is stopped; 0 means
	// DefaultSilence.
	Silence time.Duration
	// AfterEnd is how long the program may keep running after its terminal marker; 0 means
	// DefaultAfterEnd.
	AfterEnd time.Duration
	// Missing says what to do if the program is not installed.
	Missing string
}

// Reasons to stop a run early; the first two make the attempt fail.
var (
	errSilent   = errors.New("the program wrote nothing for too long")
	errBroken   = errors.New("the program's output cannot be read")
	errFinished = errors.New("the program finished its reply but did not exit")
)

// Attempt makes one attempt with one run of a program. It runs in a new folder below parent that
// holds the given files and is removed afterwards; see [Open]. All of the program's processes have
// ended when it returns.
func Attempt(ctx context.Context, parent string, r llm.Request, files map[string]string,
	job func(folder string) Job) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		folder, remove, failed := Open(parent, folderPrefix+texttools.Mark(r), files)
		if failed != nil {
			yield(nil, failed)
			return
		}
		defer remove()
		j := job(folder)
		j.Program.Dir = folder
		j.Stream(ctx)(yield)
	}
}

// Stream runs the program. All of its processes have ended when it returns.
func (j Job) Stream(ctx context.Context) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		a := &attempt{Job: j, transcript: newTranscript(j.Request)}
		a.Silence, a.AfterEnd = cmp.Or(j.Silence, DefaultSilence), cmp.Or(j.AfterEnd, DefaultAfterEnd)
		a.start(ctx)
		if !a.follow(yield) {
			a.abandon()
			return
		}
		for _, chunk := range a.transcript.rest() {
			if !yield(chunk, nil) {
				return
			}
		}
		if finish, failed := a.outcome(ctx); failed != nil {
			yield(nil, failed)
		} else {
			yield(finish, nil)
		}
	}
}

// attempt is one run of the program in progress.
type attempt struct {
	Job
	transcript *Transcript

	run    context.Context
	cancel context.CancelCauseFunc
	lines  *lines
	done   chan struct{} // closed when the program has ended
	ended  llm.Ended
	err    error
}

// start runs the program on a goroutine.
func (a *attempt) start(ctx context.Context) {
	a.run, a.cancel = context.WithCancelCause(ctx)
	a.lines, a.done = newLines(), make(chan struct{})
	a.Program.Follow, a.Program.Limit, a.Program.MaxOutput = a.lines.write, maxRun, maxKept
	set := maps.Clone(a.Program.Set)
	if set == nil {
		set = map[string]string{}
	}
	set["TMPDIR"] = a.Program.Dir // temporary files are removed with its folder
	a.Program.Set = set
	if a.Program.Input == nil {
		a.Program.Talk = a.transcript.in.talk
	}
	a.Protocol.Begin(a.transcript)
	go func() {
		defer close(a.done)
		defer a.transcript.in.close()
		a.ended, a.err = a.Run(a.run, a.Program)
	}()
}

// follow reads lines until the program has ended. It returns false if the consumer stopped.
func (a *attempt) follow(yield func(llm.Chunk, error) bool) bool {
	quiet := time.NewTimer(a.Silence)
	defer quiet.Stop()
	ending := false
	for {
		select {
		case <-a.lines.moved:
			if !a.take(false, yield) {
				return false
			}
			switch {
			case a.transcript.broken != nil:
				a.cancel(errBroken)
			case ending: // more output does not extend the time left
			case a.transcript.over:
				ending = true
				quiet.Reset(a.AfterEnd)
			default:
				quiet.Reset(a.Silence)
			}
		case <-quiet.C:
			if a.transcript.over {
				a.cancel(errFinished)
			} else {
				a.cancel(errSilent)
			}
		case <-a.done:
			a.cancel(nil)
			return a.take(true, yield)
		}
	}
}

// take handles the lines that have arrived. It returns false if the consumer stopped.
func (a *attempt) take(end bool, yield func(llm.Chunk, error) bool) bool {
	t := a.transcript
	all, err := a.lines.take(end)
	for _, line := range all {
		t.line++
		if line = bytes.TrimSpace(line); t.Done() || len(line) == 0 {
			continue
		}
		if line[0] != '{' {
			if holdsMessage(line) {
				t.Break("line %d has text before its JSON", t.line)
			}
			continue
		}
		if !json.Valid(line) {
			t.Break("line %d is not JSON: %w", t.line, json.Unmarshal(line, new(json.RawMessage)))
			continue
		}
		a.Protocol.Line(t, line)
		if said := t.fresh.String(); said != "" {
			t.fresh.Reset()
			if !yield(llm.TextDelta(said), nil) {
				return false
			}
		}
	}
	if t.broken == nil && !t.over {
		t.broken = err
	}
	return true
}

// holdsMessage reports whether a line that would be skipped ends with a message: no part of the
// reply may be lost.
func holdsMessage(line []byte) bool {
	var message struct {
		Type    any `json:"type"`
		Version any `json:"jsonrpc"`
	}
	at := bytes.Index(line, []byte(`{"`))
	return at >= 0 && json.Unmarshal(line[at:], &message) == nil && (message.Type != nil || message.Version != nil)
}

// abandon stops the program and waits for its end.
func (a *attempt) abandon() {
	a.cancel(context.Canceled)
	<-a.done
}
