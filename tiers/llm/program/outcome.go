package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// maxStderr limits how much of the program's output an error message quotes, in bytes.
const maxStderr = 1 << 10

// outcome returns the end of the attempt: the terminal marker, or why there is none.
func (a *attempt) outcome(ctx context.Context) (llm.Finish, *llm.Error) {
	run := a.record()
	if failed := a.failure(ctx); failed != nil {
		failed.CLI = run
		return llm.Finish{}, failed
	}
	return llm.Finish{Reason: a.transcript.reason, Model: cmp.Or(clip(a.transcript.Model, maxName), a.Request.Model),
		CLI: run}, nil
}

// record returns the run in the form in which it is recorded.
func (a *attempt) record() *events.CLICall {
	out := &events.CLICall{
		Command:     append([]string{cmp.Or(a.ended.Path, a.Program.Path)}, a.Program.Args...),
		StdinSHA256: events.Digest(a.Program.Input), StdinSize: int64(len(a.Program.Input)),
		Stdout: a.ended.Stdout, Stderr: a.ended.Stderr, LatencyMS: a.ended.Duration.Milliseconds(),
		Session: clip(a.transcript.Session, maxName), OwnTools: a.transcript.others(),
	}
	if a.Program.Talk != nil {
		out.StdinSHA256, out.StdinSize = a.transcript.in.sum()
	}
	if a.err == nil && !a.ended.TimedOut {
		out.Exit = &a.ended.Exit
	}
	return out
}

// failure returns the error of the attempt; nil if there is a reply.
func (a *attempt) failure(ctx context.Context) *llm.Error {
	t := a.transcript
	var stopped *llm.Error
	switch {
	case errors.As(t.broken, &stopped):
		return a.failed(stopped.Kind, "%s", stopped.Message)
	case t.broken != nil:
		return a.failed(events.ModelIncomplete, "%v", t.broken)
	case t.failed != nil:
		return a.failed(t.failed.Kind, "%s", t.failed.Message)
	case t.over:
		return nil
	case ctx.Err() != nil:
		return &llm.Error{Kind: llm.AsError(ctx.Err()).Kind, Message: context.Cause(ctx).Error()}
	case errors.Is(context.Cause(a.run), errSilent):
		return a.failed(events.ModelNetwork, "the program wrote nothing for %v", a.Silence)
	case errors.Is(a.err, llm.ErrNoProgram):
		return &llm.Error{Kind: events.ModelInvalidRequest, Message: a.err.Error() + "; " + a.Missing}
	case a.err != nil:
		return a.failed(events.ModelInvalidRequest, "%v", a.err)
	case a.ended.TimedOut:
		return a.failed(events.ModelNetwork, "the program ran for more than %v", maxRun)
	}
	return a.failed(a.Protocol.Exit(a.ended.Exit), "the program ended with exit code %d and without a result",
		a.ended.Exit)
}

// failed returns an error that includes the program's own error output.
func (a *attempt) failed(kind, format string, args ...any) *llm.Error {
	message := fmt.Sprintf(format, args...)
	for _, more := range []string{a.transcript.noted, a.ended.Stderr} {
		if more = strings.TrimSpace(more); more != "" {
			message += ": " + clip(more, maxStderr)
		}
	}
	return &llm.Error{Kind: kind, Message: message}
}

// KindOf returns the kind of an error from its text, because programs have no error codes. An
// error that matches nothing is not retried, because the program has already retried it.
func KindOf(said string) string {
	low := strings.ToLower(said)
	for _, k := range []struct{ kind, words string }{
		{events.ModelAuth, `\b(401|403)\b|unauthenticated|authentic|api.?key|permission.?denied|credential|log.?in\b|logged out`},
		{events.ModelRateLimited, `\b429\b|quota|rate.?limit|usage.?limit|resource.?exhausted|too many requests`},
		{events.ModelOverloaded, `\b(500|502|503|504|529)\b|overload|unavailable|internal (server )?error|high demand`},
		{events.ModelContextTooLong,
			`\b413\b|context.{0,20}(long|exceed|window)|prompt is too long|token count.{0,40}exceeds|too many tokens`},
		{events.ModelRefused, `safety|prohibited|recitation|blocklist|refus`},
		{events.ModelNetwork,
			`econn|enotfound|etimedout|network|fetch failed|socket|connection|stream disconnected|error sending request`},
	} {
		if regexp.MustCompile(k.words).MatchString(low) {
			return k.kind
		}
	}
	return events.ModelInvalidRequest
}
