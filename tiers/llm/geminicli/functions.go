package geminicli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/mcptools"
	"manualslop/tiers/llm/program"
)

// Oldest is the oldest version of the program that is known to offer its model only our tools.
const Oldest = "0.40.0"

// client is the name that the program gives to MCP servers.
const client = "gemini-cli-mcp-client"

// notRegistered is the type of error for a call of a tool that the program does not have.
const notRegistered = "tool_not_registered"

// turnLimit is the message of the error that ends a run after its turn.
const turnLimit = "Reached max session turns"

// functions reads the output of a program whose model calls our tools as functions of the server.
type functions struct {
	protocol

	server *mcptools.Server
	used   []*function
	over   bool // the turn is over: a call was answered
}

// function is one use of a tool.
type function struct {
	id, name, args string
	tool           string // ours; empty if it is none
	waits          bool   // the program added the argument wait to its schema
	answered       bool
	err            string // type of the error that answered it
}

// Line handles one line.
func (f *functions) Line(t *program.Transcript, line []byte) {
	var m message
	switch t.ReadOf(line, &m, "message", "chunk", "tool_use", "tool_result", "result"); m.Type {
	case "message", "chunk":
		if f.over && m.Role != "user" && words(m.Content, m.Text) != "" {
			f.secondTurn(t)
			return
		}
		f.protocol.Line(t, line)
	case "tool_use":
		f.use(t, &m)
	case "tool_result":
		f.over = true
		f.result(t, &m)
	case "result":
		f.end(t, &m)
	default:
		f.protocol.Line(t, line)
	}
}

func (f *functions) secondTurn(t *program.Transcript) {
	t.Stop(events.ModelInvalidRequest, "the program continued after its turn, which its settings do not allow; "+
		"install @google/gemini-cli %s or newer", Oldest)
}

// use keeps a use of a tool until its turn is over.
func (f *functions) use(t *program.Transcript, m *message) {
	if f.over {
		f.secondTurn(t)
		return
	}
	u := &function{id: cmp.Or(m.ToolID, m.ID), name: cmp.Or(m.ToolName, m.Name), args: parametersOf(m)}
	if name, is := strings.CutPrefix(u.name, prefix); is {
		u.tool, _ = f.server.Tool(name)
	}
	u.waits = addsWait(t.Request(), cmp.Or(u.tool, u.name))
	if f.used = append(f.used, u); len(f.used) > program.MaxTools {
		t.Break("the program used more than %d tools", program.MaxTools)
	}
}

// result handles the answer to a use. A tool that is not ours must not have run.
func (f *functions) result(t *program.Transcript, m *message) {
	id := cmp.Or(m.ToolID, m.ID)
	at := slices.IndexFunc(f.used, func(u *function) bool { return u.id == id && !u.answered })
	if at < 0 {
		t.Break("the program reports the result of a tool that its model did not call")
		return
	}
	u := f.used[at]
	u.answered = true
	if m.Status == "error" {
		var failed struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal(m.Error, &failed) // without a type it is an unknown error
		u.err = cmp.Or(failed.Type, "unknown")
	}
	if u.tool == "" && u.err != notRegistered {
		ownTool(t, u.name)
	}
}

// ownTool fails the attempt, because the program's own tools pass no gate.
func ownTool(t *program.Transcript, name string) {
	t.Own(name)
	t.Stop(events.ModelInvalidRequest, "the program used its own tool %.100q, which its settings do not allow; check the "+
		"settings of the machine, or install @google/gemini-cli %s or newer", name, Oldest)
}

// end handles the result line: the uses become calls of the reply.
func (f *functions) end(t *program.Transcript, m *message) {
	if limited := f.over && strings.Contains(words(m.Error), turnLimit); m.Status != "success" && !limited {
		finish(t, m)
		return
	}
	if f.match(t); t.Done() {
		return
	}
	t.Usage = usage(m.Stats, t.Guess())
	t.End(llm.FinishStop)
}

// checked passes an attempt on. It fails one whose program is too old or did not ask our server for
// its tools, because its model then had other tools, or none.
func (f *functions) checked(attempt iter.Seq2[llm.Chunk, error]) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for chunk, err := range attempt {
			finish, over := chunk.(llm.Finish)
			cli, said := finish.CLI, ""
			if failed := llm.AsError(err); failed != nil && failed.CLI != nil && failed.CLI.Session != "" &&
				slices.Contains([]string{events.ModelInvalidRequest, events.ModelIncomplete}, failed.Kind) {
				over, cli, said = true, failed.CLI, ": "+failed.Message
			}
			if why := f.unfit(); over && why != "" {
				yield(nil, &llm.Error{Kind: events.ModelInvalidRequest, Message: why + said, CLI: cli})
				return
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// unfit returns why the program cannot be used; empty if it can.
func (f *functions) unfit() string {
	switch name, version, listed := f.server.Client(); {
	case name == client && semver.Compare("v"+version, "v"+Oldest) < 0:
		return fmt.Sprintf("the program has the version %.40q; install @google/gemini-cli %s or newer", version, Oldest)
	case !listed:
		return fmt.Sprintf("the program did not ask slop's MCP server for its tools; set tools = \"text\" in "+
			"[providers.gemini_cli] for a program without MCP, else install @google/gemini-cli %s or newer and allow the server "+
			"%q in the settings of the machine", Oldest, Server)
	}
	return ""
}

// match turns the uses into calls. Each use that the program says was carried out must have arrived
// at our server, and nothing else may have.
func (f *functions) match(t *program.Transcript) {
	arrived := f.server.Calls()
	for _, u := range f.used {
		at := slices.IndexFunc(arrived, func(c mcptools.Call) bool { return u.is(c) })
		switch {
		case u.tool == "" && u.err == notRegistered:
			t.Answer(u.id, u.name, u.own(u.args))
			continue
		case u.tool == "":
			ownTool(t, u.name)
			return
		case at >= 0:
			arrived = slices.Delete(arrived, at, at+1)
		case u.answered && u.err == "":
			t.Break("the program says that it called %s, but slop's MCP server received no such call", u.tool)
			return
		}
		t.Call(u.id, u.tool, u.own(u.args))
	}
	if len(arrived) > 0 {
		t.Break("slop's MCP server got a call of %s that the program's model did not make", arrived[0].Tool)
	}
}

// is reports whether a call that arrived is this use.
func (u *function) is(c mcptools.Call) bool {
	args, err := events.Canonical(json.RawMessage(u.args))
	return err == nil && c.Tool == u.tool && string(args) == string(c.Args)
}

// wait is an argument that the program adds to the schema of every function: whether the call waits
// for those before it. None of our tools has it.
const wait = "wait_for_previous"

// addsWait reports whether the program adds the argument to a tool, which may have one of this name.
func addsWait(r llm.Request, tool string) bool {
	return !slices.ContainsFunc(r.Tools, func(t llm.Tool) bool {
		return t.Name == tool && strings.Contains(string(t.Schema), `"`+wait+`"`)
	})
}

// own returns the arguments without the one that the program added.
func (u *function) own(args string) string {
	var members map[string]json.RawMessage
	if !u.waits || json.Unmarshal([]byte(args), &members) != nil || members[wait] == nil {
		return args
	}
	delete(members, wait)
	out, err := llm.PlainJSON(members)
	if err != nil {
		return args
	}
	return string(out)
}
