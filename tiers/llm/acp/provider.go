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

// Name is the provider's name in the configuration and on the record.
const Name = events.ProviderACP

// OwnModel is the name of whatever model an agent would use by itself.
const OwnModel = "default"

// Provider reaches models through an agent.
type Provider struct {
	llm.Neutral

	// Run runs programs; required.
	Run llm.Runner
	// Folder is where each run gets its own folder; required. See program.Open for
	// who may write above it.
	Folder string
	// Args are the agent's arguments, such as --acp. They are on the record.
	Args []string
	// Inherit names the variables of our environment that the agent sees beside
	// those that every program sees: its keys.
	Inherit []string
	// Silence is how long the agent may write nothing before it is ended;
	// 0: program.DefaultSilence.
	Silence time.Duration
}

var _ llm.Provider = Provider{}

// Name is "acp".
func (Provider) Name() string { return Name }

// Stream makes one attempt at a reply by one run of the agent. When it returns,
// nothing of the agent runs any more.
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
