package app

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"manualslop/events"
)

// completionTime is how long a shell may wait for proposals.
const completionTime = 2 * time.Second

// completeAsk proposes the ids of open asks.
func (g *globals) completeAsk(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	// Without an engine there is nothing to propose.
	_ = g.withAsks(ctx, "", func(_ context.Context, _ desk, _ string, asks []askLine) error {
		for _, a := range asks {
			if a.Open() {
				out = append(out, cobra.CompletionWithDesc(a.RequestID, visible(oneLine(a.Title))))
			}
		}
		return nil
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeAnswer proposes an id, then yes and no.
func (g *globals) completeAnswer(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return []string{events.Yes, events.No}, cobra.ShellCompDirectiveNoFileComp
	}
	return g.completeAsk(cmd, args, word)
}

// completeSession proposes the sessions of a running engine; the store is not
// opened for a proposal.
func (g *globals) completeSession(files cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		p, err := g.place()
		if err != nil {
			return nil, files
		}
		d, err := g.openDesk(ctx, p)
		if err != nil {
			return nil, files
		}
		defer d.close()
		list, _, err := d.sessions(ctx)
		if err != nil {
			return nil, files
		}
		var out []string
		for _, s := range list {
			out = append(out, cobra.CompletionWithDesc(s.Session, visible(oneLine(firstOf(s.Goal, s.Folder)))))
		}
		return out, files
	}
}
