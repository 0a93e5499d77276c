package geminicli

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/program"
)

// Name is the provider's name in the configuration and on the record.
const Name = events.ProviderGeminiCLI

// DefaultProgram is what runs where no person named a program; it is searched
// for in PATH.
const DefaultProgram = "gemini"

// Harmless is the one tool of its own that the program keeps: it finds files by
// name in the folder it runs in, which is empty. Without any, the program sends
// an empty list of functions, and the API refuses that.
const Harmless = "glob"

// settings turn off, for the program, whatever could act: the list of tools
// leaves no other on, those of MCP servers included, no server of that list is
// started, and no hook of the person's. They are in the folder in which it
// runs, above the person's own settings of the program and below those of the
// machine.
//
// The program takes @NAME anywhere in a prompt, in the text of a file too, for
// a file to read into it or an agent to name in it, and writes the prompt again
// where it finds one, without the line ends between two of them. Without
// agents, without the search and with everything ignored (see [Files]) it finds
// none.
const settings = `{"tools":{"core":["` + Harmless +
	`"]},"mcp":{"allowed":["none"]},"mcpServers":{},"general":{"checkpointing":{"enabled":false}},` +
	`"context":{"includeDirectoryTree":false,"fileFiltering":{"respectGeminiIgnore":true,"enableRecursiveFileSearch":false}},` +
	`"experimental":{"enableAgents":false},"hooksConfig":{"enabled":false}}`

// Files returns the settings that a run of the program finds in its folder.
func Files() map[string]string {
	return map[string]string{".gemini/settings.json": settings, ".gemini/system.md": program.System,
		".geminiignore": "*\n"}
}

// Variables make the program take what [Files] puts into its folder.
func Variables(folder string) map[string]string {
	return map[string]string{
		"GEMINI_CLI_HOOK_CONTEXT": "manual_slop", "GEMINI_CLI_TRUST_WORKSPACE": "true",
		"GEMINI_SYSTEM_MD": filepath.Join(folder, ".gemini", "system.md"),
	}
}

// Inherited returns the variables of our environment that the program sees
// beside those that every program sees. They are the program's own documented
// ones for its credentials and for reaching its service.
func Inherited() []string {
	return append([]string{
		"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID", "GOOGLE_CLOUD_LOCATION",
		"GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "GOOGLE_GEMINI_BASE_URL",
		"GOOGLE_VERTEX_BASE_URL",
	}, program.Proxies()...)
}

// Provider reaches models through the program.
type Provider struct {
	llm.Neutral

	// Run runs programs; required.
	Run llm.Runner
	// Folder is where each run gets its own empty folder; required. See
	// program.Open for who may write above it.
	Folder string
	// Inherit names further variables of our environment that the program sees.
	Inherit []string
	// Silence is how long the program may write nothing before it is ended;
	// 0: program.DefaultSilence.
	Silence time.Duration
}

var _ llm.Provider = Provider{}

// Name is "gemini_cli".
func (Provider) Name() string { return Name }

// Stream makes one attempt at a reply by one run of the program. When it
// returns, nothing of the program runs any more.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return program.Attempt(ctx, p.Folder, r, Files(), func(folder string) program.Job {
		return program.Job{
			Run: p.Run, Request: r, Silence: p.Silence, Protocol: protocol{},
			Missing: "install the gemini command line, or set the program in [providers.gemini_cli] command",
			Program: llm.Program{
				Path: cmp.Or(r.Command, DefaultProgram), Args: arguments(r.Model), Input: []byte(program.Prompt(r)),
				// MOCK_MODE is the original system's, for programs that are in.
				Inherit: slices.Concat(Inherited(), p.Inherit, []string{"MOCK_MODE"}), Set: Variables(folder),
			},
		}
	})
}

// arguments are those of one run. The prompt is not among them. A model's name
// shares its word with the option, so that no name can be an option itself.
func arguments(model string) []string {
	args := []string{"--output-format", "stream-json", "--approval-mode", "default", "--extensions", "none"}
	if model != "" {
		args = append(args, "--model="+model)
	}
	return args
}
