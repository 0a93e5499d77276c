package config

import (
	"maps"
	"net/http"
	"slices"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/openai"
)

// KindOpenAI is the kind of a provider with OpenAI's Chat Completions API.
const KindOpenAI = "openai"

// openAIServers returns the servers with Chat Completions: those known by name, and those in the configuration.
func openAIServers(c Config) []openai.Server {
	out := openai.Servers()
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if c.Providers[name].Kind == KindOpenAI {
			out = append(out, openai.Generic(name))
		}
	}
	return out
}

// openAIProviders returns the providers for those servers.
func openAIProviders(c Config, keys Credentials, client *http.Client) []llm.Provider {
	var out []llm.Provider
	for _, s := range openAIServers(c) {
		out = append(out, openai.Provider{Server: s, Endpoint: endpoint(c, keys, s.Name, client),
			Silence: silence(c, s.Name)})
	}
	return out
}

// OrUnknown returns a function that finds a provider by its name. An unknown name is the user's own server if the
// configuration says so.
func OrUnknown(all map[string]llm.Provider) func(name string) llm.Provider {
	return func(name string) llm.Provider {
		if all[name] == nil && name != "" {
			all[name] = openai.Provider{Server: openai.Generic(name)}
		}
		return all[name]
	}
}

// kindProblem returns what is wrong with the kind in a provider's section.
func kindProblem(name string, p Provider) string {
	switch {
	case p.Kind == "":
		return ""
	case ownProvider(name):
		return "is only for servers that this program does not know by name"
	case p.BaseURL == "":
		return "needs base_url too: the address of the API, usually ending in /v1"
	}
	return ""
}

// IsKeyless reports whether a server of the table needs no key.
func IsKeyless(name string) bool {
	server, known := openai.Find(name)
	return known && !server.NeedsKey
}

// KnownProvider reports whether a provider can be used with this configuration.
func (c Config) KnownProvider(name string) bool {
	return ownProvider(name) || c.Provider(events.ProviderName(name)).Kind == KindOpenAI
}

// ownProvider reports whether this program knows a provider by its name.
func ownProvider(name string) bool {
	name = events.ProviderName(name)
	_, known := openai.Find(name)
	return known || events.RunsProgram(name) || slices.Contains([]string{ScriptProvider, "anthropic", "gemini"}, name)
}
