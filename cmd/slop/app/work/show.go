package work

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/app/sessions"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
)

func ShowCommand(g *site.Flags) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "show CALL|SEQ|TICKET|ASK",
		Short: "Show a call, an event, a ticket or an ask in full",
		Long: `Show prints one thing from the record, never cut: a call with its arguments, its diff
and its output as the model got it; the event at a sequence with its whole payload; a ticket with
its calls, its asks and its worker's last message; or an ask, as slop ask show does.

It uses the running engine, or opens the store if no engine is running. Ids may be
abbreviated to a unique beginning or end; slop show TICKET and slop watch list them.
Control characters and characters that change the direction of text are written as
<U+202E>. With --json it is one line of JSON.`,
		Example: `  slop show T-003
  slop show 218
  slop show 7QK2M4`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.CompleteTicket(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessions.WithHistory(cmd.Context(), g, session, func(d client.Client, s projections.Summary,
				past []events.Event) error {
				return show(cmd.Context(), g, d, s.Session, past, args[0])
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "use session `ID` instead of the current one")
	return cmd
}

// show prints what word names: a sequence, or the id of a ticket, an ask or a call.
func show(ctx context.Context, g *site.Flags, d client.Client, session string, past []events.Event, word string) error {
	seq, err := strconv.ParseUint(word, 10, 64)
	isNumber := err == nil
	if isNumber {
		for i := range past {
			if past[i].Seq == seq {
				return showEvent(ctx, g, d, &past[i])
			}
		}
	}
	set := projections.NewSet()
	calls := map[string]bool{}
	for i := range past {
		set.Apply(&past[i])
		switch p := past[i].Payload.(type) {
		case events.ToolRequested:
			calls[p.Call] = true
		case events.ToolApproved: // an undo is not requested by a model
			calls[p.Call] = true
		}
	}
	asks := client.FoldAsks(set)
	ids := askIDs(asks)
	for _, t := range set.Tickets() {
		ids = append(ids, t.ID)
	}
	ids = slices.AppendSeq(ids, maps.Keys(calls))
	slices.Sort(ids)
	id, err := client.ExpandID("call, event, ticket or ask", word, ids)
	if err != nil && isNumber {
		return exit.Errorf(exit.Failed, "session %s has no event %d", session, seq)
	}
	if err != nil {
		return err
	}
	if calls[id] {
		return showCall(ctx, g, d, past, id)
	}
	for _, t := range set.Tickets() {
		if t.ID == id {
			return showTicket(g, set, past, t)
		}
	}
	a, err := findAsk(asks, id)
	if err != nil {
		return err
	}
	return showAsk(ctx, g, d, a)
}

// whole returns the complete text if an event holds only its beginning.
func whole(ctx context.Context, d client.Client, text string, blob *events.BlobRef) (string, error) {
	if blob == nil {
		return text, nil
	}
	all, err := d.Blobs().Get(ctx, blob.SHA256)
	if err != nil {
		return text, exit.Errorf(exit.Failed, "only the beginning of %d bytes is shown: %w", blob.Size, err)
	}
	return string(all), nil
}

// shownEvent is the output of slop show SEQ --json.
type shownEvent struct {
	Seq   uint64       `json:"seq"`
	Event events.Event `json:"event"`
	Text  string       `json:"text,omitempty"` // the whole text or diff, if the event holds only its head
}

// showEvent prints an event, and the complete text or diff if the event holds only its beginning.
func showEvent(ctx context.Context, g *site.Flags, d client.Client, e *events.Event) error {
	var blob *events.BlobRef
	switch p := e.Payload.(type) {
	case events.ToolSettled:
		blob = p.TextBlob
	case events.PreviewBuilt:
		blob = p.DiffBlob
	case events.AskRaised:
		blob = p.DiffBlob
	case events.ModelReplied:
		blob = p.RawBlob
	}
	text, missing := whole(ctx, d, "", blob)
	if g.JSON {
		if err := g.PrintLine(shownEvent{e.Seq, *e, text}); err != nil {
			return err
		}
		return missing
	}
	term.PrintFields(g.Out, [][]string{{"event", fmt.Sprintf("%d %s", e.Seq, e.Type)}, {"by", e.Actor},
		{"at", term.Clock(e.Time)}, {"id", e.ID}, {"cause", e.Cause}, {"about", e.Corr}})
	printText(g, "payload", strings.Join(term.PayloadText(e.Data, true), "\n"))
	printText(g, "whole text", text)
	return missing
}

// shownCall is the output of slop show CALL --json.
type shownCall struct {
	Call       string             `json:"call"`
	Tool       string             `json:"tool"`
	Ticket     string             `json:"ticket,omitempty"`
	Attempt    int                `json:"attempt,omitempty"`
	Workspace  string             `json:"workspace,omitempty"`
	Args       json.RawMessage    `json:"args"`
	Effect     string             `json:"effect,omitempty"`
	By         string             `json:"by,omitempty"` // who approved or denied it
	Rule       string             `json:"rule,omitempty"`
	Edited     bool               `json:"edited,omitempty"`
	Diff       string             `json:"diff,omitempty"`
	Outcome    string             `json:"outcome,omitempty"`
	Reason     string             `json:"reason,omitempty"`
	Exit       *int               `json:"exit,omitempty"`
	DurationMS int64              `json:"duration_ms,omitempty"`
	Worker     string             `json:"worker,omitempty"`
	Files      []events.FileState `json:"files,omitempty"`
	Text       string             `json:"text,omitempty"`
	Requested  time.Time          `json:"requested"`

	diff, text *events.BlobRef
}

// take applies an event about the call.
func (c *shownCall) take(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		c.Tool, c.Args, c.Workspace = p.Tool, p.Args, p.Workspace
		c.Ticket, c.Attempt, c.Requested = p.Ticket, p.Attempt, e.Time
	case events.PreviewBuilt:
		c.Diff, c.diff = p.Diff, p.DiffBlob
	case events.ToolApproved:
		c.Tool, c.Args, c.Workspace, c.Effect, c.By, c.Rule, c.Edited = p.Tool, p.Args, p.Workspace, p.Effect, p.By, p.Rule,
			p.Edited
		if c.Requested.IsZero() {
			c.Requested = e.Time
		}
	case events.ToolDenied:
		c.Outcome, c.By, c.Reason = projections.CallDenied, p.By, p.Reason
	case events.ToolParked:
		c.Outcome, c.Reason = events.ToolInterrupted, p.Reason
	case events.InterruptResolved:
		c.By, c.Reason = p.By, p.Reason
	case events.ToolSettled:
		c.Outcome, c.Exit, c.DurationMS, c.Worker, c.Files = p.Outcome, p.Exit, p.DurationMS, e.Actor, p.Files
		c.Text, c.text = p.Text, p.TextBlob
	}
}

