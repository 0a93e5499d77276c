package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tools/sandbox"
)

// try is one attempt at a reply.
type try struct {
	tr       *transcript
	event    *events.Event
	asked    events.ModelRequested
	delivery events.Delivery
	provider llm.Provider
	req      llm.Request
	line     int          // line of the script, else 0
	most     events.Usage // its maximum usage; zero if it is free
}

// call makes one attempt and returns its outcome. It returns an error only if nothing was sent:
// because the process ends, the start of the attempt cannot be recorded, or another process was
// first.
func (m *Models) call(ctx context.Context, t try) (events.Payload, error) {
	record, err := m.record(ctx, t.tr, t.event.Session) // must be read while the session is open
	if err != nil {
		return nil, err
	}
	if over := t.tr.over(t.event.ID, t.asked); over != nil {
		return events.ModelFailed{Request: t.event.ID, Kind: events.ModelCancelled, Message: over.Error()}, nil
	}
	err = m.prepare(ctx, record, &t)
	if err == nil {
		t.req.Encoded, err = t.provider.Body(t.req)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // the request is redelivered
	}
	if err != nil {
		return llm.AsError(err).Failed(t.event.ID), nil
	}
	if t.asked.Provider == ProviderScript {
		out := m.stream(ctx, t)
		return out, ctx.Err()
	}
	t.most = t.tr.most(t)
	if err := m.begin(ctx, t); err != nil {
		return nil, err
	}
	return m.stream(ctx, t), nil
}

// prepare assembles the request and finds its provider.
func (m *Models) prepare(ctx context.Context, record *llm.Record, t *try) (err error) {
	if t.req, err = record.Request(t.event.ID, t.asked, m.Transcripts.blobsOf(ctx)); err != nil {
		return err
	}
	if events.RunsProgram(t.asked.Provider) && t.req.Images() > 0 {
		return llm.Unsendable("%s runs a program, which cannot be sent images; remove the images, or ask another provider",
			t.asked.Provider)
	}
	t.provider, t.line, err = m.provider(ctx, t.tr, record, t.event, t.asked)
	return err
}

// stream sends the request and reads the reply.
func (m *Models) stream(ctx context.Context, t try) events.Payload {
	callCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := cancelWhenOver(t.tr, t.event.ID, t.asked, cancel)
	defer stop()
	began, live := m.Clock(), liveText{m: m, request: t.event, stream: t.asked.StreamID}
	reply, err := llm.Collect(t.provider.Stream(callCtx, t.req), func(piece string) { live.say(callCtx, piece) })
	if err == nil {
		live.end(callCtx) // the rest of a failed attempt is not shown
	}
	if err != nil {
		return m.failed(ctx, t, llm.AsError(err), reply.Usage)
	}
	reply.Calls = llm.Mended(reply.Calls, t.req.Tools)
	out := m.masked(reply).Replied(t.event.ID)
	out.Usage = t.tr.priced(t.event, t.asked, out.Usage)
	out.BodySHA256, out.Wire, out.ScriptLine = events.Digest(t.req.Encoded), t.provider.Wire(), t.line
	out.DurationMS = m.Clock().Sub(began).Milliseconds()
	folding, end := outlasting(ctx)
	defer end()
	return m.fold(folding, out)
}

// failed returns the outcome of an attempt that was sent, or played from the script. Its usage is
// what the provider reported before the failure, else the maximum, unless the provider did not
// accept the request.
func (m *Models) failed(ctx context.Context, t try, err *llm.Error, used events.Usage) events.ModelFailed {
	out := err.Failed(t.event.ID)
	out.ScriptLine, out.Message, out.CLI = t.line, m.hideText(out.Message), m.hideRun(out.CLI)
	if ctx.Err() != nil {
		out.Kind, out.Message = events.ModelInterrupted, "the engine stopped before the reply was complete"
	}
	switch {
	case used != (events.Usage{}):
		used = t.tr.priced(t.event, t.asked, used)
		out.Usage = &used
	case t.most != (events.Usage{}) && mayCost(out.Kind, err):
		out.Usage = &t.most
	}
	return out
}

