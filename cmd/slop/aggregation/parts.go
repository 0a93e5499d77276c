package aggregation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/wire"
	"manualslop/tiers"
	"manualslop/tiers/contributor"
	"manualslop/tiers/fence"
	"manualslop/tiers/llm"
)

// Kinds of parts.
const (
	kindSystem      = "system"
	kindEnvironment = "environment"
	kindRules       = "rules"  // of the project
	kindTicket      = "ticket" // what a worker is to do
	kindFile        = "file"
	kindImage       = "image"
	kindEntry       = "entry" // of a discussion
	kindText        = "text"  // the user's words, or the engine's
	kindReply       = "reply"
	kindResult      = "result"
	kindChanges     = "changes" // the block of changed files
	kindTools       = "tools"
)

// context returns the context of the most recent request.
func (f *folded) context(ctx context.Context, asked *events.Event) (wire.ContextPreview, error) {
	m, ok := asked.Payload.(events.ModelRequested)
	if !ok {
		return wire.ContextPreview{}, fmt.Errorf("%s is not a request to a model", asked.Type)
	}
	blob := func(sha256 string) ([]byte, error) { return f.blobs.Get(ctx, sha256) }
	request, err := f.record.Request(asked.ID, m, blob)
	if err != nil {
		return wire.ContextPreview{}, problem.New(http.StatusUnprocessableEntity, "the prompt cannot be built: "+err.Error(),
			"A request with this context would fail in the same way. Correct the cause and try again.").WithCause(err)
	}
	manifest, err := f.record.Manifest(asked.ID)
	if err != nil {
		return wire.ContextPreview{}, fmt.Errorf("read the prompt: %w", err)
	}
	turn := f.turns[m.Ticket]
	out := wire.ContextPreview{Request: asked.ID, Ticket: m.Ticket, Attempt: m.TicketAttempt, Round: m.Round,
		Discussion: turn.Discussion, Tier: m.Tier, Provider: m.Provider, Model: m.Model}
	d := document{names: map[string]string{}, entries: turn.Entries}
	if f.unsaid {
		manifest = manifest[:len(manifest)-1]
	}
	for i, p := range manifest {
		shown, err := f.record.Show(i, p, blob)
		if err != nil {
			return out, fmt.Errorf("read the prompt: %w", err)
		}
		d.add(p, shown)
	}
	d.addTools(request.Tools)
	out.Parts, out.Markdown = d.parts, d.markdown()
	out.SHA256 = events.Digest([]byte(out.Markdown))
	f.price(&out, asked)
	return out, nil
}

// document collects the parts of a context.
type document struct {
	parts   []wire.ContextPart
	texts   []string
	names   map[string]string  // tools of calls
	entries []events.TurnEntry // of the turn that were not seen yet
	talking bool               // the discussion has begun
}

func (d *document) add(p events.Part, shown llm.Shown) {
	part := wire.ContextPart{Role: p.Role, Bytes: int64(shown.Bytes)}
	part.Kind, part.Name = d.kindOf(p, shown.Text)
	if d.talking && part.Kind != kindReply && part.Kind != kindResult && len(d.entries) > 0 {
		part.Entry, d.entries = d.entries[0].Entry, d.entries[1:]
	}
	d.talking = d.talking || p.Text == contributor.DiscussionHeading
	text := shown.Text
	part.Tokens = tiers.EstimatedTokens(part.Bytes)
	if shown.Image != nil {
		part.Tokens += events.ImageTokens
		part.Bytes += int64(len(shown.Image.Data))
		text += fmt.Sprintf("[%s of %d bytes, %s]\n", shown.Image.Media, len(shown.Image.Data), shown.Image.SHA256)
	}
	for _, c := range shown.Calls {
		d.names[c.ID] = c.Name
		text += "\n" + fenced("json", fmt.Sprintf("{\"call\": %q, \"args\": %s}", c.Name, c.Args))
	}
	d.put(part, text)
}

