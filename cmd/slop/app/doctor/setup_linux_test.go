package doctor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/tiers/llm/llmtest"
)

// settingUp runs slop setup with a key on standard input; the provider is reached at url.
func settingUp(t *testing.T, home, url, key string, flags ...string) (said string, err error) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("ANTHROPIC_API_KEY", "")
	if url != "" {
		require.NoError(t, os.MkdirAll(filepath.Join(home, "slop"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(home, "slop", "config.toml"),
			[]byte(fmt.Sprintf("[providers.anthropic]\nbase_url = %q\n", url)), 0o600))
	}
	var out bytes.Buffer
	g := &site.Flags{Terminal: term.Terminal{In: strings.NewReader(key), Out: &out, Err: &out}, ProjectDir: t.TempDir()}
	cmd := SetupCommand(g)
	cmd.SetArgs(append([]string{"--provider", "anthropic"}, flags...))
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestSetupWritesAKeyThatWorks(t *testing.T) {
	server, home := llmtest.Anthropic(t, llmtest.Options{Turns: []llmtest.Turn{{Text: "never asked for"}}}), t.TempDir()
	file := filepath.Join(home, "slop", "credentials.toml")
	said, err := settingUp(t, home, server.URL, llmtest.Key+"\n")
	require.NoError(t, err)
	require.Contains(t, said, "anthropic: the key works; it is in "+file)
	require.Contains(t, said, "no tier uses anthropic yet")
	require.NotContains(t, said, llmtest.Key)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("[anthropic]\napi_key = %q\n", llmtest.Key), string(text))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestSetupKeepsTheRestOfTheFile(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "slop", "credentials.toml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte("# mine\n[gemini]\napi_key = \"sk-other-other\"\n\n[Anthropic] # old\n"+
		"api_key = \"sk-old-old-old\" # gone\n[openai]\napi_key = \"sk-third-third\"\n"), 0o644))
	_, err := settingUp(t, home, "", "sk-new-new-new", "--no-check")
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "# mine\n[gemini]\napi_key = \"sk-other-other\"\n\n[anthropic]\napi_key = \"sk-new-new-new\"\n[openai]\n"+
		"api_key = \"sk-third-third\"\n", string(text))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestSetupWritesNothingWhereAKeyDoesNotWork(t *testing.T) {
	server, home := llmtest.Anthropic(t, llmtest.Options{Turns: []llmtest.Turn{{Text: "never asked for"}}}), t.TempDir()
	for _, c := range []struct{ url, key, flag, want string }{
		{server.URL, "sk-wrong-key-wrong-key", "", "anthropic refuses the key"},
		{"http://127.0.0.1:1", llmtest.Key, "", "the key could not be checked"},
		{server.URL, "", "", "no key was given"},
		{server.URL, "two words", "", "one line of visible ASCII"},
		{server.URL, "sk-a\nsk-b", "", "one line of visible ASCII"},
		{server.URL, strings.Repeat("k", maxKey+1), "", "over the limit of 4096 bytes"},
		{server.URL, "short", "--no-check", "must have at least 8 characters"},
		{server.URL, llmtest.Key, "--provider=nobody", "--provider must be one of"},
		{server.URL, llmtest.Key, "--provider=claude_cli", "--provider must be one of"},
	} {
		var flags []string
		if c.flag != "" {
			flags = []string{c.flag}
		}
		said, err := settingUp(t, home, c.url, c.key, flags...)
		require.ErrorContains(t, err, c.want, said)
		require.NoFileExists(t, filepath.Join(home, "slop", "credentials.toml"), c.want)
	}
	_, err := settingUp(t, home, "http://127.0.0.1:1", strings.Repeat("k", maxKey), "--no-check")
	require.NoError(t, err, "a key of the longest kind, without a network")
}

func TestSetupSaysWhatToDoInAHomeThatCannotBeWritten(t *testing.T) {
	_, err := settingUp(t, "/proc", "", llmtest.Key, "--no-check")
	require.ErrorContains(t, err, "the key was not written: ")
	require.ErrorContains(t, err, "/proc/slop")
	require.ErrorContains(t, err, "; you can set ANTHROPIC_API_KEY instead")
	require.NotContains(t, err.Error(), llmtest.Key)
}