// mayCost reports whether a failed attempt may have been paid for although no
// usage was reported.
func mayCost(kind string, err error) bool {
	switch kind {
	case events.ModelInterrupted, events.ModelCancelled, events.ModelIncomplete:
		return true
	case events.ModelNetwork:
		at, ok := errors.AsType[*net.OpError](err)
		return !ok || at.Op != "dial"
	}
	return false
}

// priced returns the usage of an attempt with its cost at the price that the session recorded, or
// without a cost if the price is unknown.
func (tr *transcript) priced(e *events.Event, p events.ModelRequested, u events.Usage) events.Usage {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	price, known := tr.offered.Price(p.Provider, p.Model, e.Time, u.Prompt())
	if !known {
		return u
	}
	u.Price = price.ID
	if cost, whole := price.Cost(u); whole {
		micro := cost.Micro()
		u.PricedMicroDollars = &micro
	}
	return u
}

// liveText publishes the text of one attempt as the model writes it, for watchers. It is not the
// answer: only a ModelReplied is.
type liveText struct {
	m       *Models
	request *events.Event
	stream  string
	pieces  int
	words   wholeWords
}

// say publishes the words that the next piece completes.
func (l *liveText) say(ctx context.Context, piece string) { l.publish(ctx, l.words.take(piece)) }

// end publishes the remaining text.
func (l *liveText) end(ctx context.Context) { l.publish(ctx, l.words.end()) }

// publish sends a text; losing one does no harm.
func (l *liveText) publish(ctx context.Context, text string) {
	if l.m.Signals == nil || text == "" {
		return
	}
	body, err := json.Marshal(struct {
		StreamID string `json:"stream_id"`
		Request  string `json:"request"`
		Piece    int    `json:"piece"`
		Delta    string `json:"delta"`
	}{l.stream, l.request.ID, l.pieces, text})
	if err != nil {
		return
	}
	l.pieces++
	if err := l.m.Signals.Signal(ctx, l.request.Project, l.request.Session, events.ActorModels, "delta",
		l.m.hide(body)); err != nil {
		l.m.Logger.Debug("cannot send live text", "error", err)
	}
}

// RunProgram is the [llm.Runner] of this engine: it runs programs like tools,
// with an environment built from an allowlist.
func RunProgram(ctx context.Context, p llm.Program) (llm.Ended, error) {
	env := sandbox.Environment(sandbox.Environ{Allow: p.Inherit, Set: p.Set})
	path, err := findProgram(env, p.Path)
	if err != nil {
		return llm.Ended{}, err
	}
	o, err := sandbox.Run(ctx, sandbox.Command{Path: path, Args: p.Args, Dir: p.Dir, Env: env, Input: p.Input,
		Talk:    p.Talk,
		Timeout: p.Limit, MaxOutput: p.MaxOutput, Follow: p.Follow})
	return llm.Ended{Path: path, Stdout: o.Stdout, Stderr: o.Stderr, Exit: o.Exit, TimedOut: o.TimedOut,
		Duration: o.Duration}, err
}

// FindProgram returns the absolute path of the program that [RunProgram] would
// run. The error is [llm.ErrNoProgram].
func FindProgram(name string) (string, error) {
	return findProgram(sandbox.Environment(sandbox.Environ{}), name)
}

func findProgram(env []string, name string) (string, error) {
	switch {
	case filepath.IsAbs(name):
		if sandbox.Executable(name) {
			return name, nil
		}
		return "", fmt.Errorf("%w: %s is not an executable file", llm.ErrNoProgram, name)
	case name == "" || strings.ContainsAny(name, `/\`):
		return "", fmt.Errorf("%w: %q must be an absolute path", llm.ErrNoProgram, name)
	}
	path, found := sandbox.FindProgram(env, name)
	if !found {
		return "", fmt.Errorf("%w: %s is not in PATH", llm.ErrNoProgram, name)
	}
	return path, nil
}
