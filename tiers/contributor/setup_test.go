package contributor_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/basis"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

type scenarios = []tierstest.Scenario

// maxRounds is the limit of rounds in these tests.
const maxRounds = 3

var temperature = 0.5

// opened is a session with two tools; its tier 3 is scripted.
func opened(change ...func(*events.Settings)) []events.Payload {
	s := events.Settings{Tiers: []events.TierSettings{{Tier: 3, Provider: "script", Models: []string{"m1", "m2"},
		MaxRounds: maxRounds, MaxOutputTokens: 100, Temperature: &temperature}}}
	for _, c := range change {
		c(&s)
	}
	return given(events.SessionOpened{Basis: basis.Of("test"), Settings: s},
		events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file"}, {Name: "run_powershell"}}})
}

// decidesAs is a session with other decisions of the contributor.
func decidesAs(n int, session []events.Payload) []events.Payload {
	open := session[0].(events.SessionOpened)
	open.Basis = basis.Of("test")
	open.Basis.Decisions[events.ActorContributor] = n
	return given(open, session[1:])
}

func stepMode(s *events.Settings) { s.StepMode = true }

func tracked(paths ...string) func(*events.Settings) {
	return func(s *events.Settings) { s.Tracked = paths }
}

// given joins single payloads and lists.
func given(parts ...any) []events.Payload { return tierstest.Join(parts...) }

// starts begins an attempt at T-1.
func starts(attempt int, change ...func(*events.TicketStarted)) events.Payload {
	p := events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-1", Description: "Do it"}, Attempt: attempt,
		Model: "m1", Prompt: "Mend it"}
	for _, c := range change {
		c(&p)
	}
	return p
}

// ofTicket makes it an attempt at another ticket.
func ofTicket(id string) func(*events.TicketStarted) {
	return func(p *events.TicketStarted) { p.Ticket.ID = id }
}

// context answers the newest request for views.
func context(views ...events.View) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ContextBuilt{Request: h.LastID("ContextRequested"), Views: views}
	})
}

// round1 is a session in which the first request to the model was sent.
func round1(change ...func(*events.Settings)) []events.Payload {
	return given(opened(change...), starts(1), context())
}

// reply answers the newest request to the model.
func reply(text string, calls ...events.ToolCall) events.Payload { return replyTo("", text, calls...) }

// replyTo answers the newest request of a ticket to the model.
func replyTo(ticket, text string, calls ...events.ToolCall) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		id := request(h, ticket)
		p := events.ModelReplied{Request: id, Text: text, SHA256: events.Digest([]byte(text)), Finish: "stop"}
		for i, c := range calls {
			c.ID = events.CallID(id, i)
			p.Calls, p.Finish = append(p.Calls, c), "tool_calls"
		}
		return p
	})
}

// request is the newest request to the model, of any ticket where none is named.
func request(h *tierstest.History, ticket string) string {
	all := h.Events()
	for i := len(all) - 1; i >= 0; i-- {
		if p, ok := all[i].Payload.(events.ModelRequested); ok && (ticket == "" || p.Ticket == ticket) {
			return all[i].ID
		}
	}
	return ""
}

// failed fails the newest request to the model.
func failed(kind string) events.Payload { return tierstest.Failed(kind, "oh") }

// call is a tool call in a reply.
func call(tool, args string) events.ToolCall {
	return events.ToolCall{Name: tool, Args: json.RawMessage(args)}
}

var (
	read  = call("read_file", `{"path":"a.go"}`)
	shell = call("run_powershell", `{"script":"x"}`)
)

func malformed(why string) events.ToolCall {
	return events.ToolCall{Name: "read_file", Args: json.RawMessage(`{}`), Malformed: why}
}

// called is the i-th call of the newest reply.
func called(h *tierstest.History, i int) events.ToolCall {
	return h.Last("ModelReplied").Payload.(events.ModelReplied).Calls[i]
}

// approve lets the i-th call of the newest reply run.
func approve(i int) events.Payload { return approveAgain(i, 1) }

func approveAgain(i, generation int) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		c := called(h, i)
		return events.ToolApproved{Call: c.ID, Tool: c.Name, Args: c.Args, ArgsSHA256: events.Digest(c.Args),
			Generation: generation}
	})
}

