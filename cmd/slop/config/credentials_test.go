package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/term"
)

func noEnvironment(string) string { return "" }

func TestCredentialsAreReadBySection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "credentials.toml")
	require.NoError(t, os.WriteFile(path, []byte("[gemini]\napi_key = \"gemini-secret\"\n[anthropic]\napi_key = "+
		"\"anthropic-secret\"\n"), 0o600))
	c, err := LoadCredentials(dir)
	require.NoError(t, err)
	require.False(t, c.Exposed)
	require.Equal(t, "gemini-secret", c.APIKey(Default(), "gemini", noEnvironment))
	require.Empty(t, c.APIKey(Default(), "openai", noEnvironment))
	require.Equal(t, []string{"anthropic-secret", "gemini-secret"}, c.Secrets(Default(), noEnvironment))

	require.NoError(t, os.Chmod(path, 0o644))
	c, err = LoadCredentials(dir)
	require.NoError(t, err)
	require.True(t, c.Exposed)
}

func TestMissingCredentialsAreEmpty(t *testing.T) {
	t.Parallel()
	c, err := LoadCredentials(t.TempDir())
	require.NoError(t, err)
	require.Empty(t, c.Keys)
	require.Empty(t, c.Secrets(Default(), noEnvironment))
}

func TestEverySecretOfTheConfigurationIsMasked(t *testing.T) {
	t.Parallel()
	config := Default()
	config.Providers["local"] = Provider{APIKeyEnv: "LOCAL_KEY", Headers: map[string]string{"X-Auth": "header-secret",
		"X-Short": "short"}}
	getenv := func(name string) string { return map[string]string{"LOCAL_KEY": "environment-secret"}[name] }
	c := Credentials{Keys: map[string]string{"gemini": "file-secret", "local": "file-secret"}}
	require.Equal(t, []string{"environment-secret", "header-secret", "file-secret"}, c.Secrets(config, getenv))
	require.Equal(t, "environment-secret", c.APIKey(config, "local", getenv))
}

func TestKeysAreMaskedInWhateverTheyTravelIn(t *testing.T) {
	t.Parallel()
	config := Default()
	config.Providers["gateway"] = Provider{Headers: map[string]string{"Authorization": "Bearer header-token",
		"X-Note": "three words here"}}
	env := map[string]string{"HTTPS_PROXY": "http://ann:proxy%2Fpassword@proxy.example:8080",
		"http_proxy": "proxy.example:8080", "OPENAI_API_KEY": " padded-key\n"}
	for _, variable := range programSecrets() {
		env[variable] = "of-" + variable
	}
	mask := term.NewMask(Credentials{}.Secrets(config, func(name string) string { return env[name] }))
	for _, secret := range []string{"Bearer header-token", "header-token", "three words here", "proxy%2Fpassword",
		"proxy/password", "padded-key"} {
		require.Equal(t, "a [secret] b", string(mask([]byte("a "+secret+" b"))))
	}
	for _, variable := range programSecrets() {
		require.Equal(t, "[secret]", string(mask([]byte(env[variable]))))
	}
	require.Equal(t, "words here, Bearer, ann, proxy.example",
		string(mask([]byte("words here, Bearer, ann, proxy.example"))))
}

func TestCredentialMistakesNeverShowTheKey(t *testing.T) {
	t.Parallel()
	const key = "sk-very-secret-0123456789"
	for _, text := range []string{
		"[gemini]\napi_kye = \"" + key + "\"", "gemini = \"" + key + "\"", "[gemini]\napi_key = [\"" + key + "\"]",
		"[gemini]\napi_key = \"" + key + "\nx = 1", "[gemini]\napi_key = " + key, "[gemini]\napi_key = \"" + key +
			"\\u0001\"",
		"[gemini]\napi_key = \"" + strings.Repeat(key, 200) + "\"",
		"[gemini]\napi_key = \"short!\"", "[gemini]", "[\"a b\"]\napi_key = \"" + key + "\"",
	} {
		_, err := parseCredentials("credentials.toml", []byte(text))
		var wrong *Error
		require.ErrorAs(t, err, &wrong, text)
		require.Positive(t, wrong.Line, text)
		require.NotContains(t, err.Error(), "secret", text)
		require.NotContains(t, err.Error(), "short!", text)
	}
}

func TestCredentialsAreBounded(t *testing.T) {
	t.Parallel()
	parse := func(providers, length int) error {
		text := ""
		for _, name := range texts(providers) {
			text += "[" + name + "]\napi_key = \"" + strings.Repeat("k", length) + "\"\n"
		}
		_, err := parseCredentials("credentials.toml", []byte(text))
		return err
	}
	require.NoError(t, parse(64, minSecret))
	require.Error(t, parse(65, minSecret))
	require.Error(t, parse(1, minSecret-1))
	require.NoError(t, parse(1, maxText))
	require.Error(t, parse(1, maxText+1))
}

func TestNoKeyLeavesThisMachineInTheClearWhereverItComesFrom(t *testing.T) {
	t.Parallel()
	at := func(url string) Config {
		return Config{Providers: map[string]Provider{"anthropic": {BaseURL: url}}}
	}
	none := func(string) string { return "" }
	set := func(name string) string { return map[string]string{"ANTHROPIC_API_KEY": "a-key-of-mine"}[name] }
	inFile := Credentials{Keys: map[string]string{"anthropic": "a-key-of-mine"}}
	for _, err := range []error{keysInTheClear(at("http://10.0.0.1:80"), Credentials{}, set),
		keysInTheClear(at("http://10.0.0.1:80"), inFile, none)} {
		require.ErrorContains(t, err, "`providers.anthropic.base_url` must be https")
		require.NotContains(t, err.Error(), "a-key-of-mine")
	}
	for _, url := range []string{"https://10.0.0.1", "http://127.0.0.1:80", ""} {
		require.NoError(t, keysInTheClear(at(url), inFile, set), url)
	}
	require.NoError(t, keysInTheClear(at("http://10.0.0.1:80"), Credentials{}, none), "a server that needs no key")
	for _, url := range []string{"HTTP://10.0.0.1", "http://localhost.:80", "http://127.0.0.1.evil.example",
		"http://127.1", "http://2130706433", "http://[::ffff:10.0.0.1]", "http://0.0.0.0:80"} {
		require.Error(t, keysInTheClear(at(url), inFile, none), url)
	}
	codex := Config{Providers: map[string]Provider{"codex-cli": {BaseURL: "http://10.0.0.1:80"}}}
	openAI := func(name string) string { return map[string]string{"OPENAI_API_KEY": "a-key-of-mine"}[name] }
	require.ErrorContains(t, keysInTheClear(codex, Credentials{}, openAI), "`providers.codex-cli.base_url` must be https",
		"its program sends the key")
	require.NoError(t, keysInTheClear(codex, Credentials{}, none))
}
