package config

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm/codexcli"
)

// minSecret is the shortest key that is accepted, in bytes: masking shorter ones would hide ordinary words.
const minSecret = 8

// Credentials is the user's credentials.toml: one section per provider.
type Credentials struct {
	Keys map[string]string // provider to key
	// Exposed means that other users of the machine can read the file.
	Exposed bool
}

// credential is one section of the file.
type credential struct {
	APIKey string `toml:"api_key" project:"never" doc:"The key of this provider."`
}

// credentialsSchema has free names at the top level.
func credentialsSchema() *schemaKey {
	return &schemaKey{
		shape: shapeNamed, names: "PROVIDER", items: 64,
		children: schemaFields(reflect.TypeFor[credential](), "NAME."),
	}
}

// LoadCredentials reads credentials.toml from the user's folder, by default the one that this process's environment
// names. A missing file counts as empty. Errors wrap [Error] and never contain a key.
func LoadCredentials(userDir string) (Credentials, error) {
	none := Credentials{Keys: map[string]string{}}
	if userDir = userDirOr(userDir); userDir == "" {
		return none, nil
	}
	path := filepath.Join(userDir, "credentials.toml")
	text, err := readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return Credentials{}, err
	}
	credentials, err := parseCredentials(path, text)
	if err != nil {
		return Credentials{}, err
	}
	info, err := os.Stat(path)
	credentials.Exposed = runtime.GOOS != "windows" && (err != nil || info.Mode().Perm()&0o077 != 0)
	return credentials, nil
}

// KeysOf returns the user's keys. It fails if the configuration would send a key unencrypted beyond this machine,
// whatever the source of the key. Errors wrap [Error] and never contain a key.
func KeysOf(c Config) (Credentials, error) {
	keys, err := LoadCredentials(UserDir(os.Getenv))
	if err != nil {
		return Credentials{}, err
	}
	return keys, keysInTheClear(c, keys, os.Getenv)
}

func keysInTheClear(c Config, keys Credentials, getenv func(string) string) error {
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		u, err := url.Parse(c.Providers[name].BaseURL)
		if err == nil && u.Scheme == "http" && !loopback(u.Hostname()) && keys.sent(c, name, getenv) {
			return invalid("providers."+name+".base_url", "must be https, because the key of %s is sent there; "+
				"if no key is needed, name an "+
				"unset variable with api_key_env", name)
		}
	}
	return nil
}

// sent reports whether a key is sent to the address of a provider, from here or from the program that it runs.
func (c Credentials) sent(config Config, provider string, getenv func(string) string) bool {
	if events.ProviderName(provider) == codexcli.Name && config.Provider(provider).APIKeyEnv == "" {
		return getenv(codexcli.DefaultKey) != ""
	}
	return c.APIKey(config, provider, getenv) != ""
}

func parseCredentials(file string, text []byte) (Credentials, error) {
	read := map[string]credential{}
	doc, err := decodeDocument(file, text, credentialsSchema(), &read)
	if err != nil {
		return Credentials{}, err
	}
	credentials := Credentials{Keys: map[string]string{}}
	found := checkBounds(credentialsSchema(), reflect.ValueOf(read), "")
	for _, name := range slices.Sorted(maps.Keys(read)) {
		key := read[name].APIKey
		if len(key) < minSecret {
			found = append(found, invalid(name+".api_key", "must have at least %d characters", minSecret))
		}
		credentials.Keys[name] = key
	}
	if len(found) > 0 {
		return Credentials{}, doc.placed(found)
	}
	return credentials, nil
}

// APIKey returns a provider's key. If the configuration names an environment variable, only that is used; otherwise
// the key comes from the file or from the vendor's variable in [KeyVariables]. It returns "" if there is none.
func (c Credentials) APIKey(config Config, provider string, getenv func(string) string) string {
	if variable := config.Provider(provider).APIKeyEnv; variable != "" {
		return getenv(variable)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Keys)) {
		if events.ProviderName(name) == events.ProviderName(provider) {
			return c.Keys[name]
		}
	}
	if variable := KeyVariables()[events.ProviderName(provider)]; variable != "" {
		return getenv(variable)
	}
	return ""
}

