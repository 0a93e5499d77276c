// Package command has what several commands of the command line share.
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
