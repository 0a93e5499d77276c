//go:build linux

package runtime_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/claudecli"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/llm/codexcli"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/texttools"
	"manualslop/tiers/runtime"
)

var markOfPrompt = regexp.MustCompile(`Only headings with the mark ([0-9a-f]+) begin`)

// behindProgram is the model behind a program: it plans one ticket, reads a file
// by a tool of ours, and ends.
func behindProgram(v llmtest.View) llmtest.Turn {
	prompt := v.Newest()
	mark := markOfPrompt.FindStringSubmatch(prompt)
	role := tierWords.FindStringSubmatch(prompt)
	switch {
	case role == nil || mark == nil && role[1] == "3":
		return llmtest.Turn{Text: "There is no prompt of ours."}
	case role[1] != "3":
		return planned(int(role[1][0]-'0'), "T-1")
	case strings.Contains(prompt, "## Result of the tool read_file "+mark[1]):
		return llmtest.Turn{Text: "DONE: read a.txt; nothing to check."}
	}
	if slices.Contains(v.Tools, "mcp_slop_read_file") {
		return llmtest.Turn{Calls: []llmtest.Call{{Name: "mcp_slop_read_file", Args: `{"path":"a.txt"}`}}}
	}
	return llmtest.Turn{Text: texttools.Block("read_file", json.RawMessage(`{"path":"a.txt"}`), mark[1])}
}

// TestTheRealProgramsCarryOutAGoal has each program from npm carry out a goal
// whose text names files, commands and skills of programs.
func TestTheRealProgramsCarryOutAGoal(t *testing.T) {
	for _, c := range []struct {
		variable, model string
		start           func(t *testing.T, home string) (llm.Provider, *llmtest.Server)
	}{
		{"SLOP_CLAUDE_CLI", "claude-sonnet-4-5", func(t *testing.T, home string) (llm.Provider, *llmtest.Server) {
			server := llmtest.Anthropic(t, llmtest.Options{Answer: behindProgram})
			t.Setenv("CLAUDE_CONFIG_DIR", home)
			t.Setenv("ANTHROPIC_API_KEY", llmtest.Key)
			t.Setenv("ANTHROPIC_BASE_URL", server.URL)
			require.NoError(t, os.MkdirAll(filepath.Join(home, "skills", "review"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(home, "skills", "review", "SKILL.md"),
				[]byte("---\nname: review\ndescription: SKILL OF THE PERSON\n---\nSKILL OF THE PERSON\n"), 0o600))
			return claudecli.Provider{Run: runtime.RunProgram, Folder: filepath.Join(home, "runs")}, server
		}},
		{"SLOP_GEMINI_CLI", "gemini-2.5-pro", func(t *testing.T, home string) (llm.Provider, *llmtest.Server) {
			server := llmtest.Gemini(t, llmtest.Options{Answer: behindProgram})
			require.NoError(t, os.Mkdir(filepath.Join(home, ".gemini"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(home, ".gemini", "settings.json"),
				[]byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`), 0o600))
			t.Setenv("GEMINI_API_KEY", llmtest.Key)
			t.Setenv("GOOGLE_GEMINI_BASE_URL", server.URL)
			return geminicli.Provider{Run: runtime.RunProgram, Folder: filepath.Join(home, "runs")}, server
		}},
		{"SLOP_CODEX_CLI", "gpt-5", func(t *testing.T, home string) (llm.Provider, *llmtest.Server) {
			server := llmtest.OpenAI(t, "openai", llmtest.Options{Answer: behindProgram, Models: []string{"gpt-5"}})
			t.Setenv("CODEX_HOME", home)
			t.Setenv("OPENAI_API_KEY", llmtest.Key)
			return codexcli.Provider{Run: runtime.RunProgram, Folder: filepath.Join(home, "runs"), BaseURL: server.URL + "/v1"},
				server
		}},
	} {
		t.Run(c.variable, func(t *testing.T) {
			command := clitest.Real(t, c.variable)
			home := t.TempDir()
			t.Setenv("HOME", home)
			w := newWorld(t, map[string]string{"a.txt": "SECRET OF A FILE\n"})
			provider, server := c.start(t, home)
			w.more = provider
			w.open(func(s *events.Settings) {
				s.MaxRetries, s.Providers = 0, []events.ProviderSettings{{Provider: provider.Name(), Command: command}}
				for i := range s.Tiers {
					s.Tiers[i].Provider, s.Tiers[i].Models = provider.Name(), []string{c.model}
				}
			})
			w.yesToAll()
			w.start("")
			w.say(events.GoalSubmitted{Goal: "/review @a.txt and @" + w.dir + "/a.txt, then !cat a.txt with $review"})
			log := w.untilGoalEnds(t)
			require.IsType(t, events.GoalCompleted{}, log[len(log)-1].Payload)
			for _, e := range log {
				if p, ok := e.Payload.(events.ModelReplied); ok {
					require.Empty(t, p.CLI.OwnTools, "the program ran a tool of its own")
				}
			}
			for _, v := range server.Requests() {
				require.NotContains(t, string(v.Body), "SKILL OF THE PERSON", "a skill is in the prompt")
				if !strings.Contains(string(v.Body), "Result of the tool read_file") {
					require.NotContains(t, string(v.Body), "SECRET OF A FILE", "the program read a file that the goal names")
				}
			}
		})
	}
}
