package approval

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// maxSources bounds the sources of untrusted text that a question names.
const maxSources = 6

// conversation is one attempt at a ticket: what a model reads in it, later
// calls of it may come from.
type conversation struct {
	ticket  string
	attempt int
}

// taint is what a conversation has read that neither the engine nor a person
// wrote.
type taint struct {
	sources []string // the first ones, in the order read
	more    int
	foreign bool // some of it came from the web or from an external server
}

// add notes a source.
func (t *taint) add(origin, source string) {
	t.foreign = t.foreign || origin == fence.Web || origin == fence.MCP
	switch source = origin + ": " + line(source); {
	case slices.Contains(t.sources, source):
	case len(t.sources) == maxSources:
		t.more++
	default:
		t.sources = append(t.sources, source)
	}
}

// list names the sources.
func (t *taint) list() []string {
	if t.more == 0 {
		return slices.Clone(t.sources)
	}
	return append(slices.Clone(t.sources), fmt.Sprintf("and %d more", t.more))
}

// reads notes that a conversation was shown a text.
func (s *State) reads(c conversation, origin, source string) {
	if c.ticket == "" {
		return
	}
	if s.taints[c] == nil {
		s.taints[c] = &taint{}
	}
	s.taints[c].add(origin, source)
}

// foldViews follows what workers show a conversation of the project. Names of
// files alone are no text.
func (s *State) foldViews(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		s.showing[e.ID] = conversation{p.Ticket, p.Attempt}
	case events.RefreshRequested:
		s.showing[e.ID] = conversation{p.Ticket, p.Attempt}
	case events.ContextBuilt:
		for _, v := range p.Views {
			if v.Error == "" && v.View != events.ViewTree {
				s.reads(s.showing[p.Request], fence.Repo, v.Path)
			}
		}
		delete(s.showing, p.Request)
	case events.FilesUpdated:
		for _, f := range p.Files {
			s.reads(s.showing[p.Request], fence.Repo, f.Path)
		}
		delete(s.showing, p.Request)
	}
}

// answeredCall notes what the model of a call reads of its outcome.
func (s *State) answeredCall(c *call) {
	s.reads(conversation{c.request.Ticket, c.request.Attempt}, tiers.OriginOf(c.request.Tool, c.tool.offer.Effect), title(c.request))
}

// hazard says why a call needs a person although a rule lets it run: what it
// would do, after what its conversation has read. Both are empty where nothing
// speaks against the rule.
func (s *State) hazard(c *call) (why string, sources []string) {
	t := s.taints[conversation{c.request.Ticket, c.request.Attempt}]
	if t == nil {
		return "", nil
	}
	what := s.reaches(c)
	if what == "" && t.foreign && !c.tool.only(effectReads, effectWrites, effectWide, effectNetwork) {
		what = "does what nobody can foresee"
	}
	if what == "" {
		return "", nil
	}
	return "it " + what + ", and its conversation has read what nobody vouches for (" + strings.Join(t.list(), "; ") + ")", t.list()
}

// reaches says how a call goes beyond the work on the project's files: out of
// the workspace, to other machines, or to what steers programs and agents.
func (s *State) reaches(c *call) string {
	on := subject{tool: c.request.Tool, workspace: folder(s.workspace), place: s.placeOf(c), exact: true}
	on.read(c.args)
	if c.tool.has(effectWrites) {
		if !on.exact {
			return "may write outside of the workspace"
		}
		for _, p := range on.paths {
			if name, steering := instructs(p); steering {
				return "changes " + name + ", which steers programs or agents"
			}
		}
	}
	if c.tool.has(effectNetwork) {
		return s.strangeHost(c)
	}
	return ""
}

// instructs gives the element of a path that steers programs, or that agents
// read as instructions of the project.
func instructs(path string) (string, bool) {
	if name, is := steers(path); is {
		return name, true
	}
	for element := range strings.SplitSeq(path, "/") {
		for _, name := range []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "copilot-instructions.md"} {
			if fold(element) == fold(name) {
				return name, true
			}
		}
	}
	return "", false
}
