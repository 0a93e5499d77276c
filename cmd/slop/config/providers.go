package config

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/transport"
)

// Providers returns this program's providers by name, with their keys, without the scripted one.
func Providers(c Config, keys Credentials) map[string]llm.Provider {
	out, client := map[string]llm.Provider{}, transport.NewClient()
	for _, p := range append(slices.Concat(programProviders(c), openAIProviders(c, keys, client)),
		anthropic.Provider{Endpoint: endpoint(c, keys, anthropic.Name, client), Silence: silence(c, anthropic.Name)},
		gemini.Provider{Endpoint: endpoint(c, keys, gemini.Name, client), Silence: silence(c, gemini.Name)},
	) {
		out[p.Name()] = p
	}
	return out
}

// endpoint returns the address and settings of a provider's API.
func endpoint(c Config, keys Credentials, name string, client *http.Client) llm.Endpoint {
	section := c.Provider(name)
	return llm.Endpoint{BaseURL: strings.TrimRight(section.BaseURL, "/"), Key: keys.APIKey(c, name, os.Getenv),
		Headers: section.Headers, Client: client}
}

// silence returns how long a provider may be silent, or 0 for the provider's own limit.
func silence(c Config, name string) time.Duration {
	return time.Duration(c.Provider(name).SilenceS) * time.Second
}

// runsFolder returns the folder where a provider's programs run: below the user's cache folder, to which no other
// user can write. It returns "" if there is no such folder.
func runsFolder(provider string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "slop", provider)
}

// Provider returns the section of a provider, however its name is spelled there.
func (c Config) Provider(name string) Provider {
	for written, p := range c.Providers {
		if events.ProviderName(written) == name { // at most one: see checkProviders
			return p
		}
	}
	return Provider{}
}

// programs returns the programs that the user's configuration names for providers, by provider.
func programs(c Config) []events.ProviderSettings {
	var out []events.ProviderSettings
	for name, p := range c.Providers {
		if p.Command != "" {
			out = append(out, events.ProviderSettings{Provider: events.ProviderName(name), Command: p.Command})
		}
	}
	slices.SortFunc(out, func(a, b events.ProviderSettings) int { return strings.Compare(a.Provider, b.Provider) })
	return out
}

// ProviderNames returns the names of the providers of this program.
func ProviderNames(c Config) []string {
	return slices.Sorted(maps.Keys(Providers(c, Credentials{})))
}

// EmbedderNames returns the names of the providers with embeddings.
func EmbedderNames(c Config) []string {
	out := []string{}
	for name, p := range Providers(c, Credentials{}) {
		if e, ok := p.(llm.Embedder); ok {
			if _, texts := e.EmbedLimits(); texts > 0 {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}
