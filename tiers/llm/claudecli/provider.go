package claudecli

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/program"
)

// Name is the provider's name in the configuration and in the record.
const Name = events.ProviderClaudeCLI

// DefaultProgram is the program to run if none is configured; it is looked up in PATH.
const DefaultProgram = "claude"

// Provider reaches models through the program.
type Provider struct {
	llm.Neutral

	// Run runs programs; required.
	Run llm.Runner
	// Folder is where each run gets its own empty folder; required. See program.Open for who may
	// write to its parents.
	Folder string
	// Inherit names additional variables of our environment that the program gets.
	Inherit []string
	// Silence is how long the program may write nothing before it is stopped; 0 means
	// program.DefaultSilence.
	Silence time.Duration
}

var _ llm.Provider = Provider{}

// Name is "claude_cli".
func (Provider) Name() string { return Name }

// inherited returns the program's documented variables for its credentials and for reaching its
// service. It leaves out CLAUDECODE, with which the program refuses to start because it believes
// that it runs inside itself.
func inherited() []string {
	return append([]string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS",
		"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
		"CLAUDE_CODE_USE_BEDROCK", "AWS_REGION", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK",
		"CLAUDE_CODE_USE_VERTEX", "ANTHROPIC_VERTEX_PROJECT_ID", "CLOUD_ML_REGION", "GOOGLE_APPLICATION_CREDENTIALS",
	}, program.Proxies()...)
}

// Stream makes one attempt at a reply with one run of the program. All of the program's processes
// have ended when it returns.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return program.Attempt(ctx, p.Folder, r, nil, func(string) program.Job {
		return program.Job{
			Run: p.Run, Request: r, Silence: p.Silence, Protocol: &protocol{},
			Missing: "install Claude Code, or set the program in [providers.claude_cli] command",
			Program: llm.Program{
				Path: cmp.Or(r.Command, DefaultProgram), Args: arguments(r.Model),
				Inherit: slices.Concat(inherited(), p.Inherit), Set: variables(r.Params),
			},
		}
	})
}

// arguments returns the arguments of a run. The model's name is in the same argument as its
// option, so that no name can be taken for an option.
func arguments(model string) []string {
	args := []string{
		"-p", "--output-format", "stream-json", "--input-format", "stream-json", "--verbose", "--include-partial-messages",
		"--permission-prompt-tool", "stdio", "--tools", "", "--strict-mcp-config", "--setting-sources", "",
		"--disable-slash-commands",
		"--no-session-persistence", "--system-prompt", program.System,
	}
	if model != "" {
		args = append(args, "--model="+model)
	}
	return args
}

// variables returns the program's documented variables for a request's parameters. It has none for
// temperature and top_p.
//
// With attachments disabled, the program takes @PATH in a prompt, which may come from a file's
// text, as plain text and does not read that file.
func variables(p events.ModelParams) map[string]string {
	set := map[string]string{
		"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"CLAUDE_CODE_DISABLE_ATTACHMENTS": "1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1", "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
	}
	if p.MaxOutputTokens > 0 {
		set["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = strconv.Itoa(p.MaxOutputTokens)
	}
	switch p.Effort {
	case "":
	case "off":
		set["MAX_THINKING_TOKENS"] = "0"
	default:
		set["CLAUDE_CODE_EFFORT_LEVEL"] = p.Effort
	}
	return set
}
