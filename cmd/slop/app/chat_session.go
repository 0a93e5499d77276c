package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"manualslop/cmd/slop/aggregation"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
)

// chat is a session of turns. Answers go to standard output, everything else to
// standard error.
type chat struct {
	g      *site.Flags
	writer engine.SessionWriter
	opts   chatOptions
	view   *term.Progress
	asks   asker
	input  *chatInput
	set    *projections.Set // of the session, as far as it was read
	blobs  events.Blobs
	views  aggregation.Views // for prompts that are only shown

	discussion string            // in which is spoken
	turn       string            // that goes on; empty: none
	folder     string            // of the project
	adding     map[string]bool   // requests for views that are to be entries
	saying     string            // is said once these are there
	undoing    string            // request for an undo that has no outcome yet; empty: none
	undoes     string            // turn that it undoes
	undone     map[string]bool   // turns
	moving     string            // undo or redo of curation whose outcome is reported
	moves      string            // what it reports
	taking     string            // fork whose take is spoken in once it is there
	cutoff     uint64            // what stands up to here happened before
	seen       uint64            // what stands up to here is in set
	wants      uint64            // nothing is said before set has this: it was published
	requests   map[string]string // turn to its newest request to a model
	told       string            // what was printed of the answer to that of this turn
	line       bool              // an unfinished line of an answer stands there
	plain      *term.Flow        // of the answer, as it comes
	markdown   *term.Markdown    // of the answer; nil: it is printed as it comes
	leaving    bool
	planReview bool // the plans of its goals wait for a user

	stalls <-chan engine.Stall
	live   <-chan term.Piece
	stop   <-chan struct{} // a user interrupts
}

func newChat(g *site.Flags, v engine.SessionWriter, o chatOptions) *chat {
	c := &chat{g: g, writer: v, opts: o, set: projections.NewSet(), discussion: o.discussion,
		requests: map[string]string{}, adding: map[string]bool{}, undone: map[string]bool{}}
	c.input, c.markdown = newChatInput(g, c.complete), term.NewMarkdown(&g.Terminal)
	c.plain = term.NewFlow(g.Out)
	out := g.Terminal
	out.Out = c.input
	c.view = term.NewProgress(&out)
	// Above the line that is being typed everything is printed at once; the status stands where nobody types.
	draws := c.view.Status && c.input.editor != nil
	c.view.Status = false
	c.view.Free = func() bool { return draws && c.turn != "" && !c.line && !c.asks.reading }
	c.asks = newAsker(g, v, c.view, o.runOptions, c.input.read, nil)
	if c.input.editor != nil {
		c.asks.prompt = c.input.ask
	}
	return c
}

// run reads and answers until the chat ends.
func (c *chat) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := events.Filter{Project: c.writer.Project, Session: c.writer.Session}
	cutoff, feed, err := c.writer.Log.Watch(ctx, f, 1)
	if err != nil {
		return err
	}
	c.cutoff, c.wants = cutoff, cutoff
	stream := make(chan *events.Event, 256)
	broken := make(chan error, 1)
	go readFeed(ctx, feed, stream, broken)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	defer c.view.Clear()
	for {
		select {
		case <-ctx.Done():
			return exit.Errorf(exit.Failed, "stopped; `%s` continues session %s",
				c.opts.command(c.g, "chat --resume"), c.writer.Session)
		case err := <-broken:
			return err
		case e := <-stream:
			if err := c.take(e); err != nil {
				return err
			}
		case said := <-c.live:
			c.hear(said)
		case s := <-c.stalls:
			if s.Session == c.writer.Session {
				return exit.Errorf(exit.Failed, "session %s is stalled: %s stopped: %s", s.Session, s.Decider,
					term.Printable(s.Reason.Error()))
			}
		case <-c.stop:
			if err := c.interrupt(ctx); err != nil {
				return err
			}
		case line := <-c.asks.lines:
			if err := c.typed(ctx, line); err != nil {
				return err
			}
		case <-tick.C:
			c.view.Refresh()
		}
		if c.seen < c.wants {
			continue
		}
		if err := c.asks.next(ctx); err != nil {
			return err
		}
		if c.asks.stuck != "" {
			return c.waiting()
		}
		if done, err := c.next(ctx); done || err != nil {
			return err
		}
	}
}

// waiting ends the command at a question that nobody is present to answer.
func (c *chat) waiting() error {
	c.endLine()
	return c.opts.unanswered(c.g, c.asks.stuck, "chat --resume")
}

