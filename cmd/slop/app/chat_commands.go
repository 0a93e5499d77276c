package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"manualslop/cmd/slop/engine"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/diffs"
)

// chatCommands returns the commands with which a line may begin, and their functions.
func chatCommands() []struct {
	name, takes, does string
	run               func(*chat, context.Context, string) error
} {
	return []struct {
		name, takes, does string
		run               func(*chat, context.Context, string) error
	}{
		{"/help", "", "shows the commands", (*chat).help},
		{"/model", "[NAME]", "asks this model of the tier; without a name, the tier's own", (*chat).chooseModel},
		{"/persona", "[NAME]", "asks as this persona; without a name, uses none", (*chat).choosePersona},
		{"/tier", "N", "asks the model of tier 1 to 4", (*chat).chooseTier},
		{"/add", "FILE[:VIEW]", "puts a file into the discussion", (*chat).addFile},
		{"/drop", "N", "removes entry N from the discussion", (*chat).dropEntry},
		{"/context", "", "shows what the next turn sends: its parts with tokens and prices, entries with numbers", (*chat).showContext},
		{"/retrieve", "on|off", "whether turns include passages of project files that match the message",
			(*chat).switchRetrieval},
		{"/compact", "[N] [WORDS]", "summarises all but the last N entries, and continues in a take", (*chat).compact},
		{"/diff", "", "shows what the session has changed so far", (*chat).showDiff},
		{"/undo", "[context]", "restores the files that the newest turn changed, or undoes the newest change of the context",
			(*chat).undo},
		{"/redo", "", "redoes the last undone change of the context", (*chat).redo},
		{"/take", "[N]", "continues in a take that begins with the entries up to N", (*chat).beginTake},
		{"/discussion", "NAME", "continues in another discussion", (*chat).changeDiscussion},
		{"/goal", "TEXT", "hands a goal to the tiers, with this discussion", (*chat).submitGoal},
		{"/track", "TEXT", "hands a track to tier 2, which plans its tickets, with this discussion", (*chat).submitTrack},
		{"/ticket", "TEXT", "hands a ticket to a worker, with this discussion", (*chat).submitTicket},
		{"/open", "TICKET", "continues in a discussion that begins with the conversation of a blocked " +
			"ticket", (*chat).openTicket},
		{"/give", "TICKET [NOTE]", "retries a blocked ticket, with this discussion", (*chat).giveTicket},
		{"/cost", "", "shows what the session used", (*chat).showCost},
		{"/quit", "", "exits; the session stays open", (*chat).quit},
	}
}

// command carries out a line that begins with a slash.
func (c *chat) command(ctx context.Context, line string) error {
	name, rest, _ := strings.Cut(line, " ")
	for _, known := range chatCommands() {
		if known.name == name {
			return known.run(c, ctx, strings.TrimSpace(rest))
		}
	}
	c.note("unknown command %s; /help lists the commands", name)
	return nil
}

// complete returns the line with its command or path completed as far as it is unambiguous.
func (c *chat) complete(line string) string {
	if strings.Contains(line, "@") {
		return c.completeFile(line)
	}
	fits := ""
	for _, known := range chatCommands() {
		if strings.HasPrefix(known.name, line) && strings.HasPrefix(line, "/") {
			if fits != "" {
				return line
			}
			fits = known.name + " "
		}
	}
	if fits == "" {
		return line
	}
	return fits
}

func (c *chat) help(context.Context, string) error {
	for _, known := range chatCommands() {
		c.note("%-26s %s", strings.TrimSpace(known.name+" "+known.takes), known.does)
	}
	return nil
}

func (c *chat) chooseModel(_ context.Context, name string) error {
	c.opts.answerer.Model = name
	return nil
}

func (c *chat) choosePersona(_ context.Context, name string) error {
	roster := c.set.Settings().Roster
	if _, known := roster.Persona(name); name != "" && !known {
		var names []string
		for _, p := range roster.Personas {
			names = append(names, p.Name)
		}
		c.note("no persona %s; the personas are: %s", name, strings.Join(names, ", "))
		return nil
	}
	c.opts.answerer.Persona = name
	return nil
}

func (c *chat) chooseTier(_ context.Context, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 4 {
		c.note("the tier must be 1 to 4")
		return nil
	}
	c.opts.answerer.Tier = n
	return nil
}

