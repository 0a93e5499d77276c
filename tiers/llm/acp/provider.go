package acp

import (
	"context"
	"iter"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/llm/program"
)

// Name is the provider's name in the configuration and in the record.
const Name = events.ProviderACP

// OwnModel means the agent's default model.
const OwnModel = "default"

// Provider reaches models through an agent.
type Provider struct {
	llm.Neutral

	// Run runs programs; required.
	Run llm.Runner
	// Folder is where each run gets its own folder; required. See program.Open for who may write
	// to its parents.
	Folder string
	// Args are the agent's arguments, such as --acp. They are recorded.
	Args []string
	// Inherit names the variables of our environment, such as API keys, that the agent gets in
	// addition to those that every program gets.
	Inherit []string
	// Silence is how long the agent may write nothing before it is stopped; 0 means
	// program.DefaultSilence.
	Silence time.Duration
}

var _ llm.Provider = Provider{}

// Name is "acp".
func (Provider) Name() string { return Name }

// Stream makes one attempt at a reply with one run of the agent. All of the agent's processes have
// ended when it returns.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	if r.Command == "" {
		return func(yield func(llm.Chunk, error) bool) {
			yield(nil, llm.Unsendable("no agent is configured; set its program in [providers.acp] command, and its arguments "+
				"with args"))
		}
	}
	return program.Attempt(ctx, p.Folder, r, geminicli.Files(), func(folder string) program.Job {
		return program.Job{
			Run: p.Run, Request: r, Silence: p.Silence, Protocol: &protocol{folder: folder},
			Missing: "set an existing agent program in [providers.acp] command",
			Program: llm.Program{
				Path: r.Command, Args: p.Args, Inherit: slices.Concat(program.Proxies(), p.Inherit),
				Set: geminicli.Variables(folder),
			},
		}
	})
}