func showCall(ctx context.Context, g *site.Flags, d client.Client, past []events.Event, id string) error {
	c := shownCall{Call: id}
	for i := range past {
		if past[i].Corr == id {
			c.take(&past[i])
		}
	}
	var noDiff, noText error
	c.Diff, noDiff = whole(ctx, d, c.Diff, c.diff)
	c.Text, noText = whole(ctx, d, c.Text, c.text)
	if noText == nil {
		noText = noDiff
	}
	if g.JSON {
		if err := g.PrintLine(c); err != nil {
			return err
		}
		return noText
	}
	outcome := term.FirstOf(c.Outcome, "not settled")
	if c.Exit != nil {
		outcome += fmt.Sprintf(", exit %d", *c.Exit)
	}
	if c.DurationMS > 0 {
		outcome += fmt.Sprintf(", in %s", time.Duration(c.DurationMS)*time.Millisecond)
	}
	approved := c.By
	if c.Rule != "" {
		approved += " " + c.Rule
	}
	if c.Edited {
		approved += ", with other arguments"
	}
	rows := [][]string{{"call", c.Call}, {"tool", c.Tool}, {"ticket", c.Ticket}, {"workspace", c.Workspace},
		{"effect", c.Effect}, {"requested", term.Clock(c.Requested)}, {"decided by", approved}, {"outcome", outcome},
		{"reason", c.Reason}, {"worker", c.Worker}}
	for _, f := range c.Files {
		if f.Written {
			rows = append(rows, []string{"wrote", f.Path})
		}
	}
	term.PrintFields(g.Out, rows)
	printText(g, "arguments", strings.Join(term.PayloadText(c.Args, true), "\n"))
	if c.Diff != "" {
		fmt.Fprintln(g.Out, "diff")
		g.PrintDiff(g.Out, c.Diff)
	}
	printText(g, "result", c.Text)
	return noText
}

// shownTicket is the output of slop show TICKET --json.
type shownTicket struct {
	projections.TicketRow
	projections.TicketPast
	Prompt string `json:"prompt,omitempty"` // of the newest attempt
	// Refused is the denied write of a completed ticket that changed nothing.
	Refused *projections.ToolCall  `json:"refused,omitempty"`
	Said    string                 `json:"said,omitempty"` // newest reply of its worker
	Calls   []projections.ToolCall `json:"calls"`
	Asks    []client.Ask           `json:"asks"`
}

