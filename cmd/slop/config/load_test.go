package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// loadCase is a person's folder and a project, both empty at first.
type loadCase struct {
	Sources
	t *testing.T
}

func newLoadCase(t *testing.T) loadCase {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	c := loadCase{t: t}
	c.ProjectDir, c.UserDir = filepath.Join(root, "project"), filepath.Join(root, "user")
	require.NoError(t, os.Mkdir(c.ProjectDir, 0o755))
	require.NoError(t, os.Mkdir(c.UserDir, 0o755))
	return c
}

func (c loadCase) write(dir, name, text string) string {
	c.t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(c.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(c.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// load writes the three files, where they are not empty, and reads them.
func (c loadCase) load(user, extra, project string) (Config, error) {
	c.t.Helper()
	if user != "" {
		c.write(c.UserDir, "config.toml", user)
	}
	if extra != "" {
		c.File = c.write(c.UserDir, "extra.toml", extra)
	}
	if project != "" {
		c.write(c.ProjectDir, "slop.toml", project)
	}
	return Load(c.Sources)
}

func TestWithoutFilesTheDefaultsApply(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	c.OSUser = "ann"
	got, err := c.load("", "", "")
	require.NoError(t, err)
	want := Default()
	want.User.Name = "ann"
	require.Equal(t, want, got)
	require.Equal(t, []string{c.ProjectDir}, got.BaseDirs(c.ProjectDir))
}

func TestLaterLayersWinKeyByKey(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	got, err := c.load(
		"[mma]\nmax_workers = 8\nstep_mode = true\n[tiers.3]\nmodel = \"a\"\ntemperature = 1\n[providers.local]\nbase_url "+
			"= \"http://127.0.0.1:1/v1\"\nheaders = { X-A = \"1\" }\n",
		"mma.max_workers = 6\n[tiers.3]\nmax_rounds = 9\n[providers.local.headers]\nX-B = \"2\"\n",
		"[mma]\nmax_workers = 5\n[tiers.3]\nmodel = \"b\"\n")
	require.NoError(t, err)
	want := Default().MMA
	want.MaxWorkers, want.StepMode = 5, true
	require.Equal(t, want, got.MMA)
	one := 1.0
	require.Equal(t, Tier{Provider: "gemini", Model: "b", Temperature: &one, MaxRounds: 9}, got.Tier(3))
	require.Equal(t, Default().Tier(2), got.Tier(2))
	require.Equal(t, Provider{BaseURL: "http://127.0.0.1:1/v1", Headers: map[string]string{"X-A": "1", "X-B": "2"}},
		got.Providers["local"])
}

func TestRulesAndBlacklistsOfAllLayersAddUp(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	got, err := c.load(
		"[mcp]\nblacklist = [\"*.p12\"]\n[[rules]]\ntool = \"read_*\"\nallow = true\n",
		"[[rules]]\ntool = \"edit_file\"\nallow = [\n  \"src/**\",\n  \"docs/**\",\n]\n[[rules]]\ntool = \"*\"\nask = true\n",
		"mcp.blacklist = [\"*.p12\", \"secret\"]\nrules = [ { tool = \"fetch_url\", deny = true } ]\n")
	require.NoError(t, err)
	require.Equal(t, []string{"*.p12", "secret"}, got.MCP.Blacklist)
	user, extra, project := filepath.Join(c.UserDir, "config.toml"), filepath.Join(c.UserDir, "extra.toml"),
		filepath.Join(c.ProjectDir, "slop.toml")
	require.Equal(t, []Rule{
		{Tool: "read_*", Allow: RuleScope{All: true}, Origin: user + ":3"},
		{Tool: "edit_file", Allow: RuleScope{Globs: []string{"src/**", "docs/**"}}, Origin: extra + ":1"},
		{Tool: "*", Ask: RuleScope{All: true}, Origin: extra + ":7"},
		{Tool: "fetch_url", Deny: RuleScope{All: true}, Origin: project + ":2"},
	}, got.Rules)
	action, scope := got.Rules[1].Action()
	require.Equal(t, RuleAllow, action)
	require.Equal(t, []string{"src/**", "docs/**"}, scope.Globs)
}

func TestListsOfALaterFileReplace(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	got, err := c.load("[net]\nallow_hosts = [\"a.example\", \"b.example\"]\n", "[net]\nallow_hosts = [\"c.example\"]\n",
		"")
	require.NoError(t, err)
	require.Equal(t, []string{"c.example"}, got.Net.AllowHosts)
}

func TestMistakesInValuesNameTheFileThatSetThemLast(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	_, err := c.load("[mma]\nmax_workers = 65\nmax_retries = 11\n[[rules]]\ntool = \"a\"\ndeny = true\n",
		"[mma]\n\nmax_workers = 66\n[[rules]]\ntool = \"[\"\nallow = true\n[[rules]]\ntool = \"b\"\nallow = true\ndeny = "+
			"true\n", "")
	require.EqualError(t, err, strings.Join([]string{
		c.UserDir + "/extra.toml:3: `mma.max_workers` must be from 1 to 64, not 66",
		c.UserDir + "/config.toml:3: `mma.max_retries` must be from 0 to 10, not 11",
		c.UserDir + "/extra.toml:5: `rules.1.tool` must be a glob over tool names, got \"[\"",
		c.UserDir + "/extra.toml:7: `rules.2` must set exactly one of allow, deny and ask",
	}, "\n"))
}

func TestUnreadableFilesAreErrors(t *testing.T) {
	t.Parallel()
	kind := func(err error) ErrorKind {
		var wrong *Error
		require.ErrorAs(t, err, &wrong)
		require.NotEmpty(t, wrong.File)
		return wrong.Kind
	}
	c := newLoadCase(t)
	c.File = filepath.Join(c.UserDir, "missing.toml")
	_, err := Load(c.Sources)
	require.Equal(t, ConfigUnreadable, kind(err))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.EqualError(t, err, c.File+": cannot be read: no such file or directory")

	c = newLoadCase(t)
	require.NoError(t, os.Mkdir(filepath.Join(c.ProjectDir, "slop.toml"), 0o755))
	_, err = c.load("", "", "")
	require.Equal(t, ConfigUnreadable, kind(err))

	c = newLoadCase(t)
	comment := "#" + strings.Repeat("x", maxConfigBytes-1)
	_, err = c.load(comment, "", "")
	require.NoError(t, err)
	_, err = c.load(comment+"x", "", "")
	require.Equal(t, ConfigUnreadable, kind(err))
}

func TestNameOfThePersonIsAnActorsName(t *testing.T) {
	t.Parallel()
	for user, want := range map[string]string{
		"-": "person--", "ann": "ann", "CORP\\ann b": "CORP_ann_b", "gateway": "person-gateway",
		"worker-1": "person-worker-1",
	} {
		require.Equal(t, want, withPerson(user))
	}
	c := newLoadCase(t)
	c.OSUser = "ann"
	got, err := c.load("user.name = \"bea\"\n", "", "")
	require.NoError(t, err)
	require.Equal(t, "bea", got.User.Name)
}

func TestUserConfigDirFollowsTheEnvironment(t *testing.T) {
	t.Parallel()
	dir := func(env map[string]string) string {
		return UserDir(func(name string) string { return env[name] })
	}
	require.Equal(t, "/x/slop", dir(map[string]string{"XDG_CONFIG_HOME": "/x", "HOME": "/h"}))
	require.Equal(t, "/h/.config/slop", dir(map[string]string{"XDG_CONFIG_HOME": "relative", "HOME": "/h"}))
	require.Equal(t, "/a/slop", dir(map[string]string{"AppData": "/a"}))
	require.Empty(t, dir(nil))
}
