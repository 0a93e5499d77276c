package config

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"manualslop/tiers/llm/program"
)

// Secrets returns the values that must never be recorded: the keys in the file, the values of configured headers and
// the token after a scheme in them, and the values of the configured environment variables, of [KeyVariables] and
// [programSecrets], and of proxy addresses. The longest comes first, so that masking a secret that is part of another
// one leaves no remainder.
func (c Credentials) Secrets(config Config, getenv func(string) string) []string {
	secrets := slices.Collect(maps.Values(c.Keys))
	for _, provider := range config.Providers {
		for _, value := range provider.Headers {
			secrets = append(secrets, value, token(value))
		}
		if provider.APIKeyEnv != "" {
			secrets = append(secrets, getenv(provider.APIKeyEnv))
		}
	}
	for _, variable := range slices.AppendSeq(programSecrets(), maps.Values(KeyVariables())) {
		secrets = append(secrets, getenv(variable))
	}
	for _, variable := range program.Proxies() {
		secrets = append(secrets, passwords(getenv(variable))...)
	}
	for i, secret := range secrets {
		secrets[i] = strings.TrimSpace(secret)
	}
	secrets = slices.DeleteFunc(secrets, func(secret string) bool { return len(secret) < minSecret })
	slices.SortFunc(secrets, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return slices.Compact(secrets)
}

// programSecrets returns the variables with keys that providers' programs see in addition to [KeyVariables].
func programSecrets() []string {
	return []string{
		"GOOGLE_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN",
		"AWS_BEARER_TOKEN_BEDROCK",
		"CODEX_API_KEY", "CODEX_ACCESS_TOKEN",
	}
}

// token returns the part after a scheme, as in "Bearer TOKEN", or "" for any other value.
func token(header string) string {
	if words := strings.Fields(header); len(words) == 2 {
		return words[1]
	}
	return ""
}

// passwords returns the password of an address, both as written and decoded.
func passwords(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return nil
	}
	meant, _ := u.User.Password()
	_, written, _ := strings.Cut(u.User.String(), ":")
	return []string{meant, written}
}
