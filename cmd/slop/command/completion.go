// Package command holds what several commands of the command line share.
package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
)

// CompletionTime limits how long a shell waits for completions.
const CompletionTime = 2 * time.Second

// CompleteSession completes the sessions of a running engine; it does not open the store.
func CompleteSession(g *site.Flags, files cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), CompletionTime)
		defer cancel()
		p, err := g.Place()
		if err != nil {
			return nil, files
		}
		d, err := client.Open(ctx, g, p)
		if err != nil {
			return nil, files
		}
		defer d.Close()
		list, _, err := d.Sessions(ctx)
		if err != nil {
			return nil, files
		}
		var out []string
		for _, s := range list {
			out = append(out, cobra.CompletionWithDesc(s.Session, term.Visible(term.OneLine(term.FirstOf(s.Goal, s.Folder)))))
		}
		return out, files
	}
}

// CompleteTicket completes the tickets of the current session of a running engine.
func CompleteTicket(g *site.Flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var out []string
		WhileRunning(g, cmd, args, func(ctx context.Context) error {
			return client.With(ctx, g, "", func(d client.Client, session string) error {
				set, err := client.Folded(ctx, d, session)
				if err != nil {
					return err
				}
				for _, t := range set.Tickets() {
					out = append(out, cobra.CompletionWithDesc(t.ID, term.Visible(t.Status+": "+term.OneLine(t.Description))))
				}
				return nil
			})
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// WhileRunning reads the completions of the first argument from a running engine; it does not open the store for them.
func WhileRunning(g *site.Flags, cmd *cobra.Command, args []string, read func(context.Context) error) {
	p, err := g.Place()
	if err != nil || len(args) > 0 || g.Remote(p) {
		return
	}
	if _, err := site.FindEngine(p.Data); err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), CompletionTime)
	defer cancel()
	_ = read(ctx) // what cannot be read is not completed
}
