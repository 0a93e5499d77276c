package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// Status is a configured server with the tools that the user trusts. A server that cannot be read completely,
// for example because its program is gone, has an empty hash and is never trusted.
type Status struct {
	Definition Definition
	Hash       string
	Trusted    bool
	Pins       []Pin  // approved tools
	Revision   string // protocol revision when it was trusted; empty if unknown
}

// Offered returns the approved tools that can be offered: those that the definition allows and models can be shown.
func (s Status) Offered() (out []Pin) {
	for _, p := range s.Pins {
		if p.Problem == "" && s.Definition.offers(p.Name) {
			out = append(out, p)
		}
	}
	return out
}

// Manager holds the configured servers. It can start only those that the user trusts. It reads its files again
// when they change. It is safe for concurrent use.
type Manager struct {
	user, project string
	others        []string // additional files of the project; see Load
	around        Surroundings

	mu       sync.Mutex
	stamp    string // state of the files when they were read
	all      []Status
	notices  []string
	trust    *Trust
	running  map[string]Server // servers that have tools, by hash
	registry *tools.Registry
}

// Open reads the configurations and the user's trust. It starts nothing. project is the absolute path of the
// project's folder. An empty user folder has no configuration and trusts nothing. others lists files of other
// programs to read as well, such as ".mcp.json". A file or a server that cannot be read is reported in the error and
// ignored; the manager uses the others.
func Open(user, project string, others []string, around Surroundings) (*Manager, error) {
	m := &Manager{user: user, project: project, others: others, around: around, running: map[string]Server{}}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m, m.read()
}

// read reads the files. The caller must hold mu.
func (m *Manager) read() error {
	m.stamp = m.stamped()
	found, notices, failed := Load(m.user, m.project, m.others)
	m.trust = &Trust{Servers: map[string][]Pin{}}
	if m.user != "" {
		trust, err := LoadTrust(m.user)
		if err != nil {
			failed = errors.Join(failed, err)
		} else {
			m.trust = trust
		}
	}
	m.notices, m.all = notices, nil
	for _, d := range found {
		hash, err := d.Hash()
		if err != nil {
			failed = errors.Join(failed, err)
		}
		pins, trusted := m.trust.Servers[hash]
		m.all = append(m.all, Status{Definition: d, Hash: hash, Trusted: trusted && err == nil, Pins: pins,
			Revision: m.trust.Revisions[hash]})
	}
	return failed
}

// stamped returns the times and sizes of the files, which show whether a file has changed.
func (m *Manager) stamped() string {
	var b strings.Builder
	files := []string{filepath.Join(m.user, FileName), filepath.Join(m.user, TrustFile),
		filepath.Join(m.project, FileName)}
	for _, other := range m.others {
		files = append(files, filepath.Join(m.project, filepath.FromSlash(other)))
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", file, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// Servers lists the configured servers, the user's first, with their current states.
func (m *Manager) Servers() []Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

// Notices lists the parts of the configurations that have no effect.
func (m *Manager) Notices() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.notices)
}

// Find returns the configured server with the given name.
func (m *Manager) Find(name string) (Status, bool) {
	all := m.Servers()
	i := slices.IndexFunc(all, func(s Status) bool { return s.Definition.Name == name })
	if i < 0 {
		return Status{}, false
	}
	return all[i], true
}

// See starts a server, returns its current status and stops it. It is for the user, who decides about trust.
func (m *Manager) See(ctx context.Context, s Status) (now Status, err error) {
	s.Pins = nil
	server, err := NewServer(s, m.project, m.around)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	s.Pins, err = server.ListTools(ctx)
	s.Revision = server.Revision()
	return s, err
}