// next sends the next message, or reads one from the terminal. It returns true when the chat has ended.
func (c *chat) next(ctx context.Context) (bool, error) {
	switch {
	case c.turn != "" || len(c.adding) > 0 || c.undoing != "":
		return false, nil
	case c.saying != "":
		text := c.saying
		c.saying = ""
		if err := c.say(ctx, text); err != nil {
			if c.leaving {
				return false, err
			}
			c.note("%v", err)
			return c.next(ctx)
		}
		return false, nil
	case c.opts.text != "":
		text := c.opts.text
		if c.opts.text = ""; c.resumes() {
			return false, exit.Errorf(exit.Failed, "the discussion %s is waiting for the answer to another turn; "+
				"`%s` without "+
				"-p waits for it", term.Visible(c.discussion), c.opts.command(c.g, "chat --resume"))
		}
		c.leaving = true
		if err := c.showAndSay(ctx, text); err != nil {
			return false, err
		}
		return c.next(ctx)
	case c.leaving || c.asks.ended:
		return true, nil
	case !c.asks.reading && c.asks.shown == "":
		if c.resumes() {
			return false, nil
		}
		c.view.Clear()
		c.input.prompt(c.discussion)
		c.asks.reading = true
		c.asks.want <- struct{}{}
	}
	return false, nil
}

// resumes continues the unfinished turn of the discussion, if there is one.
func (c *chat) resumes() bool {
	c.discussion = cmp.Or(c.discussion, c.set.ActiveDiscussion())
	for _, t := range c.set.Turns() {
		if t.Discussion == c.discussion && t.Ended == nil {
			c.turn = t.Turn
		}
	}
	return c.turn != ""
}

// publish records an event. No further message is sent until the event has been read back.
func (c *chat) publish(ctx context.Context, p events.Payload) (id string, err error) {
	seq, id, err := c.writer.Publish(ctx, p)
	c.wants = max(c.wants, seq)
	return id, err
}

// say begins a turn. If the discussion does not exist yet, it is created first.
func (c *chat) say(ctx context.Context, text string) error {
	p := c.opts.answerer
	p.Text = text
	entries, there := c.set.TurnEntries(c.discussion)
	p.Discussion, p.Entries, p.Retrieval = c.discussion, entries, c.set.Settings().Retrieval.Retrieval()
	if err := p.Check(); err != nil {
		return exit.Errorf(exit.Failed, "nothing was sent: %w", err)
	}
	if !there {
		if wrong := projections.CheckDiscussionName(c.discussion); wrong != "" {
			return exit.Errorf(exit.Usage, "%s", wrong)
		}
		if _, err := c.publish(ctx, events.DiscussionChanged{Operation: events.DiscussionCreate,
			Discussion: c.discussion}); err != nil {
			return err
		}
	}
	id, err := c.publish(ctx, p)
	c.turn = events.TurnTicket(id)
	return err
}

// take applies an event to the known and the shown state.
func (c *chat) take(e *events.Event) error {
	c.set.Apply(e)
	c.seen = max(c.seen, e.Seq)
	c.asks.take(e)
	if c.g.JSON {
		printEvent(c.g, e)
	}
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		if events.IsTurn(p.Ticket) && p.Call == "" {
			c.requests[p.Ticket] = e.ID
		}
		if p.Ticket == c.turn {
			c.finish()
			c.told = ""
			c.asking(p.Model)
		}
	case events.ModelReplied:
		if c.awaits(p.Request) {
			c.whole(p.Text)
		}
	case events.SessionClosed:
		return exit.Errorf(exit.Failed, "the session was closed: %s", term.Printable(p.Reason))
	case events.TurnEnded:
		delete(c.requests, p.Turn)
		if p.Turn == c.turn {
			return c.ended(e.ID, p)
		}
	case events.DiscussionChanged, events.ConversationOpened:
		c.took(e.ID)
	case events.CurationRestored:
		c.moved(e.ID)
	case events.ToolSettled:
		if request, is := strings.CutPrefix(p.Call, events.UndoCall("")); is {
			c.undid(request, p)
		}
	case events.UndoRefused:
		c.undid(p.Request, events.ToolSettled{Text: p.Reason})
	case events.ContextBuilt:
		c.added(p)
		c.found(p)
	}
	if _, replied := e.Payload.(events.ModelReplied); replied && c.turn != "" || e.Seq <= c.cutoff || c.g.JSON {
		c.view.Note(e)
		return nil
	}
	c.endLine()
	c.view.Take(e)
	return nil
}

// asking tells the terminal that a model was asked, because the answer may take long.
func (c *chat) asking(model string) {
	if c.input.editor != nil {
		c.note("asking %s; Ctrl-C stops the turn", model)
	}
}

// awaits reports whether a request to a model is the newest of the turn.
func (c *chat) awaits(request string) bool { return c.turn != "" && c.requests[c.turn] == request }

// added reports the outcome of adding a file.
func (c *chat) added(p events.ContextBuilt) {
	if !c.adding[p.Request] {
		return
	}
	delete(c.adding, p.Request)
	for _, v := range p.Views {
		if v.Error != "" {
			c.note("%s cannot be added: %s", v.Path, v.Error)
			continue
		}
		c.note("%s (%s) is in the discussion, %d bytes", v.Path, v.View, v.Size)
	}
}

// found reports which passages of files the turn shows to its model.
func (c *chat) found(p events.ContextBuilt) {
	r := p.Retrieved
	if r == nil || r.Ticket != c.turn {
		return
	}
	if r.Problem != "" {
		c.note("searched by words: %s", r.Problem)
	}
	if r.LeftOut > 0 {
		c.note("%d of %d files were not searched: the limit on passages was reached with %d", r.LeftOut, r.Files+r.LeftOut,
			r.Passages)
	}
	var names []string
	for _, f := range projections.Passages(p.Views) {
		names = append(names, fmt.Sprintf("%s:%d-%d (%.2f)", f.Path, f.First, f.Last, f.Score))
	}
	if len(names) == 0 {
		c.note("no matching passage in %d files", r.Files)
		return
	}
	c.note("shown from %d files: %s", r.Files, strings.Join(names, ", "))
}

