package geminicli

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

// maxStderr bounds what an error's message quotes of the standard error, in bytes.
const maxStderr = 1 << 10

// outcome is the end of the attempt: the terminal marker, or why there is none.
func (a *attempt) outcome(ctx context.Context, p llm.Program) (llm.Finish, *llm.Error) {
	run := a.record(p)
	failed := a.failure(ctx)
	if failed != nil {
		failed.CLI = run
		return llm.Finish{}, failed
	}
	reason := llm.FinishStop
	if len(a.transcript.ours()) > 0 {
		reason = llm.FinishToolCalls
	}
	return llm.Finish{Reason: reason, Model: cmp.Or(a.transcript.model, a.request.Model), CLI: run}, nil
}

// record is the run as it stands on the log.
func (a *attempt) record(p llm.Program) *events.CLICall {
	out := &events.CLICall{
		Command: append([]string{cmp.Or(a.ended.Path, p.Path)}, p.Args...), StdinSHA256: events.Digest(p.Input), StdinSize: int64(len(p.Input)),
		Stdout: a.ended.Stdout, Stderr: a.ended.Stderr, LatencyMS: a.ended.Duration.Milliseconds(),
		Session: a.transcript.session, OwnTools: a.transcript.others(),
	}
	if a.err == nil && !a.ended.TimedOut {
		out.Exit = &a.ended.Exit
	}
	return out
}

// failure says why there is no reply; nil if there is one. A result that was
// said counts, however the program ended then.
func (a *attempt) failure(ctx context.Context) *llm.Error {
	t := a.transcript
	switch {
	case t.broken != nil:
		return a.failed(events.ModelIncomplete, "%v", t.broken)
	case t.result != nil && t.result.Status == "success":
		return nil
	case t.result != nil:
		kind, said := t.complaint()
		return a.failed(kind, "the program failed: %s", said)
	case ctx.Err() != nil:
		return &llm.Error{Kind: llm.AsError(ctx.Err()).Kind, Message: context.Cause(ctx).Error()}
	case errors.Is(context.Cause(a.run), errSilent):
		return a.failed(events.ModelNetwork, "the program wrote nothing for %v", a.silence)
	case errors.Is(a.err, llm.ErrNoProgram):
		return &llm.Error{Kind: events.ModelInvalidRequest, Message: a.err.Error() + "; install the gemini command line, or name the program with [providers.gemini_cli] command"}
	case a.err != nil:
		return a.failed(events.ModelInvalidRequest, "%v", a.err)
	case a.ended.TimedOut:
		return a.failed(events.ModelNetwork, "the program ran for over %v", maxRun)
	}
	return a.failed(exitKind(a.ended.Exit), "the program ended with exit code %d and without a result", a.ended.Exit)
}

// failed is an error with what the program said of it.
func (a *attempt) failed(kind, format string, args ...any) *llm.Error {
	message := fmt.Sprintf(format, args...)
	for _, more := range []string{a.transcript.noted, a.ended.Stderr} {
		if more = strings.TrimSpace(more); more != "" {
			message += ": " + clip(more, maxStderr)
		}
	}
	return &llm.Error{Kind: kind, Message: message}
}

// complaint is what a result that is no success says, and its kind.
func (t *transcript) complaint() (kind, said string) {
	said = cmp.Or(words(t.result.Error), words(t.result.Message), "it gave no reason")
	return kindOf(string(t.result.Error) + " " + said), said
}

// exitKind reads the program's exit codes.
func exitKind(code int) string {
	switch code {
	case 41: // no way to authenticate
		return events.ModelAuth
	case 42, 44, 52, 53: // bad input, sandbox, configuration, too many turns
		return events.ModelInvalidRequest
	}
	return events.ModelIncomplete
}

// kindOf reads the kind out of the words of an error: the program has no codes
// for them. What nothing speaks for is not tried again, because the program
// has done so itself.
func kindOf(said string) string {
	low := strings.ToLower(said)
	for _, k := range []struct{ kind, words string }{
		{events.ModelAuth, `\b(401|403)\b|unauthenticated|authentic|api.?key|permission.?denied|credential`},
		{events.ModelRateLimited, `\b429\b|quota|rate.?limit|resource.?exhausted|too many requests`},
		{events.ModelOverloaded, `\b(500|502|503|504)\b|overload|unavailable|internal error`},
		{events.ModelContextTooLong, `context.{0,20}(long|exceed|window)|token count.{0,40}exceeds|too many tokens`},
		{events.ModelRefused, `safety|prohibited|recitation|blocklist`},
		{events.ModelNetwork, `econn|enotfound|etimedout|network|fetch failed|socket`},
	} {
		if regexp.MustCompile(k.words).MatchString(low) {
			return k.kind
		}
	}
	return events.ModelInvalidRequest
}
