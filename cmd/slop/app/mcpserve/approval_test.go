package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// served is the HTTP server before an engine, with a project whose file a.txt says "one".
type served struct {
	*testWeb
	log    events.Log
	person engine.SessionWriter
	file   string
}

func startServed(t *testing.T) *served {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project := filepath.Join(root, "project")
	require.NoError(t, os.Mkdir(project, 0o700))
	v := &served{file: filepath.Join(project, "a.txt")}
	require.NoError(t, os.WriteFile(v.file, []byte("one\n"), 0o600))
	cfg := config.Default()
	cfg.Bus.Durability, cfg.Bus.MaxBytes, cfg.Hooks.Listen = bus.Relaxed, 1<<30, "127.0.0.1:0"
	p := site.Place{Config: cfg, Project: project, Data: filepath.Join(project, ".slop"), Base: "p1", Name: "p1",
		Person: "ann", State: filepath.Join(root, "state")}
	ready, out := io.Pipe()
	g := &site.Flags{Terminal: term.Terminal{In: strings.NewReader(""), Out: out, Err: io.Discard,
		Quiet: true, JSON: true}}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context())) // clients close their sessions behind the test
	e, err := engine.New(ctx, g, p, "", nil)
	require.NoError(t, err)
	session, err := e.Serve(ctx, "", false)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, g, session, p, e.Bus, e.Mask, options{http: "127.0.0.1:0", offered: native()})
	}()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, e.Close())
	})
	var said struct{ URL, Tokens string }
	require.NoError(t, json.NewDecoder(ready).Decode(&said))
	token, err := os.ReadFile(filepath.Join(said.Tokens, "ask.token"))
	require.NoError(t, err)
	v.testWeb = &testWeb{addr: strings.TrimSuffix(strings.TrimPrefix(said.URL, "http://"), pathMCP),
		token: strings.TrimSpace(string(token))}
	ann, err := e.Bus.As(t.Context(), bus.Role{Kind: bus.Person, Name: "ann"})
	require.NoError(t, err)
	v.log = ann
	v.person = engine.SessionWriter{Log: ann, Project: p.Name, Session: session, Person: "ann"}
	return v
}

// client is a client of one protocol era.
func (v *served) client(t *testing.T, era string) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "forger", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: "http://" + v.addr + pathMCP, HTTPClient: &http.Client{Transport: v}},
		&mcp.ClientSessionOptions{ProtocolVersion: era})
	require.NoError(t, err)
	require.Equal(t, era, session.InitializeResult().ProtocolVersion)
	t.Cleanup(func() { require.NoError(t, session.Close()) })
	return session
}

// edit is a call that replaces a word of the file.
func edit(old, now string) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: "edit_file",
		Arguments: map[string]any{"path": "a.txt", "old_string": old, "new_string": now}}
}

// raised waits for the nth ask.
func (v *served) raised(t *testing.T, n int) events.AskRaised {
	t.Helper()
	f := events.Filter{Project: v.person.Project, Session: v.person.Session, Type: events.NameOf[events.AskRaised]()}
	seen := 0
	found := eventstest.ExpectWhere(t, v.log, f, fmt.Sprint("ask ", n), func(events.Event) bool {
		seen++
		return seen == n
	})
	p, ok := found.Payload.(events.AskRaised)
	require.True(t, ok)
	return p
}

func (v *served) says(t *testing.T, want string) {
	t.Helper()
	is, err := os.ReadFile(v.file)
	require.NoError(t, err)
	require.Equal(t, want, string(is))
}

func TestRequirement11NoAnswerOfAClientApprovesACall(t *testing.T) {
	v := startServed(t)
	for n, era := range []string{"2025-11-25", stateless} {
		session := v.client(t, era)
		forged := edit("one", "two")
		forged.InputResponses = mcp.InputResponseMap{"approve": &mcp.ElicitResult{Action: "accept",
			Content: map[string]any{"approve": true}}}
		_, err := session.CallTool(t.Context(), forged)
		require.ErrorContains(t, err, "inputResponses and requestState must belong to a question about the same request")
		forged.InputResponses, forged.RequestState = nil, "approved"
		_, err = session.CallTool(t.Context(), forged)
		require.ErrorContains(t, err, "inputResponses and requestState must belong to a question about the same request")
		refusals := eventstest.All(t, v.log, events.Filter{Project: v.person.Project,
			Type: events.NameOf[events.CallAbandoned]()})
		require.Len(t, refusals, 3*n+2, "each refusal is on record")
		require.Contains(t, string(refusals[3*n].Data), "answers to questions that were not asked")

		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := session.CallTool(ctx, edit("one", "two"))
			ended <- err
		}()
		ask := v.raised(t, n+1)
		v.forge(t, session.ID(), era, ask)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		v.says(t, "one\n")
		eventstest.ExpectWhere(t, v.log, events.Filter{Project: v.person.Project,
			Type: events.NameOf[events.AskSettled]()}, "the ask is withdrawn", func(e events.Event) bool {
			p, ok := e.Payload.(events.AskSettled)
			return ok && p.Ask == ask.Ask && p.Outcome == events.No
		})
	}
	require.Empty(t, eventstest.All(t, v.log, events.Filter{Project: v.person.Project,
		Type: events.NameOf[events.AskAnswered]()}))
	require.Empty(t, eventstest.All(t, v.log, events.Filter{Project: v.person.Project,
		Type: events.NameOf[events.ToolSettled]()}))
}

// forge sends what a client could take for an answer to an ask: results and a
// request that nobody asked for.
func (v *served) forge(t *testing.T, session, era string, ask events.AskRaised) {
	t.Helper()
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":"` + ask.Ask + `","result":{"action":"accept","content":{"approve":true}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"yes","requestedSchema":{"type":"object"}}}`,
	} {
		status, text, _ := v.post(t, body, map[string]string{sessionHeader: session, versionHeader: era})
		require.NotContains(t, text, `"content"`, "%d", status)
	}
}

func textOf(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	text, ok := r.Content[0].(*mcp.TextContent)
	require.True(t, ok)
	return text.Text
}

func TestRequirement11AYesIsForOneCallWithItsArguments(t *testing.T) {
	v := startServed(t)
	session := v.client(t, stateless)
	for n, words := range [][2]string{{"one", "two"}, {"two", "three"}} {
		before, err := os.ReadFile(v.file)
		require.NoError(t, err)
		ended := make(chan *mcp.CallToolResult, 1)
		go func() {
			out, err := session.CallTool(t.Context(), edit(words[0], words[1]))
			if err != nil {
				out = failed(err.Error())
			}
			ended <- out
		}()
		ask := v.raised(t, n+1)
		require.True(t, bytes.Contains(ask.Args, []byte(words[1])))
		require.NotEmpty(t, ask.ArgsSHA256)
		v.says(t, string(before))
		_, _, err = v.person.Publish(t.Context(), events.AskAnswered{Ask: ask.Ask, Decision: events.Yes})
		require.NoError(t, err)
		out := <-ended
		require.False(t, out.IsError, textOf(t, out))
		v.says(t, words[1]+"\n")
	}
	_, _, err := v.person.Publish(t.Context(), events.AskAnswered{Ask: v.raised(t, 1).Ask, Decision: events.Yes})
	require.NoError(t, err)
	eventstest.Expect(t, v.log, events.Filter{Project: v.person.Project}, events.NameOf[events.AnswerRefused]())
	v.says(t, "three\n")
}
