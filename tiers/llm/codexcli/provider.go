package codexcli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/program"
)

// Name is the provider's name in the configuration and in the record.
const Name = events.ProviderCodexCLI

// DefaultProgram is the program to run if none is configured; it is looked up in PATH.
const DefaultProgram = "codex"

// DefaultSilence is how long the program may write nothing. It is long because the program writes
// nothing while the model is writing.
const DefaultSilence = 10 * time.Minute

// DefaultKey is the variable that holds the key for BaseURL.
const DefaultKey = "OPENAI_API_KEY"

// Provider reaches models through the program.
type Provider struct {
	llm.Neutral

	// Run runs programs; required.
	Run llm.Runner
	// Folder is where each run gets its own empty folder; required. See program.Open for who may
	// write to its parents.
	Folder string
	// BaseURL is the address of a server with the Responses API; empty means the program's default
	// server.
	BaseURL string
	// KeyVariable names the variable of our environment that holds the key for BaseURL; empty
	// means DefaultKey. The program gets this variable.
	KeyVariable string
	// Silence is how long the program may write nothing before it is stopped; 0 means
	// DefaultSilence.
	Silence time.Duration
}

var _ llm.Provider = Provider{}

// Name is "codex_cli".
func (Provider) Name() string { return Name }

// inherited returns the program's documented variables for its credentials.
func inherited() []string {
	return append([]string{"CODEX_HOME", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY"}, program.Proxies()...)
}

// Stream makes one attempt at a reply with one run of the program. All of the program's processes
// have ended when it returns.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	inherit := inherited()
	if p.KeyVariable != "" {
		inherit = append(inherit, p.KeyVariable)
	}
	return program.Attempt(ctx, p.Folder, r, nil, func(string) program.Job {
		return program.Job{
			Run: p.Run, Request: r, Silence: cmp.Or(p.Silence, DefaultSilence), Protocol: &protocol{},
			Missing: "install the codex command line, or set the program in [providers.codex_cli] command",
			Program: llm.Program{
				Path: cmp.Or(r.Command, DefaultProgram), Args: p.arguments(r), Inherit: inherit, Input: []byte(program.Prompt(r)),
			},
		}
	})
}

// features returns the features to disable: those that would offer the model a tool, run a program
// of the user's or add other texts to the prompt. If a version of the program does not know a
// feature, it only prints a warning.
func features() []string {
	return []string{
		"shell_tool", "unified_exec", "shell_snapshot", "view_image", "multi_agent", "goals", "apps", "plugins", "hooks",
		"image_generation",
		"browser_use", "computer_use", "in_app_browser", "tool_suggest", "memories", "code_mode_host", "skill_search",
		"skill_mcp_dependency_install",
	}
}

// arguments returns the arguments of a run; - stands for the prompt on standard input. The model's
// name is in the same argument as its option, so that no name can be taken for an option.
func (p Provider) arguments(r llm.Request) []string {
	args := []string{"exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config", "--ignore-rules",
		"-s", "read-only"}
	if r.Model != "" {
		args = append(args, "--model="+r.Model)
	}
	settings := []string{
		`approval_policy="never"`, `web_search="disabled"`, "project_doc_max_bytes=0", "skills.include_instructions=false",
		"skills.bundled.enabled=false",
		"include_environment_context=false", "instructions=" + quoted(program.System),
	}
	for _, f := range features() {
		settings = append(settings, "features."+f+"=false")
	}
	switch r.Params.Effort {
	case "":
	case "off":
		settings = append(settings, `model_reasoning_effort="none"`)
	default:
		settings = append(settings, "model_reasoning_effort="+quoted(r.Params.Effort))
	}
	if p.BaseURL != "" {
		settings = append(settings, `model_provider="slop"`, fmt.Sprintf(
			`model_providers.slop={name="slop",base_url=%s,env_key=%s,wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
			quoted(p.BaseURL), quoted(cmp.Or(p.KeyVariable, DefaultKey))))
	}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return append(slices.Clip(args), "-")
}

// quoted returns a text as a TOML string; every JSON string is one.
func quoted(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(out)
}
