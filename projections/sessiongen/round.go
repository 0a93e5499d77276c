package sessiongen

import (
	"encoding/json"
	"fmt"

	"manualslop/events"
)

const (
	readTool  = "read_file"
	editTool  = "edit_file"
	shellTool = "run_powershell"
	// Tool outputs bring a session to about 1.5 kB per event. A short session has fewer of them
	// compared with its opening, so they are larger.
	outputBytes  = 6_500
	openingBytes = 320_000
)

// round writes one round of a ticket: a reply, its calls, the refresh. It has at most roundMost
// events, or roundLeast if it is small.
func (g *generator) round(t *ticket, small bool) {
	t.rounds++
	names := []string{readTool, readTool, editTool, shellTool}
	planned := make([]events.ToolCall, 1+g.random.IntN(2))
	if small {
		names, planned = names[:1], planned[:1]
	}
	for i := range planned {
		name := names[g.random.IntN(len(names))]
		planned[i] = events.ToolCall{Name: name, Args: g.arguments(t, name)}
	}
	reply := g.askFor(t, events.ModelRequested{Tools: []string{readTool, editTool, shellTool}},
		events.ModelReplied{Text: g.words(150), Calls: planned})
	t.parts = append(t.parts, events.Part{Role: "assistant", From: reply.ID, SHA256: events.Digest([]byte(t.ID)),
		Size: 150})
	for i, c := range planned {
		c.ID = events.CallID(reply.Cause, i)
		g.call(t, c)
	}
	request := g.emit(events.ActorContributor, events.RefreshRequested{Ticket: t.ID, Attempt: 1, Round: t.rounds,
		Files: []events.FileState{{Path: t.TargetFile, SHA256: events.Digest([]byte(t.ID))}}})
	g.emit("worker-made-2", events.FilesUpdated{Request: request.ID, Ticket: t.ID, Files: []events.FileUpdate{}})
}

// arguments returns a call's arguments.
func (g *generator) arguments(t *ticket, tool string) json.RawMessage {
	args := map[string]any{"path": t.TargetFile}
	switch tool {
	case editTool:
		args["old_string"], args["new_string"] = g.lines(200), g.lines(300)
	case shellTool:
		args = map[string]any{"script": "go test ./... # " + g.words(40), "base_dir": "/w"}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		panic("sessiongen: " + err.Error()) // strings cannot fail
	}
	return raw
}

// call writes one call from the request to the outcome: at most ten events.
func (g *generator) call(t *ticket, c events.ToolCall) {
	digest := events.Digest(c.Args)
	effect := map[string]string{readTool: "reads", editTool: "writes", shellTool: "executes"}[c.Name]
	g.emit(events.ActorContributor, events.ToolRequested{Call: c.ID, Tool: c.Name, Args: c.Args, Ticket: t.ID, Attempt: 1,
		Round: t.rounds})
	approved := events.ToolApproved{Call: c.ID, Tool: c.Name, Args: c.Args, ArgsSHA256: digest, Effect: effect,
		Ticket: t.ID, Generation: 1, By: "rule", TimeoutMS: 60_000}
	if c.Name != readTool {
		approved.By = person
		approved.Ask = fmt.Sprintf("ask-%s", c.ID)
		g.emit(events.ActorApproval, events.AskRaised{Ask: approved.Ask, Gate: events.GateTool, Title: c.Name, Ticket: t.ID,
			Call: c.ID, Tool: c.Name,
			Args: c.Args, ArgsSHA256: digest, Effect: effect, Attempt: 1, Round: t.rounds})
		answer := g.emit(person, events.AskAnswered{Ask: approved.Ask, Decision: events.Yes})
		g.emit(events.ActorApproval, events.AskSettled{Ask: approved.Ask, Gate: events.GateTool, Outcome: events.Yes,
			By: person, AnswerID: answer.ID, At: answer.Time})
	}
	g.emit(events.ActorApproval, approved)
	out := g.outcome(t, c, digest)
	settled := g.emit("worker-made-1", out)
	t.parts = append(t.parts, events.Part{Role: "tool", SHA256: out.SHA256, Size: int64(len(out.Text)), From: settled.ID,
		Call: c.ID})
	if len(t.parts) > 12 {
		t.parts = append(t.parts[:3], t.parts[len(t.parts)-9:]...)
	}
	if out.Outcome == events.ToolFailed {
		g.ask(events.ActorQA, events.ModelRequested{StreamID: "Tier 4", Ticket: t.ID, Call: c.ID, Tier: 4},
			events.ModelReplied{Text: g.words(100)})
		g.emit(events.ActorQA, events.HintGiven{Call: c.ID, Ticket: t.ID, Hint: g.words(100)})
	}
}

func (g *generator) outcome(t *ticket, c events.ToolCall, digest string) events.ToolSettled {
	out := events.ToolSettled{Call: c.ID, Tool: c.Name, Outcome: events.ToolDone, ArgsSHA256: digest, Generation: 1,
		DurationMS: int64(g.random.IntN(900))}
	switch c.Name {
	case readTool:
		out.Text = g.lines(g.output/2 + g.random.IntN(g.output))
		out.Files = []events.FileState{{Path: t.TargetFile, SHA256: events.Digest([]byte(t.ID)), Size: 3000}}
	case editTool:
		out.Text = "edited " + t.TargetFile
		out.Files = []events.FileState{{Path: t.TargetFile, SHA256: events.Digest(c.Args), Size: 3100, Written: true}}
	case shellTool:
		g.shells++
		exit := 0
		if g.shells%3 == 0 {
			exit, out.Outcome, out.Stderr = 1, events.ToolFailed, g.words(300)
		}
		out.Exit, out.Interpreter = &exit, "bash"
		out.Text = fmt.Sprintf("STDOUT:\n%s\nSTDERR:\n%s\nEXIT CODE: %d", g.lines(g.output/2+g.random.IntN(g.output)),
			out.Stderr, exit)
	}
	out.SHA256 = events.Digest([]byte(out.Text))
	return out
}
