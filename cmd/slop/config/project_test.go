package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// projectCases has, for every key, what a project may and may not say beside a person's file.
// The key in each refused text stands on line 2.
var projectCases = []struct{ key, person, allowed, refused string }{
	{"bus.durability", "bus.durability = \"relaxed\"", "durability = \"sync\"", ""},
	{"bus.durability", "", "", "durability = \"relaxed\""},
	{"bus.url", "", "", "url = \"nats://evil.example:4222\""},
	{"bus.replicas", "", "", "replicas = 1"},
	{"bus.listen", "", "", "listen = \"0.0.0.0:4222\""},
	{"bus.max_bytes", "", "", "max_bytes = 67108864"},
	{"hooks.listen", "", "", "listen = \"127.0.0.1:1\""},
	{"hooks.auth", "hooks.auth = \"none\"", "auth = \"token\"", ""},
	{"hooks.auth", "", "", "auth = \"none\""},
	{"hooks.generate_timeout_s", "", "generate_timeout_s = 300", "generate_timeout_s = 301"},
	{"ask.timeout_s", "", "timeout_s = 60", "timeout_s = 61"},
	{"shell.timeout_s", "shell.timeout_s = 90", "timeout_s = 90", "timeout_s = 91"},
	{"shell.max_timeout_s", "shell.max_timeout_s = 90", "max_timeout_s = 90", "max_timeout_s = 91"},
	{"shell.fallback", "", "fallback = \"none\"", ""},
	{"shell.fallback", "shell.fallback = \"none\"", "", "fallback = \"posix\""},
	{"shell.sandbox", "", "sandbox = \"workspace\"", ""},
	{"shell.sandbox", "shell.sandbox = \"workspace\"", "", "sandbox = \"off\""},
	{"shell.network", "", "network = false", ""},
	{"shell.checkpoints", "shell.checkpoints = false", "checkpoints = true", ""},
	{"shell.checkpoints", "", "", "checkpoints = false"},
	{"shell.network", "shell.network = false", "", "network = true"},
	{"net.allow_hosts", "net.allow_hosts = [\"a.example\", \"b.example\"]", "allow_hosts = [\"b.example\"]",
		"allow_hosts = [\"b.example\", \"c.example\"]"},
	{"net.allow_hosts", "", "allow_hosts = []", "allow_hosts = [\"10.0.0.1\"]"},
	{"mcp.read", "", "", "read = [\".mcp.json\"]"},
	{"net.search_url", "", "", "search_url = \"https://evil.example/\""},
	{"mcp.enabled", "", "enabled = false", ""},
	{"mcp.enabled", "mcp.enabled = false", "", "enabled = true"},
	{"mcp.blacklist", "", "blacklist = [\"x\"]", ""},
	{"mcp.allow_symlinks", "mcp.allow_symlinks = true", "allow_symlinks = false", ""},
	{"mcp.allow_symlinks", "", "", "allow_symlinks = true"},
	{"mma.max_workers", "", "max_workers = 4", "max_workers = 5"},
	{"mma.step_mode", "", "step_mode = true", ""},
	{"mma.step_mode", "mma.step_mode = true", "", "step_mode = false"},
	{"mma.spawn_approval", "", "spawn_approval = true", ""},
	{"mma.spawn_approval", "mma.spawn_approval = true", "", "spawn_approval = false"},
	{"mma.review", "", "review = true", ""},
	{"mma.review", "mma.review = true", "", "review = false"},
	{"mma.max_retries", "", "max_retries = 2", "max_retries = 3"},
	{"mma.max_model_attempts", "", "max_model_attempts = 10", "max_model_attempts = 11"},
	{"mma.isolation", "", "isolation = \"worktree\"", ""},
	{"mma.isolation", "mma.isolation = \"worktree\"", "", "isolation = \"shared\""},
	{"tiers.1.provider", "", "provider = \"script\"", "provider = \"anthropic\""},
	{"tiers.1.provider", "tiers.1.model = \"m\"\n[providers.anthropic]", "provider = \"anthropic\"", ""},
	{"tiers.1.provider", "tiers.1.model = \"m\"\ntiers.2 = { provider = \"openai\", model = \"m\" }",
		"provider = \"openai\"", ""},
	{"tiers.1.model", "", "model = \"m\"", ""},
	{"tiers.1.models", "", "models = [\"m\", \"n\"]", ""},
	{"tiers.1.temperature", "", "temperature = 0.5", ""},
	{"tiers.1.top_p", "", "top_p = 0.5", ""},
	{"tiers.1.effort", "", "effort = \"low\"", ""},
	{"tiers.1.max_output_tokens", "tiers.1.max_output_tokens = 8192", "max_output_tokens = 8192",
		"max_output_tokens = 8193"},
	{"tiers.1.max_rounds", "", "max_rounds = 40", "max_rounds = 41"},
	{"providers.gemini.base_url", "", "", "base_url = \"https://evil.example\""},
	{"providers.gemini.kind", "", "", "kind = \"openai\""},
	{"providers.gemini.api_key_env", "", "", "api_key_env = \"AWS_SECRET_ACCESS_KEY\""},
	{"providers.gemini.headers", "", "", "headers = { X-A = \"1\" }"},
	{"providers.gemini.command", "", "", "command = \"/w/evil\""},
	{"providers.gemini.silence_s", "", "", "silence_s = 1"},
	{"providers.gemini.tools", "", "", "tools = \"text\""},
	{"providers.gemini.args", "", "", "args = [\"--yolo\"]"},
	{"tiers.1.provider", "tiers.2.provider = \"gemini-cli\"", "provider = \"gemini_cli\"", ""},
	{"tiers.1.provider", "[providers.gemini_cli]", "provider = \"gemini-cli\"", ""},
	{"tiers.1.persona", "", "persona = \"\"", ""}, // what they may name: TestAProjectsRosterCannotAllowAnything
	{"tiers.1.tool_preset", "", "tool_preset = \"\"", ""},
	{"tiers.1.bias_profile", "", "bias_profile = \"\"", ""},
	{"tiers.1.prompt_preset", "", "prompt_preset = \"\"", ""},
	{"models.local/m.context_window", "", "", "context_window = 1"},
	{"models.local/m.max_output_tokens", "", "", "max_output_tokens = 1"},
	{"models.local/m.input", "", "", "input = 0"},
	{"models.local/m.output", "", "", "output = 0"},
	{"models.local/m.cache_read", "", "", "cache_read = 0"},
	{"models.local/m.cache_write_5m", "", "", "cache_write_5m = 0"},
	{"models.local/m.cache_write_1h", "", "", "cache_write_1h = 0"},
	{"budget.session", "", "session = 5", ""},
	{"budget.session", "budget.session = 5.5", "session = 5.5", "session = 5.6"},
	{"budget.session", "budget.session = 5.5", "", "session = 0"},
	{"budget.ticket", "budget.ticket = 1", "ticket = 0.5", "ticket = nan"},
	{"retrieval.enabled", "retrieval.enabled = true", "enabled = false", ""},
	{"retrieval.enabled", "", "", "enabled = true"},
	{"retrieval.source", "", "source = \"text\"", ""},
	{"retrieval.source", "retrieval.source = \"text\"", "", "source = \"chroma\""},
	{"retrieval.provider", "", "", "provider = \"openai\""},
	{"retrieval.model", "", "", "model = \"m\""},
	{"retrieval.top_k", "", "top_k = 5", "top_k = 6"},
	{"user.name", "", "", "name = \"ann\""},
	{"mma.plan_review", "mma.plan_review = true", "plan_review = true", "plan_review = false"},
	{"notify.command", "", "", "command = [\"evil\"]"},
	{"files.base_dirs", "", "base_dirs = [\".\"]", "base_dirs = [\"..\"]"},
	{"files.tracked", "", "tracked = [\"gone/later.go\"]", "tracked = [\"../outside.go\"]"},
}