// took continues in the take that the user's request created, if it is the expected one.
func (c *chat) took(id string) {
	if id != c.taking {
		return
	}
	c.taking = ""
	if reason := c.set.DiscussionRefusal(id); reason != "" {
		c.note("nothing was changed: %s", reason)
	}
	for _, d := range c.set.Discussions() {
		if d.By() == id {
			c.discussion = d.Name
		}
	}
}

// ended handles the end of the turn, which ends a command of one turn.
func (c *chat) ended(id string, p events.TurnEnded) error {
	c.turn = ""
	c.finish()
	c.view.Clear()
	if p.Outcome == events.TurnDone {
		c.compacted(id)
		return nil
	}
	if c.leaving {
		return exit.Errorf(exit.Failed, "the turn %s: %s", p.Outcome, term.Printable(p.Reason))
	}
	c.note("the turn %s: %s", p.Outcome, p.Reason)
	return nil
}

// hear prints live text of the turn's model; the status shows the other text and the last lines of calls.
func (c *chat) hear(said term.Piece) {
	if c.awaits(said.Request) && !c.g.JSON {
		c.told += said.Delta
		c.print(said.Delta)
	}
	c.view.Hear(said)
}

// whole prints the part of a reply that was not printed live. Live text is not reliable: if it differs from the reply,
// the whole reply is printed.
func (c *chat) whole(text string) {
	if c.g.JSON {
		return
	}
	rest, same := strings.CutPrefix(text, c.told)
	if !same {
		c.finish()
		rest = text
	}
	c.print(rest)
	c.finish()
}

// finish prints the rest of an answer and ends its line.
func (c *chat) finish() {
	if c.markdown != nil {
		c.write(c.markdown.Rest())
	}
	c.endLine()
}

func (c *chat) print(text string) {
	if c.markdown != nil {
		c.write(c.markdown.Add(text))
		return
	}
	if text == "" {
		return
	}
	c.view.Clear()
	c.plain.Print(term.EachVisible(text))
	c.line = !strings.HasSuffix(text, "\n")
}

// write prints rendered blocks of an answer.
func (c *chat) write(blocks string) {
	if blocks != "" {
		c.view.Clear()
		fmt.Fprint(c.g.Out, blocks)
	}
}

// endLine ends an unfinished line of an answer.
func (c *chat) endLine() {
	if c.line {
		c.plain.Print("\n")
		c.line = false
	}
}

// note prints a message for the user.
func (c *chat) note(format string, args ...any) {
	c.endLine()
	if !c.g.JSON {
		c.view.Say(term.EachVisible(fmt.Sprintf(format, args...)))
	}
}

// interrupt stops the current turn; if there is none, it ends the session's command.
func (c *chat) interrupt(ctx context.Context) error {
	if c.turn == "" {
		return exit.Errorf(exit.Failed, "interrupted; `%s` continues session %s",
			c.opts.command(c.g, "chat --resume"), c.writer.Session)
	}
	c.endLine()
	_, err := c.publish(ctx, events.KillRequested{Ticket: c.turn})
	return err
}

// interruptLine discards the typed text. If nothing was typed, or at a question, it interrupts.
func (c *chat) interruptLine(ctx context.Context, text string) error {
	asked := c.asks.shown != "" || c.asks.stale != ""
	c.asks.reading, c.asks.stale = false, ""
	if text != "" && !asked {
		return nil
	}
	return c.interrupt(ctx)
}

// typed handles a line: the answer to a question, or a message to the model.
func (c *chat) typed(ctx context.Context, line typedLine) error {
	if errors.Is(line.err, errInterrupted) {
		return c.interruptLine(ctx, line.text)
	}
	if c.asks.shown != "" || c.asks.stale != "" {
		return c.asks.typed(ctx, line)
	}
	c.asks.reading = false
	switch {
	case line.err != nil:
		c.asks.ended = true
		return nil
	case line.text == "":
		return nil
	case strings.HasPrefix(line.text, "/"):
		return c.command(ctx, line.text)
	}
	if err := c.showAndSay(ctx, line.text); err != nil {
		c.note("%v", err)
	}
	return nil
}

// showAndSay adds the files that a message names to the discussion and then sends the message.
func (c *chat) showAndSay(ctx context.Context, text string) error {
	files := c.named(text)
	if len(files) > maxNamed {
		return exit.Errorf(exit.Usage, "nothing was sent: the text names %d files with @; at most %d are allowed",
			len(files), maxNamed)
	}
	for _, name := range files {
		if err := c.addFile(ctx, name); err != nil {
			return err
		}
	}
	c.saying = text
	return nil
}

// clock formats the time of an entry.
func clock(at time.Time) string { return at.Local().Format("15:04") }