func deny(i int, reason string) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ToolDenied{Call: called(h, i).ID, Reason: reason}
	})
}

// settle is the outcome of the i-th call of the newest reply.
func settle(i int, outcome, text string, change ...func(*events.ToolSettled)) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		c := called(h, i)
		p := events.ToolSettled{Call: c.ID, Tool: c.Name, Outcome: outcome, Text: text, SHA256: events.Digest([]byte(text)),
			ArgsSHA256: events.Digest(c.Args), Generation: 1}
		for _, f := range change {
			f(&p)
		}
		return p
	})
}

func generation(n int) func(*events.ToolSettled) {
	return func(p *events.ToolSettled) { p.Generation = n }
}

func inShell(p *events.ToolSettled) { p.Interpreter = "bash" }

func withFiles(files ...events.FileState) func(*events.ToolSettled) {
	return func(p *events.ToolSettled) { p.Files = files }
}

func park(i int) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload { return events.ToolParked{Call: called(h, i).ID} })
}

func resolve(i int, resolution, reason string) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.InterruptResolved{Call: called(h, i).ID, Resolution: resolution, By: "ada", Reason: reason}
	})
}

func hint(i int, text string) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.HintGiven{Call: called(h, i).ID,
			Hint: text}
	})
}

func skipHint(i int) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.HintSkipped{Call: called(h, i).ID, Reason: "disabled"}
	})
}

// ran is a call from its approval to its text.
func ran(i int, text string) []events.Payload {
	return given(approve(i), settle(i, events.ToolDone, text))
}

// reread answers the newest request for a refresh.
func reread(files ...events.FileUpdate) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.FilesUpdated{Request: h.LastID("RefreshRequested"), Ticket: "T-1", Files: files}
	})
}

// aRound is one reply with one read, from reply to refresh.
func aRound(files ...events.FileUpdate) []events.Payload {
	return given(reply("I look.", read), ran(0, "text"), reread(files...))
}

// part of a conversation, to compare with.
type part = events.Part

func systemPart(testing.TB) part { return tiers.Words(basis.Of("test"), "contributor-powershell")[0] }

var briefPart = part{Role: "user", Text: "# Ticket T-1\n\nMend it\n"}

// asks checks a request to the model and its whole manifest.
func asks(round int, parts func(t testing.TB) []part) events.Payload {
	return tierstest.Check(func(t testing.TB, p events.ModelRequested) {
		t.Helper()
		require.Equal(t, round, p.Round)
		require.Equal(t, parts(t), unfenced(t, p.Manifest))
		digest, err := events.ManifestDigest(p.Manifest)
		require.NoError(t, err)
		require.Equal(t, digest, p.SHA256)
	})
}

// unfenced is a manifest without its fences, each of which must be there once.
func unfenced(t testing.TB, manifest []part) []part {
	t.Helper()
	seen, out := map[string]bool{}, slices.Clone(manifest)
	for i, p := range manifest {
		require.Equal(t, p.Origin == "", p.Fence == "")
		require.False(t, p.Fence != "" && seen[p.Fence], "two parts share a fence")
		seen[p.Fence] = true
		out[i].Origin, out[i].Fence = "", ""
	}
	return out
}

// ends is the end of the first attempt at T-1.
func ends(outcome, text, reason string) events.Payload {
	return events.TicketResolved{Ticket: "T-1", Attempt: 1, Outcome: outcome, Text: text, Reason: reason}
}

// decided checks that a fact of P's type was decided and nothing more about it.
func decided[P events.Payload]() events.Payload { return tierstest.Decided[P]() }

// results plays a history that ends with a request to the model, and returns
// the tool parts of its manifest.
func results(t *testing.T, history []events.Payload) []part {
	t.Helper()
	h := tierstest.Play(t, contributor.Decider(), history...)
	var out []part
	for _, p := range h.LastRequest().Manifest {
		if p.Role == "tool" {
			p.Call = p.Call[len(p.Call)-1:] // the call's index
			p.Origin, p.Fence = "", ""
			out = append(out, p)
		}
	}
	return out
}