// MissingKey returns an error if a provider with an API that tier 1, 2 or 3 uses has no key. The error names the
// variable and the file that may hold the key.
func (c Config) MissingKey() error {
	keys, err := LoadCredentials(UserDir(os.Getenv))
	if err != nil {
		return err
	}
	for n := 1; n <= 3; n++ {
		name := events.ProviderName(c.Tier(n).Provider)
		if name == ScriptProvider || events.RunsProgram(name) || !slices.Contains(ProviderNames(c), name) ||
			c.Provider(name).BaseURL != "" || IsKeyless(name) || keys.APIKey(c, name, os.Getenv) != "" {
			continue
		}
		return fmt.Errorf("tier %d has the provider %s, which has no key: %s", n, name, c.KeyAdvice(name))
	}
	return nil
}

// KeyAdvice returns instructions to add a provider's missing key.
func (c Config) KeyAdvice(provider string) string {
	if variable := c.Provider(provider).APIKeyEnv; variable != "" {
		return "set " + variable + ", which its api_key_env names"
	}
	advice := "run `slop setup`, or set api_key under [" + provider + "] in " +
		filepath.Join(UserDir(os.Getenv), "credentials.toml")
	if variable := KeyVariables()[provider]; variable != "" {
		advice = "set " + variable + ", or " + advice
	}
	return advice
}

// KeyVariables returns, by provider, the environment variables that hold a vendor's key by its own convention. No
// other variables are read unless the configuration names them.
func KeyVariables() map[string]string {
	return map[string]string{
		"anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY", "openai": "OPENAI_API_KEY",
		"deepseek": "DEEPSEEK_API_KEY",
		"grok":     "XAI_API_KEY", "qwen": "DASHSCOPE_API_KEY", "minimax": "MINIMAX_API_KEY",
		"openrouter": "OPENROUTER_API_KEY",
	}
}

// WriteKey records the key of a provider in credentials.toml in a user's folder, which it creates if needed, and
// returns the file. Only the user may read the file; the rest of its text stays as it is. The file is replaced as a
// whole or not at all. It fails if the file is not valid, before or with the key. Errors never hold a key.
func WriteKey(userDir, provider, key string) (string, error) {
	path := filepath.Join(userDir, "credentials.toml")
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays one
	}
	text, err := readFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if _, err := parseCredentials(path, text); err != nil {
		return "", err
	}
	next := withKey(string(text), provider, key)
	read, err := parseCredentials(path, []byte(next))
	if err != nil {
		return "", err
	}
	if read.Keys[provider] != key {
		return "", fmt.Errorf("%s has a section of %s that cannot be changed; remove it first", path, provider)
	}
	if err := os.MkdirAll(userDir, 0o700); err != nil {
		return "", err
	}
	return path, replaceFile(path, []byte(next))
}

// withKey returns the text with the key in the provider's section. It recognizes other spellings of the provider's
// name.
func withKey(text, provider, key string) string {
	line := "api_key = " + strconv.Quote(key)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, header := range lines {
		name, is := strings.CutPrefix(strings.TrimSpace(header), "[")
		name, _, closed := strings.Cut(name, "]")
		if !is || !closed || events.ProviderName(strings.Trim(strings.TrimSpace(name), `"'`)) != provider {
			continue
		}
		lines[i] = "[" + provider + "]"
		for j := i + 1; j < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[j]), "["); j++ {
			if k, _, set := strings.Cut(lines[j], "="); set && strings.TrimSpace(k) == "api_key" {
				lines[j] = line
				return strings.Join(lines, "\n") + "\n"
			}
		}
		lines[i] += "\n" + line
		return strings.Join(lines, "\n") + "\n"
	}
	if strings.TrimSpace(text) != "" {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	return text + "[" + provider + "]\n" + line + "\n"
}

// replaceFile writes a file that only its owner may read, as a whole or not at all.
func replaceFile(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