func (c *chat) addFile(ctx context.Context, name string) error {
	if name == "" {
		c.note("name a file: /add FILE[:VIEW], with %s", strings.Join(events.FileViews(), ", "))
		return nil
	}
	name, view := viewOf(name)
	id, err := c.publish(ctx, events.ContextInjectionRequested{Discussion: c.discussion, Path: name, View: view})
	c.adding[id] = true
	return err
}

// viewOf splits FILE[:VIEW].
func viewOf(text string) (file, view string) {
	file, view = events.SplitView(text)
	return file, cmp.Or(view, events.DefaultView(file))
}

// maxNamed limits the files that one message names with @.
const maxNamed = 16

// named returns the distinct files that a message names as @FILE[:VIEW]. A word that does not name a file of the
// project is ordinary text.
func (c *chat) named(text string) []string {
	var out []string
	for _, word := range strings.Fields(text) {
		name, is := strings.CutPrefix(word, "@")
		name = strings.TrimRight(name, ".,;!?)")
		file, _ := viewOf(name)
		if is && c.isFile(file) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// isFile reports whether the project has a file with this name.
func (c *chat) isFile(name string) bool {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	info, err := os.Stat(filepath.Join(c.folder, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// completeFile returns the line with the path after its last @ completed as far as it is unambiguous.
func (c *chat) completeFile(line string) string {
	at := strings.LastIndexByte(line, '@')
	begun := line[at+1:]
	if strings.ContainsAny(begun, " \t") || !filepath.IsLocal(filepath.FromSlash(begun+"x")) {
		return line
	}
	dir, base := path.Split(begun)
	entries, err := os.ReadDir(filepath.Join(c.folder, filepath.FromSlash(dir)))
	if err != nil {
		return line
	}
	common, found := "", false
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || strings.ContainsAny(name, " \t") || base == "" && name[0] == '.' {
			continue
		}
		if name += " "; e.IsDir() {
			name = e.Name() + "/"
		}
		if !found {
			common, found = name, true
		}
		for !strings.HasPrefix(name, common) {
			common = common[:len(common)-1]
		}
	}
	if len(common) < len(base) {
		return line
	}
	return line[:at+1] + dir + common
}

// numbered returns the entry with the given number, counted from 1 as in /context.
func (c *chat) numbered(number string) (projections.DiscussionEntry, bool) {
	entries, _ := c.set.DiscussionEntries(c.discussion)
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(entries) {
		c.note("the entry must be 1 to %d; /context lists the entries", len(entries))
		return projections.DiscussionEntry{}, false
	}
	return entries[n-1], true
}

func (c *chat) dropEntry(ctx context.Context, number string) error {
	entry, ok := c.numbered(number)
	if !ok {
		return nil
	}
	_, err := c.publish(ctx, events.DiscussionChanged{Operation: events.EntryDelete, Discussion: c.discussion,
		Entry: entry.ID})
	return err
}

// switchRetrieval turns retrieval on or off, or without a word shows the current setting.
func (c *chat) switchRetrieval(ctx context.Context, word string) error {
	now := c.set.Settings().Retrieval
	switch word {
	case "on", "off":
		on := word == "on"
		if _, err := c.publish(ctx, events.RetrievalChanged{Enabled: &on}); err != nil {
			return err
		}
		now.Enabled = on
	case "":
	default:
		c.note("/retrieve needs on or off")
		return nil
	}
	switch {
	case !now.Enabled:
		c.note("retrieval is off")
	case now.Source == events.RetrieveVectors:
		c.note("retrieval is on: the contents of the project's files are sent to %s, once each; to keep them here, "+
			"set source = \"text\" under [retrieval] in slop.toml", now.Provider)
	default:
		c.note("retrieval is on: files are searched for the words of a message")
	}
	return nil
}

// showDiff shows the differences between the files now and at the beginning of the session.
func (c *chat) showDiff(ctx context.Context, _ string) error {
	list := c.set.Changes()
	for _, f := range list.Files {
		d := diffs.Of(ctx, c.blobs, f)
		if d.NoDiff != "" {
			c.note("%s was changed, but its diff cannot be shown: %s", f.Path, d.NoDiff)
			continue
		}
		if c.endLine(); !c.g.JSON {
			c.view.Show(func(w io.Writer) { c.g.PrintDiff(w, d.Diff) })
		}
	}
	for _, u := range list.Unseen {
		c.note("%s may have changed files that are not listed: slop show %s", u.Tool, u.Call)
	}
	if len(list.Files)+len(list.Unseen) == 0 {
		c.note("the session has not changed any file")
	}
	return nil
}

func (c *chat) beginTake(ctx context.Context, number string) error {
	p := events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: c.discussion}
	if number != "" {
		entry, ok := c.numbered(number)
		if !ok {
			return nil
		}
		p.Entry = entry.ID
	}
	id, err := c.publish(ctx, p)
	c.taking = id
	return err
}

func (c *chat) changeDiscussion(_ context.Context, name string) error {
	if _, there := c.set.DiscussionEntries(name); name == "" || !there {
		var names []string
		for _, d := range c.set.Discussions() {
			names = append(names, d.Name)
		}
		c.note("no discussion %s; the discussions are: %s", name, strings.Join(names, ", "))
		return nil
	}
	c.discussion = name
	return nil
}

func (c *chat) submitGoal(ctx context.Context, text string) error {
	if text == "" || len(text) > events.MaxInline {
		c.note("a goal must be 1 to %d bytes", events.MaxInline)
		return nil
	}
	return c.hand(ctx, events.GoalSubmitted{Goal: text, Plan: c.planReview})
}

func (c *chat) submitTrack(ctx context.Context, text string) error {
	if text == "" || len(text) > events.MaxWorkerPrompt {
		c.note("a track must be 1 to %d bytes", events.MaxWorkerPrompt)
		return nil
	}
	return c.hand(ctx, events.GoalSubmitted{Goal: text, Plan: c.planReview, Track: true})
}

func (c *chat) submitTicket(ctx context.Context, text string) error {
	p := events.WorkerSpawnRequested{Prompt: text}
	if err := p.Check(); err != nil {
		c.note("%v", err)
		return nil
	}
	return c.hand(ctx, p)
}

// openTicket turns a ticket's conversation into a discussion and continues there.
func (c *chat) openTicket(ctx context.Context, ticket string) error {
	if reason := c.set.Held(ticket); reason != "" {
		c.note("%s", reason)
		return nil
	}
	id, err := c.publish(ctx, events.ConversationOpened{Ticket: ticket, Discussion: c.set.FreeDiscussion(ticket)})
	c.taking = id
	return err
}

// giveTicket retries a blocked ticket. Its next attempt begins with the discussion.
func (c *chat) giveTicket(ctx context.Context, text string) error {
	ticket, note, _ := strings.Cut(text, " ")
	reason := c.set.Held(ticket)
	if len(note) > events.MaxNote {
		reason = fmt.Sprintf("a note must be at most %d bytes", events.MaxNote)
	}
	if reason != "" {
		c.note("%s", reason)
		return nil
	}
	return c.handTo(ctx, ticket, events.RetryRequested{Ticket: ticket, Note: strings.TrimSpace(note)})
}

// hand publishes new work with the discussion attached, unless it is empty.
func (c *chat) hand(ctx context.Context, work events.Payload) error { return c.handTo(ctx, "", work) }

// handTo publishes work on a ticket with the discussion attached, unless it is empty; no ticket means new work.
func (c *chat) handTo(ctx context.Context, ticket string, work events.Payload) error {
	id := engine.NewID()
	talk := events.TalkAttached{To: cmp.Or(ticket, id), Discussion: c.discussion}
	if talk.Entries, _ = c.set.TurnEntries(c.discussion); len(talk.Entries) > 0 {
		if err := talk.Check(); err != nil {
			c.note("nothing was handed over: %v", err)
			return nil
		}
		if _, err := c.publish(ctx, talk); err != nil {
			return err
		}
		c.note("with the discussion %s: %d entries", c.discussion, len(talk.Entries))
	}
	seq, _, err := c.writer.PublishAs(ctx, id, work)
	c.wants = max(c.wants, seq)
	return err
}

func (c *chat) showCost(context.Context, string) error {
	total := c.set.Cost().Total
	c.note("%d requests, %d tokens in and %d out%s", total.Requests, total.Input+total.CacheRead+total.CacheWrite,
		total.Output, fmt.Sprintf(" (%d of them from a cache)", total.CacheRead))
	return nil
}

func (c *chat) quit(context.Context, string) error {
	c.leaving = true
	return nil
}
