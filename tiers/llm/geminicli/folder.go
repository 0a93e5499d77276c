package geminicli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// settings turn off, for the program, whatever could act: an empty list of
// tools leaves none on, those of MCP servers included, and no server of that
// list is started. They stand in the folder in which it runs, above the
// person's own settings of the program and below those of the machine.
const settings = `{"tools":{"core":[]},"mcp":{"allowed":["none"]},"mcpServers":{},"general":{"checkpointing":{"enabled":false}}}`

// maxKept bounds what is recorded of each output stream, in bytes.
const maxKept = 16 << 10

// inherited are the variables of our environment that the program sees beside
// those that every program sees. They are the program's own documented ones for
// its credentials and for reaching its service; MOCK_MODE is the original
// system's, for programs that stand in for it.
func inherited() []string {
	return []string{
		"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID", "GOOGLE_CLOUD_LOCATION",
		"GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS",
		"MOCK_MODE",
	}
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

// work is what one run needs.
type work struct {
	program llm.Program
	folder  string
}

// open prepares one run in a folder of its own below parent.
func open(parent string, r llm.Request) (work, *llm.Error) {
	if !filepath.IsAbs(parent) {
		return work{}, broken("there is no folder in which the program could run")
	}
	err := os.MkdirAll(parent, 0o700)
	if err != nil {
		return work{}, broken("make a folder for the program: %v", err)
	}
	folder, err := os.MkdirTemp(parent, "run-")
	if err != nil {
		return work{}, broken("make a folder for the program: %v", err)
	}
	w := work{folder: folder}
	if err := w.fill(); err != nil {
		w.remove()
		return work{}, broken("fill the program's folder: %v", err)
	}
	w.program = llm.Program{
		Path: cmp.Or(r.Command, DefaultProgram), Args: arguments(r.Model), Dir: folder,
		Inherit: inherited(), Set: map[string]string{"GEMINI_CLI_HOOK_CONTEXT": "manual_slop", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
		Input: []byte(prompt(r)), Limit: maxRun, MaxOutput: maxKept,
	}
	return w, nil
}

func (w work) fill() error {
	if err := os.Mkdir(filepath.Join(w.folder, ".gemini"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.folder, ".gemini", "settings.json"), []byte(settings), 0o600)
}

// remove takes the folder away. What cannot be removed stays.
func (w work) remove() { _ = os.RemoveAll(w.folder) }

func broken(format string, args ...any) *llm.Error {
	return &llm.Error{Kind: events.ModelNetwork, Message: fmt.Sprintf(format, args...)}
}