// Trust records that the user trusts a server with the status that [Manager.See] returned.
func (m *Manager) Trust(s Status) error {
	now, err := s.Definition.Hash()
	if err != nil {
		return err
	}
	if now != s.Hash {
		return fmt.Errorf("server %s changed in the meantime; look at it again", s.Definition.Name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.trust.Add(s.Hash, s.Pins, s.Revision)
}

// Tools returns the approved tools of the trusted, enabled servers. It takes changed files into account. A server
// whose definition or tools are no longer trusted is stopped. Tools starts no server; a call does that, after
// which it compares the tool with its pin.
func (m *Manager) Tools() (*tools.Registry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.registry != nil && m.stamp == m.stamped() {
		return m.registry, nil
	}
	if m.registry != nil {
		_ = m.read() // unreadable files have no effect; slop mcp list reports them
	}
	kept := map[string]Server{}
	var all []tools.Tool
	taken := map[string]bool{}
	for _, s := range m.all {
		if !s.Trusted || s.Definition.Disabled {
			continue
		}
		server, unready := m.server(s)
		if unready == nil {
			kept[s.Hash] = server
		}
		for _, p := range s.Offered() {
			name := ToolName(s.Definition.Name, p.Name)
			if taken[name] {
				continue
			}
			taken[name] = true
			spec := tools.Spec{Name: name, Effect: effectOf(p)}
			spec.Summary, spec.Doc = described(s.Definition.Name, p.Description)
			t, err := tools.Foreign(spec, p.Schema, func(ctx context.Context, env tools.Env,
				args json.RawMessage) (tools.Result, error) {
				if unready != nil {
					return failed(s.Definition.Name, p.Name, "refused", unready), nil
				}
				return callPinned(ctx, server, p, args, env, m.around.Mask), nil
			})
			if err != nil {
				return nil, err
			}
			all = append(all, t)
		}
	}
	for hash, server := range m.running {
		if kept[hash] != server {
			go func() { _ = server.Stop() }()
		}
	}
	m.running = kept
	var err error
	m.registry, err = tools.NewRegistry(all...)
	return m.registry, err
}

// described splits the description of a tool into a summary, by whose words models find the tool, and the rest. If
// the first line does not fit into the summary, the rest is the whole description.
func described(server, description string) (summary, doc string) {
	const maxFirst = 120 // bytes
	first, rest, _ := strings.Cut(strings.TrimSpace(description), "\n")
	words := strings.Join(strings.Fields(clean(first, maxFirst)), " ")
	summary = "MCP server " + strings.Join(strings.Fields(clean(server, 40)), " ") + ": " + cmp.Or(words, "no description")
	if len(first) > maxFirst {
		rest = description
	}
	return summary, strings.TrimSpace(rest)
}

// Offering returns the names of the servers whose tools are offered.
func (m *Manager) Offering() (names []string) {
	for _, s := range m.Servers() {
		if s.Trusted && !s.Definition.Disabled && len(s.Offered()) > 0 {
			names = append(names, s.Definition.Name)
		}
	}
	return names
}

// server returns the server of a definition, which is the existing one if nothing changed. The caller must hold mu.
func (m *Manager) server(s Status) (Server, error) {
	if old, there := m.running[s.Hash]; there && samePins(old.Approved(), s.Pins) {
		return old, nil
	}
	made, err := NewServer(s, m.project, m.around)
	if old := m.running[s.Hash]; err == nil && old != nil && sessionOf(made).inherit(sessionOf(old)) {
		go func() { _ = made.Start(context.Background()) }() // its state tells a failure
	}
	return made, err
}

// sessionOf returns the session of a server.
func sessionOf(s Server) *session {
	switch s := s.(type) {
	case *StdioServer:
		return s.session
	case *RemoteServer:
		return s.session
	}
	return nil
}

func samePins(a, b []Pin) bool {
	return slices.EqualFunc(a, b, func(a, b Pin) bool { return a.Name == b.Name && a.SHA256 == b.SHA256 })
}

// Running returns the server with the given name if it is trusted and enabled.
func (m *Manager) Running(name string) (Server, bool) {
	s, found := m.Find(name)
	m.mu.Lock()
	defer m.mu.Unlock()
	server, there := m.running[s.Hash]
	return server, found && there
}

// StopAll stops all servers concurrently and waits for them.
func (m *Manager) StopAll() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	errs := make(chan error, len(m.running))
	for _, s := range m.running {
		go func() { errs <- s.Stop() }()
	}
	var failed error
	for range len(m.running) {
		failed = errors.Join(failed, <-errs)
	}
	return failed
}

// callPinned makes one call after it has compared the tool with its pin. mask hides secrets in a text that is cut.
func callPinned(ctx context.Context, s Server, p Pin, raw json.RawMessage, env tools.Env,
	mask func([]byte) []byte) tools.Result {
	name := s.Definition().Name
	args := map[string]any{}
	if err := json.Unmarshal(raw, &args); err != nil {
		return failed(name, p.Name, "refused", err)
	}
	if env.Server != nil {
		s.Watch(env.Server)
	}
	listed, err := s.ListTools(ctx)
	if err != nil {
		return failed(name, p.Name, kindOf(ctx, err), err)
	}
	i := slices.IndexFunc(listed, func(l Pin) bool { return l.Name == p.Name })
	if i < 0 || listed[i].SHA256 != p.SHA256 {
		return failed(name, p.Name, "pin_changed", fmt.Errorf("the tool differs from the approved one; the user must "+
			`inspect it with "slop mcp tools %s" and run "slop mcp trust %s" again`, name, name))
	}
	seen := &notices{on: env.Notify}
	hooks := Hooks{Client: env.Client, Ask: env.Ask, Notify: seen.add}
	var out tools.Result
	if p.Operation {
		out = operate(ctx, s, p, raw, hooks)
	} else {
		out = callTool(ctx, s, p, args, hooks)
	}
	out.Notices = seen.list()
	if whole := out.Text; !tools.Fits(whole, env.Limits) {
		if mask != nil {
			whole = string(mask([]byte(whole)))
		}
		out.Text = tools.Clamp(whole, env.Limits)
		const most = sandbox.MaxWhole
		out.Artifacts = []tools.Artifact{{Name: "stdout", Data: []byte(whole[:min(len(whole), most)]),
			Cut: len(whole) > most}}
	}
	return out
}

// callTool calls a tool of the server.
func callTool(ctx context.Context, s Server, p Pin, args map[string]any, h Hooks) tools.Result {
	name := s.Definition().Name
	result, err := s.CallTool(ctx, p.Name, args, h)
	if err != nil {
		return failed(name, p.Name, kindOf(ctx, err), err)
	}
	text := textOf(result.Content)
	if text == "" && result.StructuredContent != nil {
		if data, err := json.Marshal(result.StructuredContent); err == nil {
			text = string(data)
		}
	}
	out := tools.Result{Text: text, Data: result.StructuredContent}
	if result.IsError {
		out = failed(name, p.Name, "tool_error", errors.New(text))
	}
	out.Content = contentOf(result)
	return out
}

// failed returns a failure in the form in which models receive all failures.
func failed(server, tool, kind string, err error) tools.Result {
	more := ""
	out := tools.Result{Failed: true, Err: err}
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		more = fmt.Sprintf(", code: %d", rpc.Code)
		f := Failure{Code: rpc.Code}
		if len(rpc.Data) <= maxDescription {
			f.Data = rpc.Data
		}
		out.Data = f
	}
	out.Text = fmt.Sprintf("ERROR: mcp_error{server: %s, tool: %s, kind: %s%s}: %s", server,
		clean(tool, maxToolName), kind, more, cleanText(err.Error()))
	return out
}
