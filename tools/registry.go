package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Registry is a fixed set of tools, safe for concurrent use.
type Registry struct {
	byName map[string]Tool
	sorted []Tool
}

// NewRegistry returns a registry of the tools. A nil tool, an invalid name or a duplicate name is an error.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{byName: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		if t == nil {
			return nil, fmt.Errorf("tools: a nil tool")
		}
		spec := t.Spec()
		if err := spec.validate(); err != nil {
			return nil, err
		}
		if _, twice := r.byName[spec.Name]; twice {
			return nil, fmt.Errorf("tools: two tools named %s", spec.Name)
		}
		r.byName[spec.Name] = t
		r.sorted = append(r.sorted, t)
	}
	slices.SortFunc(r.sorted, func(a, b Tool) int { return strings.Compare(a.Spec().Name, b.Spec().Name) })
	return r, nil
}

// Lookup returns the tool with the given name.
func (r *Registry) Lookup(name string) (Tool, bool) {
	t, ok := r.byName[name]
	return t, ok
}

// All returns the tools, sorted by name.
func (r *Registry) All() []Tool { return slices.Clone(r.sorted) }

// Prepare decodes the arguments of a call against the tool's schema and does nothing else. The error is one line
// and matches ErrUnknownTool or ErrBadArguments; Failure converts it for a model.
func (r *Registry) Prepare(ctx context.Context, env Env, name string, args json.RawMessage) (*Prepared, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, ok := r.byName[name]
	if !ok {
		return nil, &UnknownToolError{Name: name}
	}
	bound, err := t.bind(args)
	if err != nil {
		return nil, err
	}
	env.Limits = env.Limits.Filled()
	return &Prepared{spec: t.Spec(), env: env, call: bound}, nil
}
