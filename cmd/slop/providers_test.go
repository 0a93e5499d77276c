package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/app/demo"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/llm/llmtest"
)

// reached is a provider and what stands behind it here: the strict fake of its
// vendor's API or of its program, which plays the demo's script.
type reached struct {
	name   string
	model  string
	thinks bool // what it thinks has to go back
	own    bool // a server of the person's own
	slow   bool // tried in full runs only
}

// everyReached is one for each provider of the program; the first three are
// one for each wire, and programs have a script of their own (clis.txtar).
func everyReached() []reached {
	return []reached{
		{name: "anthropic", model: "claude-sonnet-4-6", thinks: true},
		{name: "gemini", model: "gemini-3.1-pro-preview", thinks: true},
		{name: "openai", model: "gpt-5.1"},
		{name: "deepseek", model: "deepseek-chat", thinks: true, slow: true},
		{name: "grok", model: "grok-4", slow: true},
		{name: "qwen", model: "qwen3-max", slow: true},
		{name: "llama", model: "qwen3-coder", slow: true},
		{name: "minimax", model: "MiniMax-M2", slow: true},
		{name: "openrouter", model: "anthropic/claude-sonnet-4.6", slow: true},
		{name: "vllm", model: "Qwen/Qwen3-Coder", slow: true},
		{name: "llama_cpp", model: "local", slow: true},
		{name: "my_gateway", model: "small", own: true, slow: true},
		{name: clitest.Gemini, model: "auto", slow: true},
		{name: clitest.Claude, model: "sonnet", slow: true},
		{name: clitest.Codex, model: "gpt-5.1-codex", slow: true},
		{name: clitest.ACP, model: "default", slow: true},
	}
}

// section starts what is behind a provider, and is its part of config.toml and
// of credentials.toml; stop ends it.
func (r reached) section(t *testing.T) (config, credentials string, stop func()) {
	t.Helper()
	if events.RunsProgram(r.name) {
		dir := t.TempDir()
		program, script := filepath.Join(dir, "bin", r.name), filepath.Join(dir, "script.jsonl")
		require.NoError(t, os.WriteFile(script, demo.Script(), 0o600))
		require.NoError(t, clitest.Install(program, r.name, script, ""))
		config = fmt.Sprintf("[providers.%s]\ncommand = %q\n", r.name, program)
		if r.name == clitest.ACP {
			config += "args = [\"--acp\"]\n"
		}
		return config, "", func() { require.NoError(t, os.Remove(program)) }
	}
	key := "the-key-of-" + r.name
	vendor, kind := r.name, ""
	if r.own {
		vendor, kind = "vllm", "kind = \"openai\"\n"
	}
	fake, stop, err := llmtest.Start(llmtest.Options{Vendor: vendor, Key: key, Models: []string{r.model},
		Script: string(demo.Script()), Thinking: "One step after another."})
	require.NoError(t, err)
	t.Cleanup(func() {
		stop()
		require.Empty(t, fake.Refused(), "%s would have refused", r.name)
	})
	return fmt.Sprintf("[providers.%s]\nbase_url = %q\n%s", r.name, fake.URL, kind), fmt.Sprintf("[%s]\napi_key = %q\n",
		r.name, key), stop
}

// oneLine is the line of config.toml that picks the provider.
func (r reached) oneLine() string {
	return fmt.Sprintf("all = { provider = %q, model = %q, effort = \"high\" }", r.name, r.model)
}

// sitesOf are sites, one for each provider, whose configurations differ in one
// line; stop ends all that is behind the providers.
func sitesOf(t *testing.T, tried []reached) (sites map[string]*site, stop func()) {
	t.Helper()
	var sections, credentials strings.Builder
	var stops []func()
	for _, r := range tried {
		config, key, end := r.section(t)
		sections.WriteString(config)
		credentials.WriteString(key)
		stops = append(stops, end)
	}
	sites = map[string]*site{}
	for _, r := range tried {
		s := newSite(t, nil)
		require.NoError(t, demo.Extract(s.dir))
		s.configure(scriptConfig + "[tiers]\n" + r.oneLine() + "\n" + sections.String())
		require.NoError(t, os.WriteFile(filepath.Join(s.home, "slop", "credentials.toml"), []byte(credentials.String()),
			0o600))
		sites[r.name] = s
	}
	return sites, func() {
		for _, end := range stops {
			end()
		}
	}
}

// reachedState is the end state but for what a provider says that tokens cost.
func reachedState(log []events.Event) projections.EndState {
	end := endState(log)
	end.Usage = nil
	return end
}

func TestEveryProviderEndsTheDemoAndReplaysWithoutIt(t *testing.T) {
	t.Parallel()
	var tried []reached
	for _, r := range everyReached() {
		if !r.slow || os.Getenv("SLOP_LOAD") == "full" {
			tried = append(tried, r)
		}
	}
	alone := runAlone(t)
	want := reachedState(historyOf(t, alone))
	requireSampleWorks(t, alone, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local"))
	sites, stop := sitesOf(t, tried)
	t.Run("run", func(t *testing.T) {
		for _, r := range tried {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				s := sites[r.name].of(t)
				s.ok("run", "--yes", demo.Goal)
				log := historyOf(t, s.dir)
				require.Equal(t, want, reachedState(log))
				for _, asked := range only[events.ModelRequested](log) {
					require.Equal(t, [2]string{r.name, r.model}, [2]string{asked.Provider, asked.Model})
				}
				thought := slices.ContainsFunc(only[events.ModelReplied](log), func(p events.ModelReplied) bool {
					return len(p.Raw) > 0
				})
				require.True(t, thought || !r.thinks, "thoughts are on record")
			})
		}
	})
	stop()
	quiet := offline(t)
	for _, r := range tried {
		t.Run("replay/"+r.name, func(t *testing.T) {
			s := sites[r.name].of(t)
			s.env = append(s.env, quiet...)
			file := s.requirePromptsAgain()
			s.record(file, "demo-"+r.name)
			if r.name == tried[0].name || os.Getenv("SLOP_LOAD") == "full" {
				s.requireChangesFound(file, r.thinks)
			}
		})
	}
}

// of is the site for a part of its test.
func (s *site) of(t *testing.T) *site {
	part := *s
	part.t = t
	return &part
}
