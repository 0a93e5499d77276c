package doctor

import (
	"context"
	"strings"
	"sync"

	"manualslop/cmd/slop/config"
	"manualslop/events"
	"manualslop/tiers/llm"
)

// Results of slop models --check.
const (
	checkOK          = "ok"
	checkRefused     = "refused"     // there is no key, or the provider rejects it
	checkUnreachable = "unreachable" // no answer in time
	checkFailed      = "failed"      // another answer than expected
	checkUnknown     = "unknown"     // this provider cannot be asked
)

// noKey is the detail if a provider was not asked because it has no key.
const noKey = "no key"

// checkProviderKeys asks every provider for its list of models, all at once. For providers that run a program it looks
// for the program.
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

// checkProgram records whether a program was found. Only a call would show whether it is logged in.
func (l *providerLine) checkProgram(f finding) {
	l.Check, l.Detail = checkUnknown, strings.TrimSpace(f.Detail)+", whose login is not checked"
	if f.Health != healthOK {
		l.Check, l.Detail = checkFailed, strings.Trim(f.Detail, " :")
	}
}

func (l *providerLine) check(ctx context.Context, p llm.Provider) {
	lister, can := p.(llm.Lister)
	if !can {
		l.Check, l.Detail = checkUnknown, "the provider has no list of models to check the key with"
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
	l.Detail, _, _ = strings.Cut(why.Message, " (slop models --check") // this command is running already
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
