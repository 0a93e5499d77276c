package doctor

import (
	"context"
	"strings"
	"sync"

	"manualslop/cmd/slop/config"
	"manualslop/events"
	"manualslop/tiers/llm"
)

// Answers of slop models --check.
const (
	checkOK          = "ok"
	checkRefused     = "refused"     // there is no key, or it does not open anything
	checkUnreachable = "unreachable" // nobody answered in time
	checkFailed      = "failed"      // somebody answered something else
	checkUnknown     = "unknown"     // this provider cannot be asked
)

// noKey is the detail where a provider was not asked for want of a key.
const noKey = "there is no key"

// checkProviderKeys asks every provider for its list of models, all at once, and
// looks for the programs of the others.
func checkProviderKeys(ctx context.Context, c config.Config, all map[string]llm.Provider, lines []providerLine) {
	var wg sync.WaitGroup
	for i := range lines {
		if name := lines[i].Provider; events.RunsProgram(name) {
			lines[i].checkProgram(findProgram(c, name, "", ""))
			continue
		}
		wg.Go(func() { lines[i].check(ctx, all[lines[i].Provider]) })
	}
	wg.Wait()
}

// checkProgram takes over whether a program was found. Whether it is logged in
// would show only in a call.
func (l *providerLine) checkProgram(f finding) {
	l.Check, l.Detail = checkUnknown, strings.TrimSpace(f.Detail)+", whose login is not tried"
	if f.Health != healthOK {
		l.Check, l.Detail = checkFailed, strings.Trim(f.Detail, " :")
	}
}

func (l *providerLine) check(ctx context.Context, p llm.Provider) {
	lister, can := p.(llm.Lister)
	if !can {
		l.Check, l.Detail = checkUnknown, "it has no list of models to ask for"
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	listed, err := lister.Models(ctx)
	if err == nil {
		l.Check, l.listed = checkOK, listed
		return
	}
	why := llm.AsError(err)
	l.Detail, _, _ = strings.Cut(why.Message, " (slop models --check") // which runs already
	switch {
	case why.Message == llm.NoKey(l.Provider).Message:
		l.Check, l.Detail = checkRefused, noKey
	case why.Kind == events.ModelAuth:
		l.Check = checkRefused
	case ctx.Err() != nil:
		l.Check, l.Detail = checkUnreachable, "no answer within "+checkTime.String()
	case why.Kind == events.ModelNetwork:
		l.Check = checkUnreachable
	default:
		l.Check = checkFailed
	}
}
