package geminicli

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Name is the provider's name in the configuration and on the record.
const Name = events.ProviderGeminiCLI

// DefaultProgram is what runs where no person named a program; it is looked
// for in PATH.
const DefaultProgram = "gemini"

// DefaultSilence is how long the program may write nothing.
const DefaultSilence = 90 * time.Second

const (
	// maxRun bounds one run, however much the program has to say.
	maxRun = 30 * time.Minute
	// afterResult is how long the program may live on after its result line.
	afterResult = 5 * time.Second
)

// Provider reaches models through the program.
type Provider struct {
	// Run runs programs; required.
	Run llm.Runner
	// Folder is where each run gets an empty folder of its own; required. The
	// program looks for settings, variables and instructions in the folders
	// above, so nobody but this user and the machine's owner may write to them.
	Folder string
	// Silence is how long the program may write nothing before it is ended;
	// 0: DefaultSilence.
	Silence time.Duration
}

var _ llm.Provider = Provider{}

// Name is "gemini_cli".
func (Provider) Name() string { return Name }

// Wire is the neutral format.
func (Provider) Wire() string { return llm.NeutralWire }

// Body is the neutral form of the request.
func (Provider) Body(r llm.Request) ([]byte, error) { return r.Wire() }

// Why a run is ended before its end; the first two are attempts that failed.
var (
	errSilent   = errors.New("the program wrote nothing for too long")
	errBroken   = errors.New("the program's output cannot be read")
	errFinished = errors.New("the program said its result and did not end")
)

// Stream makes one attempt at a reply by one run of the program. When it
// returns, nothing of the program runs any more.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		w, err := open(p.Folder, r)
		if err != nil {
			yield(nil, err)
			return
		}
		defer w.remove()
		a := &attempt{request: r, transcript: newTranscript(r), silence: cmp.Or(p.Silence, DefaultSilence)}
		a.start(ctx, p.Run, w.program)
		if !a.follow(yield) {
			a.abandon()
			return
		}
		for _, chunk := range a.transcript.rest() {
			if !yield(chunk, nil) {
				return
			}
		}
		if finish, failed := a.outcome(ctx, w.program); failed != nil {
			yield(nil, failed)
		} else {
			yield(finish, nil)
		}
	}
}

// attempt is one run of the program on its way.
type attempt struct {
	request    llm.Request
	transcript *transcript
	silence    time.Duration

	run    context.Context
	cancel context.CancelCauseFunc
	lines  *lines
	done   chan struct{} // closed when the program has ended
	ended  llm.Ended
	err    error
}

// start runs the program beside us.
func (a *attempt) start(ctx context.Context, run llm.Runner, program llm.Program) {
	a.run, a.cancel = context.WithCancelCause(ctx)
	a.lines, a.done = newLines(), make(chan struct{})
	program.Follow = a.lines.write
	go func() {
		defer close(a.done)
		a.ended, a.err = run(a.run, program)
	}()
}

// follow takes lines until the program has ended; false when the consumer wants
// no more.
func (a *attempt) follow(yield func(llm.Chunk, error) bool) bool {
	quiet := time.NewTimer(a.silence)
	defer quiet.Stop()
	for {
		select {
		case <-a.lines.moved:
			if !a.take(false, yield) {
				return false
			}
			switch {
			case a.transcript.broken != nil:
				a.cancel(errBroken)
			case a.transcript.result != nil:
				quiet.Reset(afterResult)
			default:
				quiet.Reset(a.silence)
			}
		case <-quiet.C:
			if a.transcript.result != nil {
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

// take folds the lines that are there; false when the consumer wants no more.
func (a *attempt) take(end bool, yield func(llm.Chunk, error) bool) bool {
	all, err := a.lines.take(end)
	for _, text := range all {
		if said := a.transcript.take(text); said != "" && !yield(llm.TextDelta(said), nil) {
			return false
		}
	}
	if a.transcript.broken == nil {
		a.transcript.broken = err
	}
	return true
}

// abandon ends the program and waits for its end.
func (a *attempt) abandon() {
	a.cancel(context.Canceled)
	<-a.done
}