// kindOf returns the kind and the name of a part, whose text begins with its heading.
func (d *document) kindOf(p events.Part, text string) (kind, name string) {
	heading, _, _ := strings.Cut(text, "\n")
	name = strings.TrimLeft(heading, "# ")
	titled := name != heading
	switch {
	case p.Kind == events.PartRefresh:
		return kindChanges, ""
	case p.Kind == events.PartImage:
		return kindImage, name
	case p.Role == llm.RoleSystem && name == "Environment":
		return kindEnvironment, ""
	case p.Role == llm.RoleSystem && titled:
		return kindSystem, name
	case p.Role == llm.RoleSystem:
		return kindSystem, "role"
	case p.Role == llm.RoleTool:
		return kindResult, d.names[p.Call]
	case p.Kind == events.PartEntry && len(d.entries) > 0:
		return kindEntry, entryName(d.entries[0])
	case p.Kind == events.PartEntry:
		return kindText, "message"
	case p.Role == llm.RoleAssistant:
		return kindReply, ""
	case p.Origin == fence.Repo && strings.HasPrefix(heading, "# "):
		return kindRules, name
	case strings.HasPrefix(heading, "## "):
		return kindFile, name
	case strings.HasPrefix(heading, "# Ticket "):
		return kindTicket, strings.TrimPrefix(heading, "# Ticket ")
	}
	return kindText, ""
}

// entryName names an entry by its role and its content.
func entryName(n events.TurnEntry) string {
	switch {
	case n.Path != "":
		return n.Role + " " + n.Path
	case n.Tool != "":
		return n.Role + " " + n.Tool
	}
	return n.Role
}

// addTools adds the tools that the model is offered, as one part.
func (d *document) addTools(offered []llm.Tool) {
	if len(offered) == 0 {
		return
	}
	part := wire.ContextPart{Kind: kindTools, Name: fmt.Sprintf("%d tools", len(offered))}
	var text strings.Builder
	for _, t := range offered {
		part.Bytes += int64(len(t.Name) + len(t.Description) + len(t.Schema))
		schema, err := json.MarshalIndent(t.Schema, "", "  ")
		if err != nil {
			schema = t.Schema
		}
		fmt.Fprintf(&text, "## %s\n\n%s\n\n%s\n", t.Name, t.Description, fenced("json", string(schema)))
	}
	part.Tokens = tiers.EstimatedTokens(part.Bytes)
	d.put(part, text.String())
}

// fenced returns a block of code; its fence is longer than any in the text.
func fenced(language, text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + text + "\n" + marks + "\n"
}

// maxName limits the name of a part, in bytes.
const maxName = 256

func (d *document) put(part wire.ContextPart, text string) {
	part.Number, part.Name = len(d.parts)+1, tiers.Line(tiers.Clip(part.Name, maxName))
	d.parts, d.texts = append(d.parts, part), append(d.texts, text)
}

// markdown returns all parts, each after a comment that names it.
func (d *document) markdown() string {
	var out strings.Builder
	for i, p := range d.parts {
		what := strings.Join(slices.DeleteFunc(slices.Compact([]string{p.Role, p.Kind, p.Name}), func(s string) bool {
			return s == ""
		}), ", ")
		fmt.Fprintf(&out, "<!-- part %d of %d: %s; about %d tokens -->\n%s", p.Number, len(d.parts),
			strings.ReplaceAll(what, "-->", "-- >"), p.Tokens, d.texts[i])
		if !strings.HasSuffix(d.texts[i], "\n") {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// price adds up the tokens and what they cost as input of the model.
func (f *folded) price(c *wire.ContextPreview, asked *events.Event) {
	for _, p := range c.Parts {
		c.Tokens += p.Tokens
	}
	price, known := f.offered.Price(c.Provider, c.Model, asked.Time, c.Tokens)
	if !known {
		c.NoPrice = "no price of " + c.Provider + "/" + c.Model + " is known"
		c.NoCachedPrice = c.NoPrice
		return
	}
	usd := func(tokens, microDollars int64) *float64 {
		cost := float64(events.Pay(tokens, microDollars)) / 1e12
		return &cost
	}
	c.USD = usd(c.Tokens, price.Input)
	if price.CacheRead == nil {
		c.NoCachedPrice = "no cached-input price is known for " + c.Provider + "/" + c.Model
	} else {
		c.USDCached = usd(c.Tokens, *price.CacheRead)
	}
	for i := range c.Parts {
		p := &c.Parts[i]
		p.USD = usd(p.Tokens, price.Input)
		if price.CacheRead != nil {
			p.USDCached = usd(p.Tokens, *price.CacheRead)
		}
	}
}
