package app

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"manualslop/cmd/slop/aggregation"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/hookgw/wire"
	"manualslop/projections"
	"manualslop/tiers"
)

// preview builds the context that the next turn would have.
func (c *chat) preview(ctx context.Context) (wire.ContextPreview, error) {
	turn := c.opts.answerer
	turn.Discussion = c.discussion
	turn.Entries, _ = c.set.TurnEntries(c.discussion)
	turn.Retrieval = c.set.Settings().Retrieval.Retrieval()
	f := events.Filter{Project: c.writer.Project, Session: c.writer.Session}
	return aggregation.Make(ctx, aggregation.Source{Past: aggregation.Decoded(c.writer.Log.Read(ctx, f, 1, 0)),
		Blobs: c.blobs, Views: c.views, Person: c.writer.Person}, wire.ContextWanted{Turn: turn})
}

// showContext shows the parts of the next prompt. It lists all entries, including those that are not sent, because
// commands refer to their numbers.
func (c *chat) showContext(ctx context.Context, _ string) error {
	made, refused := c.preview(ctx)
	rows := [][]string{append(append([]string{"", "TIME", "PART"}, aggregation.Figures()...), "")}
	sent := map[string]wire.ContextPart{}
	var behind [][]string
	for _, p := range made.Parts {
		row := append(append([]string{"", "", p.Kind}, aggregation.FiguresOf(p)...), term.Visible(p.Name))
		switch {
		case p.Entry != "":
			sent[p.Entry] = p
		case p.Role == "":
			behind = append(behind, row)
		default:
			rows = append(rows, row)
		}
	}
	rows = slices.Concat(rows, c.entryRows(sent), behind)
	if refused == nil {
		rows = append(rows, append(append([]string{"", "", "all"}, aggregation.FiguresOfAll(made)...),
			term.Visible(made.Provider+"/"+made.Model)))
	}
	if c.endLine(); !c.g.JSON {
		c.view.Show(func(w io.Writer) { term.PrintTable(w, rows) })
	}
	if refused != nil {
		c.note("%v", refused)
	} else if reason := cmp.Or(made.NoPrice, made.NoCachedPrice); reason != "" {
		c.note("%s", reason)
	}
	return nil
}

// entryRows returns a row for each entry of the discussion; sent holds the parts of the entries that are sent.
func (c *chat) entryRows(sent map[string]wire.ContextPart) [][]string {
	entries, _ := c.set.DiscussionEntries(c.discussion)
	var rows [][]string
	for i, n := range entries {
		what := n.Entry.Content
		if n.Entry.Path != "" {
			what = n.Entry.Path + " (" + n.Entry.View + ")"
		}
		figures := []string{"-", "-", "-"}
		if p, is := sent[n.ID]; is {
			figures = aggregation.FiguresOf(p)
		}
		rows = append(rows, append(append([]string{strconv.Itoa(i + 1), clock(n.Entry.Time), term.Visible(n.Entry.Role)},
			figures...), term.OneLine(what)))
	}
	return rows
}

// compact asks for a summary of the discussion but for its last entries.
func (c *chat) compact(ctx context.Context, words string) error {
	keep := projections.LastExchange
	first, rest, _ := strings.Cut(words, " ")
	if n, err := strconv.Atoi(first); err == nil && n >= 0 {
		keep, words = n, strings.TrimSpace(rest)
	}
	p := c.opts.answerer
	p.Discussion, p.Text, p.Compact = c.discussion, words, true
	p.Entries, _ = c.set.CompactEntries(c.discussion, keep)
	if err := p.Check(); err != nil {
		c.note("nothing was sent: %v", err)
		return nil
	}
	id, err := c.publish(ctx, p)
	c.turn = events.TurnTicket(id)
	return err
}

// compacted continues in the take that begins with a summary, if the event with this id ended the turn that wrote it.
func (c *chat) compacted(id string) {
	for _, d := range c.set.Discussions() {
		if d.By() != id {
			continue
		}
		before, _ := c.set.TurnEntries(d.From)
		after, _ := c.set.TurnEntries(d.Name)
		c.note("about %d tokens in %d entries became about %d in %d; %s still has them all, and /discussion %s "+
			"returns to it",
			tokensOf(before), len(before), tokensOf(after), len(after), d.From, d.From)
		c.discussion = d.Name
	}
}

// tokensOf returns the approximate number of tokens of entries.
func tokensOf(entries []events.TurnEntry) int64 {
	var sum int64
	for _, n := range entries {
		size := int64(len(n.Text)) + n.Size
		if n.View == events.ViewImage {
			size = events.ImageTokens * tiers.BytesPerToken
		}
		sum += tiers.EstimatedTokens(size)
	}
	return sum
}
