package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/tools"
)

// toolAnswer is the answer to a call that slop tool call --json and slop tool batch print.
type toolAnswer struct {
	OK bool `json:"ok"`
	// Text is what a model reads.
	Text string `json:"text"`
	// Data is Text as structured data, null if there is none.
	Data any `json:"data"`
	// Error says in one line why the call failed, null if it did not.
	Error *string `json:"error"`

	preview   string // what a call that needs approval would change
	waits     bool   // it needs approval
	operator  string // for the user only
	artifacts []tools.Artifact
}

// toolCaller makes calls without an engine.
type toolCaller struct {
	registry *tools.Registry
	env      tools.Env
	gates    *gatePool
}

// newToolCaller opens the project for calls of tools of registry. Close its workspace after use.
func newToolCaller(g *site.Flags, registry *tools.Registry, yes bool) (*toolCaller, error) {
	p, err := g.Place()
	if err != nil {
		return nil, err
	}
	env, err := p.ToolEnv()
	if err != nil {
		return nil, err
	}
	env.Performance = engine.OwnPerformance()
	for _, name := range p.Untrusted() {
		g.Notice("%[1]s of the project has no effect: you have not trusted it; see slop mcp trust %[1]s", name)
	}
	gates := &gatePool{open: func() (*toolGate, error) { return newToolGate(p, registry, yes) }}
	if err := gates.fill(); err != nil {
		return nil, exit.Errorf(exit.Failed, "%w", err)
	}
	return &toolCaller{registry: registry, env: env, gates: gates}, nil
}

func (c *toolCaller) Close() { _ = c.env.Workspace.Close() }

// call makes one call, if it may run.
func (c *toolCaller) call(ctx context.Context, name string, args json.RawMessage) (toolAnswer, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	prepared, err := c.registry.Prepare(ctx, c.env, name, args)
	if err != nil {
		return answerOf(tools.Failure(err)), nil
	}
	verdict, reason, err := c.gates.judge(name, args)
	if err != nil {
		return toolAnswer{}, err
	}
	switch verdict {
	case rulingRun:
		return answerOf(prepared.Run(ctx, nil)), nil
	case rulingAsk:
		out := refusedAnswer(reason + "; nothing was changed")
		out.waits = true
		if preview, err := prepared.Plan(ctx); err == nil {
			for _, change := range preview.Changes {
				out.preview += change.Diff
			}
		}
		return out, nil
	}
	return refusedAnswer(reason), nil
}

func refusedAnswer(reason string) toolAnswer {
	return toolAnswer{Text: "ERROR: " + reason, Error: &reason}
}

func answerOf(r tools.Result) toolAnswer {
	out := toolAnswer{OK: !r.Failed, Text: r.Text, Data: r.Data, operator: r.Operator, artifacts: r.Artifacts}
	if r.Failed {
		why := strings.TrimPrefix(term.OneLine(r.Text), "ERROR: ")
		if r.Exit != nil {
			why = fmt.Sprintf("exit code %d", *r.Exit)
		}
		out.Error = &why
	}
	return out
}
