package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections/search"
	"manualslop/tools/builtin"
)

func SearchCommand(g *site.Flags) *cobra.Command {
	var page search.Page
	cmd := &cobra.Command{
		Use:   "search TEXT...",
		Short: "Find words in the record of every session",
		Long: `Search finds words in the events of every session of the project: goals, replies of
models, arguments and results of tools, hints, asks and answers, entries of
discussions, requests to the gateway. Prompts are not searched, as they repeat the
rest. A hit contains all the words, in any order and case. A word is a run of
letters and digits, so parse_line is found as "parse line".

  word       events with this word
  wor*       events with a word that begins like this; at least two characters
  "a phrase" events with these words next to each other, in this order
  -word      events without this word

  type:      the type of event, such as ToolSettled; docs/events.md lists them
  tier:      1 to 4
  ticket:    the id of a ticket
  tool:      the name of a tool
  session:   the id of a session, its beginning or its end
  before:    earlier than a day (2026-01-31), a time (2026-01-31T15:04) or an age (2h, 7d)
  after:     not earlier than that

If a qualifier is given several values, any of them may match; different qualifiers
must all match. Put a phrase into its own quotes: slop search '"no such file"'.

Each hit is a line: time, session, sequence, type, tier, ticket and tool where they
are known, and the text around the match. With --json each line is an object; its
fields are session, seq, time, type, actor, tier, ticket, tool, snippet, and match,
the position of the match in the snippet in bytes.

A running engine answers the search; without one, slop updates the index in the data
folder first. It rebuilds an index that is missing or damaged. Status 1: nothing was
found, as with grep.`,
		Example: `  slop search parser
  slop search '"no such file"' tool:read_file after:2d
  slop search type:ToolSettled tier:3 'fail*' --sort score --limit 5
  slop search error --json | jq -r .session | sort -u`,
		ValidArgsFunction: completeSearch(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			return searchRecord(cmd.Context(), g, strings.Join(args, " "), page)
		},
	}
	f := cmd.Flags()
	f.IntVar(&page.Limit, "limit", search.DefaultLimit, "print at most `N` hits, 1000 at most")
	f.IntVar(&page.Offset, "offset", 0, "skip the first `N` hits")
	f.StringVar(&page.Sort, "sort", search.Newest, "`ORDER` of the hits: newest or score")
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions([]string{search.Newest, search.Score},
		cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// checkSearch validates the search before anything is opened.
func checkSearch(text string, page search.Page) error {
	switch {
	case page.Limit < 1 || page.Limit > search.MaxLimit:
		return exit.Errorf(exit.Usage, "--limit must be 1 to %d", search.MaxLimit)
	case page.Offset < 0 || page.Offset > search.MaxOffset:
		return exit.Errorf(exit.Usage, "--offset must be 0 to %d", search.MaxOffset)
	case page.Sort != search.Newest && page.Sort != search.Score:
		return exit.Errorf(exit.Usage, "--sort must be newest or score")
	}
	if _, err := search.Parse(text, time.Now()); err != nil {
		return exit.Errorf(exit.Usage, "%w", err)
	}
	return nil
}

func searchRecord(ctx context.Context, g *site.Flags, text string, page search.Page) error {
	if err := checkSearch(text, page); err != nil {
		return err
	}
	p, err := g.Place()
	if err != nil {
		return err
	}
	d, err := client.OpenRecord(ctx, g, p)
	if err != nil {
		return err
	}
	defer d.Close()
	found, err := d.Search(ctx, text, page)
	var wrong *search.QueryError
	switch {
	case errors.As(err, &wrong):
		return exit.Errorf(exit.Usage, "%w", err)
	case err != nil:
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return printFound(g, found, page)
}

func printFound(g *site.Flags, found search.Answer, page search.Page) error {
	for _, h := range found.Hits {
		if g.JSON {
			if err := g.PrintLine(h); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(g.Out, "%s  %s %d  %s\n    %s\n", h.Time.Local().Format("2006-01-02 15:04:05"), h.Session, h.Seq,
			term.Visible(hitHead(h)), term.Visible(marked(g, h)))
	}
	if found.Behind > 0 {
		g.Notice("%d newer events are still being indexed; search again to see them", found.Behind)
	}
	switch shown := page.Offset + len(found.Hits); {
	case found.Total == 0:
		g.Notice("nothing was found")
		return exit.Silently(exit.Failed, "nothing was found")
	case uint64(shown) < found.Total && !g.JSON:
		g.Notice("%d of %d hits; continue with --offset %d", shown, found.Total, shown)
	}
	return nil
}

// hitHead returns the kind of an event and the thing to which it belongs.
func hitHead(h search.Hit) string {
	out := h.Type
	if h.Tier > 0 {
		out += fmt.Sprintf(" tier:%d", h.Tier)
	}
	if h.Ticket != "" {
		out += " ticket:" + h.Ticket
	}
	if h.Tool != "" {
		out += " tool:" + h.Tool
	}
	return out
}

// marked returns the snippet with the match between marks.
func marked(g *site.Flags, h search.Hit) string {
	from, to := h.Match[0], h.Match[1]
	if from >= to || from < 0 || to > len(h.Snippet) {
		return h.Snippet
	}
	return h.Snippet[:from] + "»" + h.Snippet[from:to] + "«" + h.Snippet[to:]
}

// completeSearch completes qualifiers and their values.
func completeSearch(g *site.Flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		name, _, qualified := strings.Cut(word, ":")
		var out []string
		switch {
		case !qualified:
			for _, q := range search.Qualifiers() {
				out = append(out, cobra.CompletionWithDesc(q.Name+":", q.Doc))
			}
			return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		case name == "type":
			for _, d := range events.Catalogue().Defs() {
				out = append(out, cobra.CompletionWithDesc("type:"+d.Type.Name, d.Doc))
			}
		case name == "tier":
			out = []string{"tier:1", "tier:2", "tier:3", "tier:4"}
		case name == "tool":
			for _, t := range site.Offers(builtin.Tools()).Tools {
				out = append(out, "tool:"+t.Name)
			}
		case name == "session":
			sessions, _ := command.CompleteSession(g, cobra.ShellCompDirectiveNoFileComp)(cmd, nil, "")
			for _, s := range sessions {
				out = append(out, "session:"+s)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