func showTicket(g *site.Flags, set *projections.Set, past []events.Event, row projections.TicketRow) error {
	t := shownTicket{TicketRow: row, TicketPast: set.TicketPast(row.ID),
		Calls: []projections.ToolCall{}, Asks: []client.Ask{}}
	for _, c := range set.ToolCalls() {
		if c.Ticket == row.ID {
			t.Calls = append(t.Calls, c)
		}
	}
	for _, a := range client.FoldAsks(set) {
		if a.Ticket == row.ID {
			t.Asks = append(t.Asks, a)
		}
	}
	if c, is := set.RefusedWrite(row.ID); is {
		t.Refused = &c
	}
	requests := map[string]bool{} // of the ticket's worker
	for _, e := range past {
		switch p := e.Payload.(type) {
		case events.TicketStarted:
			if p.Ticket.ID == row.ID {
				t.Prompt = p.Prompt
			}
		case events.ModelRequested:
			if p.Ticket == row.ID && p.Tier == 3 {
				requests[e.ID] = true
			}
		case events.ModelReplied:
			if requests[p.Request] && p.Text != "" {
				t.Said = p.Text
			}
		}
	}
	if g.JSON {
		return g.PrintLine(t)
	}
	t.print(g)
	return nil
}

func (t *shownTicket) print(g *site.Flags) {
	rows := [][]string{{"ticket", t.ID}, {"track", t.Track}, {"status", t.Status}, {"model", t.Model},
		{"after", strings.Join(t.DependsOn, ", ")}, {"attempts", fmt.Sprint(t.Attempt)}}
	if t.Discussion != "" {
		rows = append(rows, []string{"discussion", t.Discussion})
	}
	if t.TargetFile != nil {
		rows = append(rows, []string{"file", *t.TargetFile})
	}
	if t.Refused != nil {
		rows = append(rows, []string{"refused", DeniedBy(*t.Refused)})
	}
	if t.BlockedReason != nil {
		rows = append(rows, []string{"blocked", *t.BlockedReason})
	}
	term.PrintFields(g.Out, rows)
	printText(g, "what", term.FirstOf(t.Prompt, t.Description))
	printText(g, "last words", t.Said)
	var ids []string
	for _, c := range t.Calls {
		ids = append(ids, c.Call)
	}
	calls := [][]string{{"CALL", "TOOL", "STATE", "BY", "WHY"}}
	for short, i := client.ShortIDs(ids), 0; i < len(t.Calls); i++ {
		c := t.Calls[i]
		state := c.State
		if c.State == projections.CallSettled {
			state = c.Outcome
		}
		if c.Exit != nil {
			state += fmt.Sprintf(" (exit %d)", *c.Exit)
		}
		calls = append(calls, []string{term.Visible(short[c.Call]), term.Visible(c.Tool), state,
			term.Visible(term.OrDash(c.By)), term.Visible(term.OneLine(c.Reason))})
	}
	asks := [][]string{{"ASK", "GATE", "STATE", "TITLE"}}
	for short, i := client.ShortIDs(askIDs(t.Asks)), 0; i < len(t.Asks); i++ {
		a := t.Asks[i]
		asks = append(asks, []string{term.Visible(short[a.RequestID]), a.Gate, term.Visible(term.OneLine(askState(a))),
			term.Visible(term.OneLine(a.Title))})
	}
	attempts := [][]string{{"ATTEMPT", "STATE", "STARTED", "WHY"}}
	for _, a := range t.Attempts {
		attempts = append(attempts, []string{fmt.Sprint(a.Attempt), a.Status, term.Clock(a.Started),
			term.Visible(term.OneLine(a.Reason))})
	}
	notes := [][]string{{"NOTE", "BY", "SENT"}}
	for _, n := range t.Notes {
		notes = append(notes, []string{term.Visible(n.Note), term.Visible(n.By), term.Clock(n.At)})
	}
	for _, table := range [][][]string{attempts, notes, calls, asks} {
		if len(table) > 1 {
			fmt.Fprintln(g.Out)
			term.PrintTable(g.Out, table)
		}
	}
}

// printText prints a text below its name, if it has one.
func printText(g *site.Flags, name, text string) {
	if text == "" {
		return
	}
	fmt.Fprintln(g.Out, name)
	term.PrintBlock(g.Out, text)
}

// DeniedBy returns who denied a call, and why.
func DeniedBy(c projections.ToolCall) string {
	line := fmt.Sprintf("%s was refused by %s", c.Tool, c.By)
	if c.Reason != "" {
		line += ": " + term.OneLine(c.Reason)
	}
	return line
}
