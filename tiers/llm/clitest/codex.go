package clitest

import (
	"io"
	"slices"
	"strings"
)

// codex plays @openai/codex 0.169.0.
func codex(f *fake) error {
	settings, err := codexOptions(f.args)
	if err != nil {
		return err
	}
	prompt, err := io.ReadAll(f.in)
	if err != nil || len(strings.TrimSpace(string(prompt))) == 0 {
		return rejects(1, "No prompt provided via stdin.")
	}
	t, err := f.next(string(prompt))
	if err != nil {
		return err
	}
	line(`{"type":"thread.started","thread_id":"c-1"}`)
	line(`{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata not found."}}`)
	line(`{"type":"turn.started"}`)
	if f.fault == OwnTool || !slices.Contains(settings, "features.shell_tool=false") ||
		!slices.Contains(settings, "features.unified_exec=false") {
		line(`{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"ls","status":"in_progress"}}`)
		line(`{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":0,"status":"completed"}}`)
	}
	line(`{"type":"item.completed","item":{"id":"item_2","type":"reasoning","text":"hm"}}`)
	if err := f.broke(); err != nil {
		return err
	}
	if t.failed != "" {
		line(`{"type":"error","message":%s}`, quote(complaint(t.failed)))
		line(`{"type":"turn.failed","error":{"message":%s}}`, quote(complaint(t.failed)))
		return rejects(1, "")
	}
	line(`{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":%s}}`, quote(t.text))
	u := t.usage
	line(`{"type":"turn.completed","usage":{"input_tokens":%d,"cached_input_tokens":%d,"cache_write_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d}}`,
		u.Input+u.CacheRead+u.CacheWrite, u.CacheRead, u.CacheWrite, u.Output, u.Thinking)
	return nil
}

// codexOptions rejects options that the program does not know, and returns the settings.
func codexOptions(args []string) (settings []string, err error) {
	if len(args) == 0 || args[0] != "exec" {
		return nil, rejects(2, "clitest: only codex exec is supported")
	}
	json, sandbox, prompt := false, "", ""
	for args = args[1:]; len(args) > 0; {
		name, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		if takes := name == "-c" || name == "-s" || name == "--model"; takes && !joined {
			if len(args) == 0 {
				return nil, rejects(2, "error: a value is required for '%s'", name)
			}
			value, args = args[0], args[1:]
		}
		switch name {
		case "--json":
			json = true
		case "-s":
			sandbox = value
		case "-c":
			if !strings.Contains(value, "=") {
				return nil, rejects(2, "Error: Invalid override (missing '='): %s", value)
			}
			settings = append(settings, value)
		case "-":
			prompt = name
		case "--model", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config", "--ignore-rules":
		default:
			return nil, rejects(2, "error: unexpected argument '%s' found", name)
		}
	}
	for _, off := range []string{"skills.bundled.enabled=false", "features.skill_mcp_dependency_install=false"} {
		if !slices.Contains(settings, off) {
			return nil, rejects(2, "clitest: the program would add other text to the prompt: %s", off)
		}
	}
	if !json || prompt != "-" || sandbox != "read-only" {
		return nil, rejects(2, "clitest: the program would write for people, read no prompt, or write to files")
	}
	return settings, nil
}
