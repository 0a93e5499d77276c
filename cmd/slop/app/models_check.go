package app

import (
	"context"
	"sync"

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

// checkProviderKeys asks every provider for its list of models, all at once.
func checkProviderKeys(ctx context.Context, all map[string]llm.Provider, lines []providerLine) {
	var wg sync.WaitGroup
	for i := range lines {
		wg.Go(func() { lines[i].check(ctx, all[lines[i].Provider]) })
	}
	wg.Wait()
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
	l.Detail = why.Message
	switch {
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
