package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/tools"
)

// Status is a configured server with what the person trusts of it. One that cannot
// be read whole, such as one whose program is gone, has an empty hash and is never trusted.
type Status struct {
	Definition Definition
	Hash       string
	Trusted    bool
	Pins       []Pin
}

// Manager holds the servers that the person trusts. Nothing else can be started.
type Manager struct {
	all     []Status
	hidden  []string
	servers []Server
	project string
	trust   *Trust
}

// Open reads the configurations and the person's trust. It starts nothing. Project is the absolute
// folder of the project; an empty user folder has no configuration and trusts nothing. A file or a
// server that cannot be read is in the error and has no effect; the manager has the others.
func Open(user, project string) (*Manager, error) {
	m := &Manager{project: project, trust: &Trust{}}
	found, hidden, failed := Load(user, project)
	if user != "" {
		trust, err := LoadTrust(user)
		if err != nil {
			failed = errors.Join(failed, err)
		} else {
			m.trust = trust
		}
	}
	m.hidden = hidden
	for _, d := range found {
		hash, err := d.Hash()
		if err != nil {
			failed = errors.Join(failed, err)
		}
		pins, trusted := m.trust.Servers[hash]
		m.all = append(m.all, Status{Definition: d, Hash: hash, Trusted: trusted && err == nil, Pins: pins})
	}
	return m, failed
}

// Servers lists the configured servers, the person's first.
func (m *Manager) Servers() []Status { return slices.Clone(m.all) }

// Hidden names the project's servers that have no effect because the person's have their names.
func (m *Manager) Hidden() []string { return slices.Clone(m.hidden) }

// Find returns the configured server of that name.
func (m *Manager) Find(name string) (Status, bool) {
	i := slices.IndexFunc(m.all, func(s Status) bool { return s.Definition.Name == name })
	if i < 0 {
		return Status{}, false
	}
	return m.all[i], true
}

// See starts a server, returns its tools and stops it. It is for the person who decides about trust.
func (m *Manager) See(ctx context.Context, s Status) (pins []Pin, err error) {
	server, err := NewServer(s.Definition, s.Hash, m.project)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	return server.ListTools(ctx)
}

// Trust records that the person trusts a server with these tools.
func (m *Manager) Trust(s Status, pins []Pin) error {
	now, err := s.Definition.Hash()
	if err != nil {
		return err
	}
	if now != s.Hash {
		return fmt.Errorf("server %s changed meanwhile; look at it again", s.Definition.Name)
	}
	return m.trust.Add(s.Hash, pins)
}

// AllTools makes a tool of each pinned tool of the trusted, enabled servers. It starts none; a call
// does, and compares the tool with its pin first.
func (m *Manager) AllTools() ([]tools.Tool, error) {
	var out []tools.Tool
	taken := map[string]bool{}
	for _, s := range m.all {
		if !s.Trusted || s.Definition.Disabled {
			continue
		}
		server, unready := NewServer(s.Definition, s.Hash, m.project)
		if unready == nil {
			m.servers = append(m.servers, server)
		}
		for _, p := range s.Pins {
			name := toolName(s.Definition.Name, p.Name)
			if taken[name] {
				continue
			}
			taken[name] = true
			t, err := tools.Foreign(tools.Spec{Name: name, Effect: tools.Executes,
				Summary: "A tool of the external MCP server " + clean(s.Definition.Name, 40) + ".", Doc: p.Description},
				p.Schema, func(ctx context.Context, env tools.Env, args json.RawMessage) (tools.Result, error) {
					if unready != nil {
						return failed(s.Definition.Name, p.Name, "refused", unready), nil
					}
					return m.call(ctx, server, p, args, env.Limits), nil
				})
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// StopAll stops all servers at the same time and waits for them.
func (m *Manager) StopAll() error {
	errs := make([]error, len(m.servers))
	var group sync.WaitGroup
	for i, s := range m.servers {
		group.Go(func() { errs[i] = s.Stop() })
	}
	group.Wait()
	return errors.Join(errs...)
}

// call makes one call after the tool was compared with its pin.
func (m *Manager) call(ctx context.Context, s Server, p Pin, raw json.RawMessage, limits tools.Limits) tools.Result {
	name := s.Definition().Name
	args := map[string]any{}
	if err := json.Unmarshal(raw, &args); err != nil {
		return failed(name, p.Name, "refused", err)
	}
	listed, err := s.ListTools(ctx)
	if err != nil {
		return failed(name, p.Name, kindOf(ctx, err), err)
	}
	i := slices.IndexFunc(listed, func(l Pin) bool { return l.Name == p.Name })
	if i < 0 || listed[i].SHA256 != p.SHA256 {
		return failed(name, p.Name, "pin_changed", fmt.Errorf("the tool is not the one that was approved; a person must "+
			`look at it with "slop mcp tools %s" and run "slop mcp trust %s" again`, name, name))
	}
	result, err := s.CallTool(ctx, p.Name, args)
	if err != nil {
		return failed(name, p.Name, kindOf(ctx, err), err)
	}
	text := textOf(result)
	if result.IsError {
		out := failed(name, p.Name, "tool_error", errors.New(text))
		out.Text = tools.Clamp(out.Text, limits)
		return out
	}
	return tools.Result{Text: tools.Clamp(text, limits), Data: result.StructuredContent}
}

// failed is the one form in which failures reach a model.
func failed(server, tool, kind string, err error) tools.Result {
	return tools.Result{Failed: true, Err: err, Text: fmt.Sprintf("ERROR: mcp_error{server: %s, tool: %s, kind: %s}: %s",
		server, clean(tool, 128), kind, cleanText(err.Error()))}
}

// textOf puts the blocks of a result one below the other. Binary blocks are named by their size.
func textOf(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, block := range r.Content {
		switch c := block.(type) {
		case *sdk.TextContent:
			b.WriteString(cleanText(c.Text))
		case *sdk.ImageContent:
			fmt.Fprintf(&b, "[image %s, %d bytes]", clean(c.MIMEType, 80), len(c.Data))
		case *sdk.AudioContent:
			fmt.Fprintf(&b, "[audio %s, %d bytes]", clean(c.MIMEType, 80), len(c.Data))
		case *sdk.ResourceLink:
			fmt.Fprintf(&b, "[resource %s]", clean(c.URI, 2000))
		case *sdk.EmbeddedResource:
			if c.Resource != nil {
				b.WriteString(cleanText(c.Resource.Text))
			}
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 && r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			b.Write(raw)
		}
	}
	return b.String()
}
