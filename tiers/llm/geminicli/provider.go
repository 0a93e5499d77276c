package geminicli

import (
	"cmp"
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/program"
)

// Name is the provider's name in the configuration and in the record.
const Name = events.ProviderGeminiCLI

// DefaultProgram is the program to run if none is configured; it is looked up in PATH.
const DefaultProgram = "gemini"

// Harmless is the only built-in tool that the program keeps: it finds files by name in the folder
// in which it runs, which is empty. Without any tool, the program sends an empty list of
// functions, which the API rejects.
const Harmless = "glob"

// settings disable everything in the program that could act: all other tools, including those of
// MCP servers, all MCP servers, and the person's hooks. They are written to the folder in which
// the program runs, and take precedence over the person's settings but not over those of the
// machine.
//
// The program takes @NAME anywhere in a prompt, even in the text of a file, as a reference to a
// file or an agent. It then rewrites the prompt and drops line breaks between references. With
// agents and the file search disabled and all files ignored (see [Files]), it never finds one.
const settings = `{"tools":{"core":["` + Harmless +
	`"]},"mcp":{"allowed":["none"]},"mcpServers":{},"general":{"checkpointing":{"enabled":false}},` +
	`"context":{"includeDirectoryTree":false,"fileFiltering":{"respectGeminiIgnore":true,"enableRecursiveFileSearch":false}},` +
	`"experimental":{"enableAgents":false},"hooksConfig":{"enabled":false}}`

// Files returns the files that a run of the program finds in its folder.
func Files() map[string]string {
	return map[string]string{".gemini/settings.json": settings, ".gemini/system.md": program.System,
		".geminiignore": "*\n"}
}

// Variables returns the variables that make the program use what [Files] puts into its folder.
func Variables(folder string) map[string]string {
	return map[string]string{
		"GEMINI_CLI_HOOK_CONTEXT": "manual_slop", "GEMINI_CLI_TRUST_WORKSPACE": "true",
		"GEMINI_SYSTEM_MD": filepath.Join(folder, ".gemini", "system.md"),
	}
}

// Inherited returns the variables of our environment that the program gets in addition to those
// that every program gets: its documented ones for credentials and for reaching its service.
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

// Name is "gemini_cli".
func (Provider) Name() string { return Name }

// Stream makes one attempt at a reply with one run of the program. All of the program's processes
// have ended when it returns.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	path, own := split(cmp.Or(r.Command, DefaultProgram))
	return program.Attempt(ctx, p.Folder, r, Files(), func(folder string) program.Job {
		return program.Job{
			Run: p.Run, Request: r, Silence: p.Silence, Protocol: protocol{},
			Missing: "install the gemini command line, or set the program in [providers.gemini_cli] command",
			Program: llm.Program{
				Path: path, Args: append(own, arguments(r.Model)...), Input: []byte(program.Prompt(r)),
				// MOCK_MODE belongs to the original system; programs that still use it need it.
				Inherit: slices.Concat(Inherited(), p.Inherit, []string{"MOCK_MODE"}), Set: Variables(folder),
			},
		}
	})
}

// split returns the program of a command and the arguments that the command gives it, as in the original's
// gcli_path. A command that names a file is a program without arguments, and so is one whose first word names none.
// Blanks separate words, except between double quotes; nothing is escaped or expanded.
func split(command string) (path string, args []string) {
	if _, err := os.Stat(command); err == nil || !strings.Contains(command, " ") {
		return command, nil
	}
	quoted := false
	words := strings.FieldsFunc(command, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, `"`, "")
	}
	if _, err := os.Stat(words[0]); err != nil {
		return command, nil
	}
	return words[0], words[1:]
}

// arguments returns the arguments of a run, without the prompt. The model's name is in the same
// argument as its option, so that no name can be taken for an option.
func arguments(model string) []string {
	args := []string{"--output-format", "stream-json", "--approval-mode", "default", "--extensions", "none"}
	if model != "" {
		args = append(args, "--model="+model)
	}
	return args
}
