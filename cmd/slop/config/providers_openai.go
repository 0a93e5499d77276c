package config

import (
	"maps"
	"net/http"
	"slices"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/openai"
)

// KindOpenAI is the kind of a provider that speaks Chat Completions as OpenAI does.
const KindOpenAI = "openai"

// openAIServers are the servers that speak Chat Completions: those known by
// name, and those that the configuration describes.
func openAIServers(c Config) []openai.Server {
	out := openai.Servers()
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if c.Providers[name].Kind == KindOpenAI {
			out = append(out, openai.Generic(name))
		}
	}
	return out
}

// openAIProviders are the providers for those servers.
func openAIProviders(c Config, keys Credentials, client *http.Client) []llm.Provider {
	var out []llm.Provider
	for _, s := range openAIServers(c) {
		out = append(out, openai.Provider{Server: s, Endpoint: endpoint(c, keys, s.Name, client),
			Silence: silence(c, s.Name)})
	}
	return out
}

// OrUnknown finds a provider by its name. One that this program does not have is a
// server of the person's own, if the body says so.
func OrUnknown(all map[string]llm.Provider) func(name string) llm.Provider {
	return func(name string) llm.Provider {
		if all[name] == nil && name != "" {
			all[name] = openai.Provider{Server: openai.Generic(name)}
		}
		return all[name]
	}
}

// kindProblem says what is wrong with the kind of a provider's section.
func kindProblem(name string, p Provider) string {
	switch {
	case p.Kind == "":
		return ""
	case ownProvider(name):
		return "is for servers that this program does not know, and it knows this one"
	case p.BaseURL == "":
		return "needs a base_url beside it: the address of the API, mostly with /v1 at its end"
	}
	return ""
}

// IsKeyless tells whether a server of the table needs no key.
func IsKeyless(name string) bool {
	server, known := openai.Find(name)
	return known && !server.NeedsKey
}

// KnownProvider tells whether a provider can be asked under this configuration.
func (c Config) KnownProvider(name string) bool {
	return ownProvider(name) || c.Provider(events.ProviderName(name)).Kind == KindOpenAI
}

// ownProvider tells whether a name stands for something that this program knows.
func ownProvider(name string) bool {
	name = events.ProviderName(name)
	_, known := openai.Find(name)
	return known || events.RunsProgram(name) || slices.Contains([]string{ScriptProvider, "anthropic", "gemini"}, name)
}