func TestProjectsCanOnlyMakeThingsStricter(t *testing.T) {
	t.Parallel()
	for _, c := range projectCases {
		section := "[" + c.key[:strings.LastIndexByte(c.key, '.')] + "]\n"
		if strings.HasPrefix(section, "[providers.") {
			section = "# the header of a provider is refused too\nproviders.gemini."
		}
		if strings.HasPrefix(section, "[models.") {
			section = "# so is that of a model\nmodels.\"local/m\"."
		}
		if c.allowed != "" {
			_, err := newLoadCase(t).load(c.person, "", section+c.allowed+"\n")
			require.NoError(t, err, "%s with %s", c.allowed, c.person)
		}
		if c.refused == "" {
			continue
		}
		_, err := newLoadCase(t).load(c.person, "", section+c.refused+"\n")
		var wrong *Error
		require.ErrorAs(t, err, &wrong, c.refused)
		require.Equal(t, ConfigNotAllowed, wrong.Kind, c.refused)
		require.Equal(t, c.key, wrong.Key)
		require.Equal(t, 2, wrong.Line, c.refused)
		require.Equal(t, "slop.toml", filepath.Base(wrong.File))
		require.Contains(t, err.Error(), onlyThePerson)
	}
}

func TestEveryKeyHasACaseForProjects(t *testing.T) {
	t.Parallel()
	for _, key := range testSchema().leaves() {
		path := strings.NewReplacer(".N.", ".1.", ".MODEL.", ".local/m.", ".NAME.", ".gemini.").Replace(key.path)
		found := strings.HasPrefix(path, "rules.")
		for _, c := range projectCases {
			found = found || c.key == path
		}
		require.True(t, found, "no case for %s", key.path)
	}
}

