package clitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"manualslop/events"
)

// gemini plays @google/gemini-cli 0.61.0 without a terminal.
func gemini(f *fake) error {
	model, err := geminiOptions(f.args)
	if err != nil {
		return err
	}
	prompt, err := io.ReadAll(f.in)
	if err != nil || len(strings.TrimSpace(string(prompt))) == 0 {
		return rejects(42, "No input provided via stdin.")
	}
	if os.Getenv("GEMINI_CLI_TRUST_WORKSPACE") != "true" {
		return rejects(55, "Gemini CLI is not running in a trusted directory.")
	}
	if mentions() {
		return rejects(42, "clitest: the program would put into the prompt what it mentions")
	}
	settings, err := folderSettings()
	if err != nil {
		return rejects(52, "Invalid configuration: %v", err)
	}
	g, err := connectGemini(f, settings)
	if err != nil {
		return err
	}
	defer g.close()
	t, err := f.next(string(prompt))
	if err != nil {
		return rejects(42, "%v", err)
	}
	line(`{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"g-1","model":%s}`, quote(model))
	line(`{"type":"message","role":"user","content":%s}`, quote(string(prompt)))
	if settings.Tools.Core != nil && len(g.tools) == 0 {
		t.failed = events.ModelInvalidRequest // required one_of 'tool_type' must have one initialized field
	}
	if f.fault == OwnTool || settings.Tools.Core == nil || slices.Contains(g.tools, "run_shell_command") {
		line(`{"type":"tool_use","tool_name":"run_shell_command","tool_id":"t1","parameters":{"command":"ls"}}`)
		line(`{"type":"tool_result","tool_id":"t1","status":"error","error":{"type":"denied","message":"no"}}`)
	}
	if len(g.servers) == 0 {
		t.plain, t.calls = t.text, nil
	}
	all := pieces(t.plain)
	for i, p := range all {
		if i == cut(all) {
			if err := f.broke(); err != nil {
				return err
			}
		}
		line(`{"type":"message","role":"assistant","content":%s,"delta":true}`, quote(p))
	}
	if t.failed != "" {
		line(`{"type":"result","status":"error","error":{"type":"Error","message":%s}}`, quote(complaint(t.failed)))
		return rejects(1, "%s", complaint(t.failed))
	}
	if err := g.call(t.calls); err != nil {
		return err
	}
	u := t.usage
	stats := fmt.Sprintf(`{"total_tokens":%d,"input_tokens":%d,"output_tokens":%d,"cached":%d,"input":%d,"duration_ms":1,"tool_calls":%d}`,
		u.Input+u.CacheRead+u.Output, u.Input+u.CacheRead, u.Output-geminiThoughts(u), u.CacheRead, u.Input, len(t.calls))
	if len(t.calls) > 0 && settings.Model.Turns == 1 && f.fault != SecondTurn {
		line(`{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json."},"stats":%s}`, stats)
		return rejects(53, "Reached max session turns")
	}
	if len(t.calls) > 0 {
		line(`{"type":"message","role":"assistant","content":"I go on.","delta":true}`)
	}
	line(`{"type":"result","status":"success","stats":%s}`, stats)
	return nil
}

// geminiThoughts returns the number of output tokens spent on thinking. The program reports them
// only in its total.
func geminiThoughts(u events.Usage) int64 { return u.Output / 3 }

// geminiOptions rejects options that the program does not know.
func geminiOptions(args []string) (model string, err error) {
	model = "auto"
	format := ""
	for len(args) > 0 {
		name, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		if !joined && name != "--skip-trust" {
			if len(args) == 0 {
				return "", rejects(1, "Not enough arguments following: %s", name)
			}
			value, args = args[0], args[1:]
		}
		switch name {
		case "--output-format", "-o":
			format = value
		case "--approval-mode":
			if value != "default" && value != "plan" {
				return "", rejects(1, "clitest: the program would act by itself in the mode %s", value)
			}
		case "--model", "-m":
			model = value
		case "--extensions", "-e", "--skip-trust":
		default:
			return "", rejects(1, "Unknown argument: %s", name)
		}
	}
	if format != "stream-json" {
		return "", rejects(1, "Invalid values: Argument: output-format, Given: %q", format)
	}
	return model, nil
}

// geminiSettings are the settings in the folder. The real program warns of others; the fake refuses
// them.
type geminiSettings struct {
	Tools struct {
		Core []string `json:"core"`
	} `json:"tools"`
	MCP struct {
		Allowed []string `json:"allowed"`
	} `json:"mcp"`
	Servers map[string]geminiServer `json:"mcpServers"`
	Model   struct {
		Turns int `json:"maxSessionTurns"`
	} `json:"model"`
	General struct {
		Checkpointing struct {
			Enabled bool `json:"enabled"`
		} `json:"checkpointing"`
	} `json:"general"`
	Context struct {
		Tree      *bool `json:"includeDirectoryTree"`
		Filtering struct {
			Ignore *bool `json:"respectGeminiIgnore"`
			Search *bool `json:"enableRecursiveFileSearch"`
		} `json:"fileFiltering"`
	} `json:"context"`
	Experimental struct {
		Agents *bool `json:"enableAgents"`
	} `json:"experimental"`
	Hooks struct {
		Enabled *bool `json:"enabled"`
	} `json:"hooksConfig"`
}

// geminiServer is an MCP server in the settings.
type geminiServer struct {
	URL     string            `json:"httpUrl"`
	Headers map[string]string `json:"headers"`
	Trust   bool              `json:"trust"`
}

// folderSettings reads the settings; they are empty if the file does not exist.
func folderSettings() (s geminiSettings, err error) {
	raw, err := os.ReadFile(".gemini/settings.json")
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return s, decoder.Decode(&s)
}

// ownTools returns the tools that the folder's settings allow; nil means all.
func ownTools() []string {
	s, _ := folderSettings() // settings that cannot be read allow all
	return s.Tools.Core
}

// mentions reports whether @NAME in a prompt may refer to a file or an agent.
func mentions() bool {
	ignored, err := os.ReadFile(".geminiignore")
	s, _ := folderSettings() // read once before
	is := func(set *bool, want bool) bool { return set != nil && *set == want }
	return err != nil || string(ignored) != "*\n" ||
		!is(s.Context.Filtering.Ignore, true) || !is(s.Context.Filtering.Search, false) || !is(s.Experimental.Agents, false)
}
