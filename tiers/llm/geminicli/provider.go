package geminicli

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/mcptools"
	"manualslop/tiers/llm/program"
)

// Name is the provider's name in the configuration and in the record.
const Name = events.ProviderGeminiCLI

// DefaultProgram is the program to run if none is configured; it is looked up in PATH.
const DefaultProgram = "gemini"

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
	// Text has the model write its calls as text, for programs that do not support MCP servers.
	Text bool
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
	if p.Text || len(r.Tools) == 0 {
		return p.attempt(ctx, r, Files(), run{protocol: protocol{}, prompt: program.Prompt(r)})
	}
	return func(yield func(llm.Chunk, error) bool) {
		server, err := mcptools.Serve(r.Tools)
		if err != nil {
			yield(nil, &llm.Error{Kind: events.ModelInvalidRequest, Message: err.Error()})
			return
		}
		defer server.Close()
		read := &functions{server: server}
		read.checked(p.attempt(ctx, r, filesFor(server, r.Tools), run{protocol: read, set: direct(),
			prompt: program.PromptOfFunctions(r, instructions)}))(yield)
	}
}

// run holds what differs between the two ways to call tools.
type run struct {
	protocol program.Protocol
	prompt   string
	set      map[string]string // variables
}

func (p Provider) attempt(ctx context.Context, r llm.Request, files map[string]string,
	as run) iter.Seq2[llm.Chunk, error] {
	path, own := split(cmp.Or(r.Command, DefaultProgram))
	return program.Attempt(ctx, p.Folder, r, files, func(folder string) program.Job {
		set := Variables(folder)
		maps.Copy(set, as.set)
		return program.Job{
			Run: p.Run, Request: r, Silence: p.Silence, Protocol: as.protocol,
			Missing: "install the gemini command line, or set the program in [providers.gemini_cli] command",
			Program: llm.Program{
				Path: path, Args: append(own, arguments(r.Model)...), Input: []byte(as.prompt),
				// MOCK_MODE belongs to the original system; programs that still use it need it.
				Inherit: slices.Concat(Inherited(), p.Inherit, []string{"MOCK_MODE"}), Set: set,
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
