package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/runtime"
)

// providers are the providers of this program by name, beside the scripted one;
// keys open them.
func providers(c Config, keys Credentials) map[string]llm.Provider {
	out := map[string]llm.Provider{}
	for _, p := range []llm.Provider{
		geminicli.Provider{Run: runtime.RunProgram, Folder: runsFolder(geminicli.Name), Silence: time.Duration(c.provider(geminicli.Name).SilenceS) * time.Second},
	} {
		out[p.Name()] = p
	}
	return out
}

// runsFolder is where programs of a provider run: below the person's own folder
// for caches, to which nobody else may write. Empty where there is none.
func runsFolder(provider string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "slop", provider)
}

// provider is the section of a provider, in whatever spelling it has there.
func (c Config) provider(name string) ProviderConfig {
	for written, p := range c.Providers {
		if events.ProviderName(written) == name { // one at most: see checkProviders
			return p
		}
	}
	return ProviderConfig{}
}

// programs are the programs that the person's configuration names for
// providers, by name.
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