func TestProjectRulesCanDenyAndAskAndNeverAllow(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"[[rules]]\ntool = \"*\"\ndeny = true\n", "[[rules]]\ntool = \"edit_file\"\nask = [\"src/**\"]\n",
	} {
		_, err := newLoadCase(t).load("", "", good)
		require.NoError(t, err, good)
	}
	for _, bad := range []string{
		"[[rules]]\ntool = \"*\"\nallow = true\n",
		"[[rules]]\ntool = \"*\"\nallow = [\"*\"]\n",
		"rules = [ { tool = \"x\", ask = true },\n\n{ tool = \"*\", allow = true } ]\n",
		"[[rules]]\ntool = \"x\"\nrules.allow = true\n",
		"[[Rules]]\ntool = \"*\"\nAllow = true\n",
		"[[rules]]\ntool = \"*\"\n\"al\\u006cow\" = true\n",
	} {
		_, err := newLoadCase(t).load("", "", bad)
		require.Error(t, err, bad)
	}
}

func TestProjectsCannotSlipThroughOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"[providers.evil]\n", "providers = { evil = {} }\n", "[providers.gemini.headers]\nX-A = \"1\"\n",
		"hooks = { auth = \"none\" }\n", "Hooks = { auth = \"none\" }\n", "[hooks]\nAUTH = \"none\"\n",
		"\"hooks\".'auth' = \"none\"\n", "[mma]\nMax_Workers = 64\n",
		"[tiers.3]\nprovider = \"Other\"\n",
	} {
		_, err := newLoadCase(t).load("", "", bad)
		require.Error(t, err, bad)
	}
}

func TestProjectsCannotOpenFoldersThroughLinks(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	require.NoError(t, os.Symlink("/", filepath.Join(c.ProjectDir, "link")))
	require.NoError(t, os.Symlink("/nowhere/yet", filepath.Join(c.ProjectDir, "dangling")))
	c.write(c.ProjectDir, "plain", "")
	for _, bad := range []string{
		"base_dirs = [\"link\"]", "base_dirs = [\"link/tmp\"]", "base_dirs = [\"/\"]", "base_dirs = [\"missing\"]",
		"base_dirs = [\"dangling\"]", "base_dirs = [\"plain\"]", "base_dirs = [\"../project-sibling\"]",
		"tracked = [\"link/etc/hosts\"]", "tracked = [\"dangling/x\"]", "tracked = [\"/etc/hosts\"]",
	} {
		_, err := c.load("", "", "[files]\n"+bad+"\n")
		var wrong *Error
		require.ErrorAs(t, err, &wrong, bad)
		require.Equal(t, ConfigNotAllowed, wrong.Kind, bad)
		require.Equal(t, 2, wrong.Line, bad)
	}
}

func TestProjectsNarrowBaseDirectories(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	c.write(c.ProjectDir, "src/a.go", "")
	require.NoError(t, os.Symlink("src", filepath.Join(c.ProjectDir, "alias")))
	got, err := c.load("", "", "[files]\nbase_dirs = [\"alias\"]\ntracked = [\"src/a.go\"]\n")
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(c.ProjectDir, "src")}, got.BaseDirs(c.ProjectDir))
	require.Equal(t, []string{filepath.Join(c.ProjectDir, "src", "a.go")}, got.Files.Tracked)
}

func TestProjectsCannotWidenByTakingEntriesAway(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	c.write(c.ProjectDir, "src/a.go", "")
	person := "[files]\ntracked = [\"src/a.go\"]\n"
	got, err := c.load(person, "", "")
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(c.ProjectDir, "src")}, got.BaseDirs(c.ProjectDir))

	_, err = c.load(person, "", "[files]\ntracked = []\n")
	var wrong *Error
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, ConfigNotAllowed, wrong.Kind)
	require.Equal(t, "files", wrong.Key)
	require.Equal(t, 2, wrong.Line)
}
